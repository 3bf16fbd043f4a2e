// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads lines NAME=VALUE. Unknown names are skipped, so that newer files can say more. */
#include <errno.h>

#include "lib/base/str.h"
#include "lib/record/head.h"
#include "lib/record/reader.h"

/* Returns the next line of *text, split at '='; NULL at the end. Lines without '=' are skipped. */
static char *next_line(char **text, char **value)
{
	char *line;

	while ((line = strsep(text, "\n"))) {
		char *equals = strchr(line, '=');

		if (!equals)
			continue;
		*equals = '\0';
		*value = equals + 1;
		return line;
	}
	return NULL;
}

/* Returns our column of that name and size, or RECORD_COLUMNS. */
static u32 column_of(char *value)
{
	char *comma = strchr(value, ',');

	if (!comma)
		return RECORD_COLUMNS;
	*comma = '\0';
	for (u32 i = 0; i < RECORD_COLUMNS; i++)
		if (streq(record_columns[i].name, value))
			return strtoul(comma + 1, NULL, 10) == record_columns[i].bytes
				       ? i
				       : RECORD_COLUMNS;
	return RECORD_COLUMNS;
}

static u32 needs_of(char *value)
{
	u32 needs = 0;
	char *word;

	while ((word = strsep(&value, ",")))
		for (u32 i = 0; record_needs[i].name; i++)
			if (streq(record_needs[i].name, word))
				needs |= record_needs[i].value;
	return needs;
}

static bool take_string(struct record_head *h, const char *name, const char *value)
{
	const struct {
		const char *name;
		const char **to;
	} strings[] = {
		{ "version", &h->version }, { "host", &h->host },	 { "kernel", &h->kernel },
		{ "arch", &h->arch },	    { "filters", &h->filters },	 { "ctrls", &h->ctrls },
		{ "trigger", &h->trigger }, { "partitions", &h->parts },
	};

	for (size_t i = 0; i < ARRAY_SIZE(strings); i++) {
		if (!streq(strings[i].name, name))
			continue;
		*strings[i].to = value;
		return true;
	}
	return false;
}

static void take_line(struct reader *rd, const char *name, char *value)
{
	if (take_string(&rd->head, name, value))
		return;
	if (streq(name, "column")) {
		if (rd->n_columns < RECORD_COLUMNS_MAX)
			rd->map[rd->n_columns++] = column_of(value);
	} else if (streq(name, "start_ns")) {
		rd->head.start_ns = strtoull(value, NULL, 10);
	} else if (streq(name, "trigger_ns")) {
		rd->head.trigger_ns = strtoull(value, NULL, 10);
	} else if (streq(name, "wall_offset_ns")) {
		rd->head.wall_offset_ns = strtoll(value, NULL, 10);
	} else if (streq(name, "hosts")) {
		rd->head.hosts = streq(value, "several");
	} else if (streq(name, "needs")) {
		rd->head.needs = needs_of(value);
	}
}

/* Returns a copy of the payload with a NUL at its end. A NUL inside ends the text early. */
static char *text_of(const u8 *payload, u32 size)
{
	return strndup((const char *)payload, size);
}

int record_head_read(struct reader *rd, const u8 *payload, u32 size)
{
	char *rest, *name, *value;

	if (size > RECORD_TEXT_MAX)
		return -EINVAL;
	rest = rd->text = text_of(payload, size);
	if (!rest)
		return -ENOMEM;
	while ((name = next_line(&rest, &value)))
		take_line(rd, name, value);
	/* The time must be the first column, as in our table: others are decoded from it. */
	return rd->n_columns && rd->map[0] == 0 ? 0 : -EINVAL;
}

void record_end_read(struct counters *total, const u8 *payload, u32 size)
{
	char *text = size <= RECORD_TEXT_MAX ? text_of(payload, size) : NULL;
	char *rest = text, *name, *value;

	*total = (struct counters){ 0 };
	while (rest && (name = next_line(&rest, &value))) {
		u64 n = strtoull(value, NULL, 10);

		for (u32 i = 0; record_counters[i].name; i++)
			if (streq(record_counters[i].name, name))
				*(u64 *)((char *)total + record_counters[i].value) = n;
		if (streq(name, "recursion_known"))
			total->recursion_known = n;
		else if (streq(name, "events"))
			total->events = n;
		else if (streq(name, "inflight_unknown"))
			total->inflight_unknown = n;
		else if (streq(name, "cut"))
			total->cut = n;
	}
	free(text);
}
