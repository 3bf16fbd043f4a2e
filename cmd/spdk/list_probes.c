// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints the probes of processes: --list. */
#include "cmd/spdk/spdk.h"
#include "lib/base/str.h"
#include "lib/session/meta.h"

struct list {
	const struct invocation *inv;
	const struct spdk_targets *t;
};

/*
 * Writes the names of the arguments that a hit shows, "ctrlr thread", and returns how many they are.
 */
static u32 put_names(const struct spdk_shape *shape, char *buf, size_t size)
{
	size_t len = 0;
	u32 n = 0;

	buf[0] = '\0';
	for (u32 i = 0; i < shape->n_args; i++) {
		if (shape->arg[i].type == SPDK_HIDDEN || shape->arg[i].type == SPDK_TSC)
			continue;
		if (len < size)
			len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? " " : "",
						shape->arg[i].name);
		n++;
	}
	return n;
}

static bool same_probe(const struct spdk_place *a, const struct spdk_place *b)
{
	return a->target == b->target && streq(a->at->probe->name, b->at->probe->name);
}

/* Prints the probe of place @i; returns the first place of another one. */
static u32 put_probe(struct out *o, const struct spdk_targets *t, u32 i)
{
	const struct spdk_place *first = &t->place[i];
	const struct usdt_process *p = &t->target[first->target].process;
	const struct spdk_shape *shape = &first->site.shape;
	char names[256];
	struct spdk_probe_row row = {
		.pid = p->pid,
		.comm = p->comm,
		.probe = first->at->probe->name,
		.set = spdk_set_word(shape->set),
		.args = put_names(shape, names, sizeof(names)),
		.file = p->mapped[first->at->file].path,
		.spec = first->at->probe->args,
		.shape = shape->known ? names : NULL,
	};

	for (; i < t->n_places && same_probe(first, &t->place[i]); i++) {
		row.places++;
		row.unreadable = row.unreadable ? row.unreadable : t->place[i].why;
	}
	out_row(o, &spdk_probe_schema, &row);
	return i;
}

static int put_all(struct out *o, const void *ctx)
{
	const struct list *list = ctx;
	int err;

	out_only(o, &spdk_probe_schema);
	if (list->t->n > 1 && !list->inv->common.output.columns)
		out_show(o, "pid", true);
	err = out_begin(o);
	if (err)
		return err;
	meta_put(o, list->inv, NULL);
	for (u32 i = 0; i < list->t->n_places;)
		i = put_probe(o, list->t, i);
	out_ends(o);
	return 0;
}

int spdk_list(const struct invocation *inv, const struct spdk_targets *t)
{
	const struct list list = { inv, t };

	return cmd_print(inv, put_all, &list);
}
