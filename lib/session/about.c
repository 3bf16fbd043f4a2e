// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes controllers and selection as a line of text, and as JSON. */
#include "lib/session/about.h"

#include <inttypes.h>
#include <stdlib.h>

#include "lib/base/str.h"

#define GROUP	'\x1d'
#define RECORD	'\x1e'
#define UNIT	'\x1f'

#define MIN_LAT "min_lat_ns" /* the only number among the items of a selection */

static void write_field(FILE *f, const char *s)
{
	for (; *s; s++)
		fputc((unsigned char)*s < ' ' ? ' ' : *s, f);
}

/* Closes @f and returns the text written to it, or NULL if memory ran out. */
static char *finish(FILE *f, char **text)
{
	bool failed = ferror(f);

	if (!fclose(f) && !failed)
		return *text;
	free(*text);
	return NULL;
}

char *about_ctrls(const struct sysfs *sysfs)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (u32 i = 0; f && i < sysfs->n_ctrls; i++) {
		const struct sysfs_ctrl *ctrl = &sysfs->ctrls[i];
		const char *fields[] = { ctrl->name, ctrl->transport, ctrl->model, ctrl->serial,
					 ctrl->firmware };

		if (i)
			fputc(RECORD, f);
		fprintf(f, "%" PRId32, ctrl->ctrl_id);
		for (u32 k = 0; k < ARRAY_SIZE(fields); k++) {
			fputc(UNIT, f);
			write_field(f, fields[k]);
		}
	}
	return f ? finish(f, &text) : NULL;
}

static void write_list(FILE *f, const char *name, const struct opt_list *list)
{
	if (!list->n)
		return;
	fprintf(f, "%c%s", RECORD, name);
	for (u32 i = 0; i < list->n; i++) {
		fputc(UNIT, f);
		write_field(f, list->word[i]);
	}
}

char *about_filters(const struct selection *sel, const char *before)
{
	const struct {
		const char *name;
		const struct opt_list *list;
	} lists[] = {
		{ "ctrl_id", &sel->ctrl }, { "nsid", &sel->nsid },     { "device", &sel->device },
		{ "qid", &sel->qid },	   { "opcode", &sel->opcode }, { "pid", &sel->pid },
		{ "comm", &sel->comm },	   { "cgroup", &sel->cgroup }, { "size", &sel->size },
		{ "lba", &sel->lba },	   { "status", &sel->status }, { "time", &sel->time },
	};
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	if (before && *before)
		fprintf(f, "%s%c", before, GROUP);
	for (u32 i = 0; i < ARRAY_SIZE(lists); i++)
		write_list(f, lists[i].name, lists[i].list);
	if (sel->min_lat_ns)
		fprintf(f, "%c" MIN_LAT "%c%" PRIu64, RECORD, UNIT, sel->min_lat_ns);
	return finish(f, &text);
}

/* Copies the field that @text begins with. Returns its end: a separator, or that of the text. */
static const char *take_field(const char *text, char *field, size_t size)
{
	static const char separators[] = { UNIT, RECORD, GROUP, '\0' };
	size_t len = strcspn(text, separators);

	snprintf(field, size, "%.*s", (int)len, text);
	return text + len;
}

/* The text behind the next @separator; without one, the end of the text. */
static const char *behind(const char *text, char separator)
{
	const char *end = strchrnul(text, separator);

	return *end ? end + 1 : end;
}

const char *about_ctrl_fields(const char *text, char fields[ABOUT_CTRL_FIELDS][ABOUT_FIELD])
{
	if (!text || !*text)
		return NULL;
	for (u32 i = 0; i < ABOUT_CTRL_FIELDS; i++) {
		text = take_field(text, fields[i], ABOUT_FIELD);
		text += *text == UNIT;
	}
	return behind(text, RECORD);
}

void about_put_ctrls(struct json *j, const char *text)
{
	static const char *const names[] = { "ctrl", "transport", "model", "serial", "firmware" };
	char field[ABOUT_FIELD];

	for (; text && *text; text = behind(text, RECORD)) {
		text = take_field(text, field, sizeof(field));
		json_object(j, NULL);
		json_s64(j, "ctrl_id", strtol(field, NULL, 10));
		for (u32 i = 0; i < ARRAY_SIZE(names); i++) {
			bool there = *text == UNIT;

			if (there)
				text = take_field(text + 1, field, sizeof(field));
			json_str(j, names[i], there ? field : NULL);
		}
		json_end(j);
	}
}

void about_put_filter(struct json *j, const char *text)
{
	char name[64], item[1024];

	while (*text == RECORD) {
		bool number;

		text = take_field(text + 1, name, sizeof(name));
		number = streq(name, MIN_LAT);
		if (number)
			json_u64(j, name, strtoull(text + (*text == UNIT), NULL, 10));
		else
			json_array(j, name);
		while (*text == UNIT) {
			text = take_field(text + 1, item, sizeof(item));
			if (!number)
				json_str(j, NULL, item);
		}
		if (!number)
			json_end(j);
	}
}

void about_put_filters(struct json *j, const char *text)
{
	for (; text && *text; text = behind(text, GROUP)) {
		if (*text == GROUP)
			continue;
		json_object(j, NULL);
		about_put_filter(j, text);
		json_end(j);
	}
}

/* Appends @separator and @field to @line, as far as they fit. */
static void append(char *line, size_t size, const char *separator, const char *field)
{
	size_t len = strlen(line);

	snprintf(line + len, size - len, "%s%s", separator, field);
}

const char *about_ctrl_line(const char *text, char *buf, size_t size)
{
	char fields[ABOUT_CTRL_FIELDS][ABOUT_FIELD];
	const char *rest = about_ctrl_fields(text, fields);

	if (!rest)
		return NULL;
	buf[0] = '\0';
	for (u32 i = 1; i < ABOUT_CTRL_FIELDS; i++) /* the number is in the name too */
		append(buf, size, buf[0] && fields[i][0] ? "  " : "", fields[i]);
	return rest;
}

const char *about_filter_line(const char *text, char *buf, size_t size)
{
	char field[1024];

	if (!text || !*text)
		return NULL;
	buf[0] = '\0';
	while (*text == RECORD) {
		text = take_field(text + 1, field, sizeof(field));
		append(buf, size, buf[0] ? " " : "", field);
		for (const char *mark = "="; *text == UNIT; mark = ",") {
			text = take_field(text + 1, field, sizeof(field));
			append(buf, size, mark, field);
		}
	}
	return behind(text, GROUP);
}

void about_lines(const char *text, const char *(*next)(const char *text, char *buf, size_t size),
		 const char *label, const char *none,
		 void (*put)(void *ctx, const char *label, const char *text), void *ctx)
{
	char part[512];

	while (text && (text = next(text, part, sizeof(part)))) {
		if (!part[0])
			continue;
		put(ctx, label, part);
		label = "";
	}
	if (*label)
		put(ctx, label, none);
}
