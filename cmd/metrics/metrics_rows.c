// SPDX-License-Identifier: GPL-2.0-or-later
/* Labels of keys, and the sums of those that share them. */
#include "cmd/metrics/metrics_rows.h"

#include <errno.h>

#include "cmd/metrics/expo.h"
#include "lib/base/str.h"

#define LABELS_MAX 3072 /* bytes of all labels of a row */

/* A row of r->labels. */
struct labels {
	struct group_key key;
	char *text; /* NULL: not made yet */
};

int metrics_rows_open(struct metrics_rows *r, const struct group *group,
		      const struct latency_cfg *cfg, u32 limit)
{
	*r = (struct metrics_rows){ .group = group, .cfg = cfg, .limit = limit };
	r->labels = group_table_open(sizeof(struct group_key), sizeof(struct labels), limit);
	r->row = calloc(limit + 1, sizeof(*r->row));
	return r->labels && r->row ? 0 : -ENOMEM;
}

void metrics_rows_close(struct metrics_rows *r)
{
	u32 n = r->labels ? group_table_sort(r->labels, NULL, NULL) : 0;

	for (u32 i = 0; i < n; i++)
		free(((const struct labels *)group_table_at(r->labels, i))->text);
	group_table_close(r->labels);
	free(r->row);
	*r = (struct metrics_rows){ 0 };
}

/* An admin command whose opcode has no name must not be taken for an I/O command. */
static const char *operation(const struct group_row *row, char *buf, size_t size)
{
	if (row->admin != 1 || !row->op || !has_prefix(row->op, "0x"))
		return row->op;
	snprintf(buf, size, "admin:%s", row->op);
	return buf;
}

static char *make_labels(const struct group *g, const struct group_key *key)
{
	char text[LABELS_MAX] = "", name[2 * NVME_OPCODE_NAME_MAX];
	struct group_row row;

	group_row_fill(&row, g, key);
	if (group_has(g, KEY_CTRL))
		expo_label(text, sizeof(text), "controller", row.ctrl ? row.ctrl : "");
	if (group_has(g, KEY_DEV))
		expo_label(text, sizeof(text), "device", row.dev);
	if (group_has(g, KEY_OPCODE))
		expo_label(text, sizeof(text), "operation", operation(&row, name, sizeof(name)));
	if (group_has(g, KEY_CGROUP))
		expo_label(text, sizeof(text), "cgroup", row.cgroup ? row.cgroup : "");
	return strdup(text);
}

static const char *labels_of(struct metrics_rows *r, const struct group_key *key)
{
	struct labels *labels = group_table_row(r->labels, key->other ? NULL : key);

	if (!labels->text)
		labels->text = make_labels(r->group, &labels->key);
	return labels->text;
}

static void add_hist(struct metrics_hist *to, const struct metrics_hist *from)
{
	for (u32 i = 0; i <= EDGES; i++)
		to->counts[i] += from->counts[i];
	latency_cell_add(&to->sum, &from->sum);
}

static void add(struct metrics_row *to, const struct metrics_row *from)
{
	add_hist(&to->command, &from->command);
	add_hist(&to->block, &from->block);
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct metrics_row *)a)->labels,
		      ((const struct metrics_row *)b)->labels);
}

/* Makes one row of neighbours with the same labels. */
static void join(struct metrics_rows *r)
{
	u32 last = 0;

	for (u32 i = 1; i < r->n; i++) {
		if (streq(r->row[last].labels, r->row[i].labels))
			add(&r->row[last], &r->row[i]);
		else
			r->row[++last] = r->row[i];
	}
	if (r->n)
		r->n = last + 1;
}

static void fill_hist(struct metrics_hist *to, const struct hist_cfg *hist,
		      const struct latency_cell *cell)
{
	to->sum = *cell;
	edges_count(hist, latency_buckets(cell), to->counts);
}

/* False: no memory. */
static bool fill(struct metrics_rows *r, struct metrics_row *row, const struct latency_sum *sum)
{
	const struct hist_cfg *hist = &r->cfg->hist;

	*row = (struct metrics_row){ .labels = labels_of(r, &sum->key) };
	fill_hist(&row->command, hist, &sum->sum);
	if (r->cfg->flags & LATENCY_BOTH)
		fill_hist(&row->block, hist, latency_second(&sum->sum, hist));
	return row->labels;
}

int metrics_rows_make(struct metrics_rows *r, struct group_table *table)
{
	u32 n = group_table_sort(table, NULL, NULL);

	for (r->n = 0; r->n < n && r->n <= r->limit; r->n++)
		if (!fill(r, &r->row[r->n], group_table_at(table, r->n)))
			return -ENOMEM;
	qsort(r->row, r->n, sizeof(*r->row), compare);
	join(r);
	return 0;
}
