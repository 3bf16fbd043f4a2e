// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The first record of every JSON stream: which command runs, where and when (cli.md, "JSON
 * records").
 */
#ifndef NVT_SESSION_META_H
#define NVT_SESSION_META_H

#include "lib/cli/cmd.h"
#include "lib/record/record.h"

#define META_SCHEMA "nvmetool/1"

/*
 * Writes schema, version, command, argv, host, kernel, arch, ts and mono_ns into the open record
 * @j. In replay host, kernel and times are those of the recording @recorded, else (NULL) of this
 * host, with @start_ns (CLOCK_MONOTONIC, 0: now) as the time.
 */
void meta_fill(struct json *j, const struct invocation *inv, const struct record_head *recorded,
	       u64 start_ns);

/*
 * Writes the whole record if the format is JSON, unless --no-meta is given. For commands that do
 * not trace. @recorded: as above.
 */
void meta_put(struct out *o, const struct invocation *inv, const struct record_head *recorded);

struct expr;

/* Writes `fail_if`: the conditions that were true, each with the first row for which it was. */
void meta_put_conditions(struct json *j, const struct expr *e);

#endif
