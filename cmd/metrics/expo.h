// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes metrics as text: the Prometheus text format 0.0.4, or OpenMetrics 1.0. Both agree in all
 * samples; they differ in how families are named and where the text ends.
 */
#ifndef NVT_METRICS_EXPO_H
#define NVT_METRICS_EXPO_H

#include "lib/base/types.h"

enum family_type { FAMILY_COUNTER, FAMILY_GAUGE, FAMILY_HISTOGRAM, FAMILY_INFO };

/* Metrics of one name. */
struct family {
	const char *name; /* without _total and _info; ends in the unit if there is one */
	const char *unit; /* "seconds", "bytes", or NULL */
	enum family_type type;
	const char *help; /* a sentence without backslash, quotation mark and line end */
};

/* A text that grows. Zeroed but for `openmetrics` at the start; expo_free() ends it. */
struct expo {
	char *data;
	size_t len, cap;
	bool openmetrics;
	bool failed; /* no memory: what is there is not whole */
};

/* Begins a family: its samples follow at once, and no others until the next one. */
void expo_family(struct expo *e, const struct family *f);

/*
 * Adds a sample of @f. @labels come as expo_label() writes them, "" is none. Seconds are given in
 * nanoseconds.
 */
void expo_number(struct expo *e, const struct family *f, const char *labels, u64 value);
void expo_seconds(struct expo *e, const struct family *f, const char *labels, u64 ns);

/* Adds the samples of a histogram: @counts as edges_count() sets them. */
void expo_histogram(struct expo *e, const struct family *f, const char *labels, const u64 *counts,
		    u64 sum_ns);

/* Ends the text. */
void expo_end(struct expo *e);

void expo_free(struct expo *e);

/*
 * Appends NAME="VALUE" to the @size bytes at @labels, behind a comma if there are others. Foreign
 * bytes are escaped; a value that is NULL or does not fit is left out.
 */
void expo_label(char *labels, size_t size, const char *name, const char *value);

#endif
