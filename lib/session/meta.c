// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes the members of "meta" that every command has. */
#include "lib/session/meta.h"

#include <sys/utsname.h>
#include "lib/base/clock.h"
#include "lib/base/str.h"
#include "lib/cli/expr.h"

static void put_argv(struct json *j, const struct invocation *inv)
{
	json_array(j, "argv");
	for (int i = 0; i < inv->argc; i++)
		json_str(j, NULL, inv->argv[i]);
	json_end(j);
}

/* Describes this machine as the head of a recording does. */
static struct record_head here(const struct utsname *system, u64 start_ns)
{
	return (struct record_head){
		.host = system->nodename,
		.kernel = system->release,
		.arch = system->machine,
		.start_ns = start_ns ? start_ns : clock_ns(CLOCK_MONOTONIC),
		.wall_offset_ns = clock_wall_offset(),
	};
}

void meta_fill(struct json *j, const struct invocation *inv, const struct record_head *recorded,
	       u64 start_ns)
{
	struct utsname system = { 0 };
	struct record_head head;
	char ts[48];

	uname(&system);
	head = recorded ? *recorded : here(&system, start_ns);
	out_rfc3339(head.start_ns + (u64)head.wall_offset_ns, true, ts, sizeof(ts));
	json_str(j, "schema", META_SCHEMA);
	json_str(j, "version", NVT_VERSION);
	json_str(j, "command", inv->cmd->name);
	put_argv(j, inv);
	json_str(j, "host", head.host);
	json_str(j, "kernel", head.kernel);
	json_str(j, "arch", head.arch);
	json_str(j, "ts", ts);
	json_u64(j, "time_ns", head.start_ns + (u64)head.wall_offset_ns);
	json_u64(j, "mono_ns", head.start_ns);
}

void meta_put(struct out *o, const struct invocation *inv, const struct record_head *recorded)
{
	struct json *j = inv->common.output.meta ? out_json_begin(o, "meta") : NULL;

	if (!j)
		return;
	meta_fill(j, inv, recorded, 0);
	out_json_end(o);
}

static void put_condition(struct json *j, const struct expr *e, const struct expr_condition *c)
{
	char text[256], ts[48];

	snprintf(text, sizeof(text), "%.*s", (int)c->text_len, c->text);
	out_rfc3339(c->wall_ns, true, ts, sizeof(ts));
	json_object(j, NULL);
	json_str(j, "condition", text);
	json_str(j, "op", c->op[0] ? c->op : NULL);
	json_str(j, "row", c->row[0] ? c->row : NULL);
	json_array(j, "values");
	for (u32 t = c->first; t < c->end; t++)
		json_f64(j, NULL, e->terms[t].found);
	json_end(j);
	json_str(j, "ts", ts);
	json_u64(j, "time_ns", c->wall_ns);
	json_end(j);
}

static void put_none_of(struct json *j, const struct expr *e, const struct expr_term *term)
{
	struct expr_condition none = { .wall_ns = e->none_ns };
	char text[128];

	expr_none_text(e, term, text, sizeof(text));
	none.text = text;
	none.text_len = (u32)strlen(text);
	snprintf(none.op, sizeof(none.op), "%s", term->op);
	put_condition(j, e, &none);
}

void meta_put_conditions(struct json *j, const struct expr *e)
{
	const struct expr_condition none = {
		.text = e->none,
		.text_len = e->none ? (u32)strlen(e->none) : 0,
		.wall_ns = e->none_ns,
	};

	json_array(j, "fail_if");
	if (e->none)
		put_condition(j, e, &none);
	for (u32 t = 0; t < e->n_terms; t++) {
		if (e->terms[t].none)
			put_none_of(j, e, &e->terms[t]);
	}
	for (u32 i = 0; i < e->n_conditions; i++) {
		if (e->conditions[i].failed)
			put_condition(j, e, &e->conditions[i]);
	}
	json_end(j);
}
