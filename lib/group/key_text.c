// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys as text: in columns, in a line of words, and as the name of a row for --fail-if. */
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/cli/expr.h"
#include "lib/event/counters.h"
#include "lib/group/key.h"
#include "lib/host/cgroup.h"
#include "lib/nvme/reqflags.h"

void group_emit_flags(struct json *j, const void *p)
{
	const struct group_row *row = p;

	if (row->flags == GROUP_NO_FLAGS) {
		json_null(j, "flags");
		return;
	}
	json_array(j, "flags");
	for (u32 i = 0; i < REQ_FLAG_MAX; i++) {
		if (row->flags >> i & 1)
			json_str(j, NULL, reqflags_name(i));
	}
	json_end(j);
}

/* Writes "sync|fua"; "" for no flags. */
void group_csv_flags(const void *p, char *buf, size_t size)
{
	const struct group_row *row = p;
	size_t n = 0;

	buf[0] = '\0';
	for (u32 i = 0; row->flags != GROUP_NO_FLAGS && i < REQ_FLAG_MAX && n < size; i++) {
		if (row->flags >> i & 1)
			n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? "|" : "",
					      reqflags_name(i));
	}
}

void group_text_cgroup(const struct out *o, const void *row, char *buf, size_t size)
{
	(void)o;
	cgroup_text(((const struct group_row *)row)->cgroup, buf, size);
}

void group_text_owner(const struct out *o, const void *row, char *buf, size_t size)
{
	(void)o;
	cgroup_text(((const struct group_row *)row)->owner, buf, size);
}

void group_text_file(const struct out *o, const void *p, char *buf, size_t size)
{
	const struct group_row *row = p;

	(void)o;
	if (row->file || row->file_text[0])
		snprintf(buf, size, "%s", row->file_text[0] ? row->file_text : row->file);
}

void group_text_flags(const struct out *o, const void *row, char *buf, size_t size)
{
	(void)o;
	group_csv_flags(row, buf, size);
	if (!buf[0])
		snprintf(buf, size, "-");
}

/* Writes the name: "Unrecovered Read Error"; SCT/SC where it has none. */
void group_text_status(const struct out *o, const void *p, char *buf, size_t size)
{
	const struct group_row *row = p;

	(void)o;
	if (row->status == GROUP_NO_NUMBER)
		snprintf(buf, size, "%s", row->other ? "(other)" : "-");
	else if (!row->status)
		snprintf(buf, size, "%s", row->failed ? row->sct_sc : "ok");
	else
		snprintf(buf, size, "%s", row->status_name ? row->status_name : row->sct_sc);
}

bool group_bad_status(const void *row)
{
	return ((const struct group_row *)row)->failed;
}

static const char *string_at(const struct group_row *row, size_t at)
{
	const char *s = at ? *(const char *const *)((const char *)row + at) : NULL;

	return s && *s ? s : NULL;
}

/* A key as text, "-" if it is not known. The text lies in @row or in @buf. */
static const char *value_of(const struct key_info *k, const struct group_row *row, char *buf,
			    size_t size)
{
	const char *s = string_at(row, k->text_at);
	s64 number = GROUP_NO_NUMBER;

	if (s)
		return s;
	if (k->number_at)
		number = *(const s64 *)((const char *)row + k->number_at);
	snprintf(buf, size, "-");
	if (k->text)
		k->text(NULL, row, buf, size);
	else if (number != GROUP_NO_NUMBER)
		*fmt_s64(buf, number) = '\0';
	return buf;
}

bool group_word_next(struct group_word *w, const struct group *g, const struct group_row *row)
{
	const struct key_info *k = row->other ? NULL : g->keys[w->at++];

	if (!k)
		return false;
	w->label = k->label;
	w->value = value_of(k, row, w->text, sizeof(w->text));
	w->dash = k->key == KEY_COMM && row->comm && streq(row->comm, "-");
	return true;
}

/* Adds a key to the name of a row, like "nvme0 comm=fio". */
static void name_add(const struct key_info *k, const struct group_row *row, char *buf, size_t size)
{
	const char *value = string_at(row, k->brief_at);
	char text[256];
	size_t n = strlen(buf);

	if (!value)
		value = value_of(k, row, text, sizeof(text));
	snprintf(buf + n, size - n, "%s%s%s%s", n ? " " : "", k->bare ? "" : k->label,
		 k->bare ? "" : "=", value);
}

/*
 * Writes the name of a row: first the keys that need no label, then the others. The opcode is left
 * out, because --fail-if names it itself.
 */
static void row_name(const struct group *g, const struct group_row *row, const char *more,
		     char *buf, size_t size)
{
	const struct key_info *k;
	size_t n;

	snprintf(buf, size, "%s", row->other ? "(other)" : "");
	if (row->other)
		return;
	for (int bare = 1; bare >= 0; bare--)
		for (u32 i = 0; (k = g->keys[i]); i++)
			if (k->bare == bare && k->key != KEY_OPCODE)
				name_add(k, row, buf, size);
	n = strlen(buf);
	if (more)
		snprintf(buf + n, size - n, "%s%s", n ? " " : "", more);
}

void group_check(const struct group *g, const struct group_row *row, struct expr_row *values)
{
	char name[EXPR_ROW_NAME];

	values->duration_ns = g->end_ns - g->start_ns;
	values->lost = counters_lost(session_counters(g->s));
	values->wall_ns = g->wall_ns;
	if (row) {
		row_name(g, row, values->name, name, sizeof(name));
		values->name = name;
		values->op = row->other ? NULL : row->op;
		values->some_op |= row->other;
	}
	session_check(g->s, values);
}
