// SPDX-License-Identifier: GPL-2.0-or-later
/* The life of a struct out, and what all formats share. */
#include <stdarg.h>
#include <time.h>

#include "lib/base/err.h"
#include "lib/base/escape.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/out/out_impl.h"

static const struct out_format *const formats[] = {
#define FORMAT(id, word, help) &out_format_##word,
#include "lib/out/format.def"
#undef FORMAT
};

int out_open(struct out **out, const struct output_opts *opts, const struct schema *const *schemas)
{
	struct out *o = calloc(1, sizeof(*o));
	int err;

	if (!o)
		return fail(-ENOMEM, NULL, NULL, "cannot write output");
	o->opts = opts;
	o->format = opts->format < ARRAY_SIZE(formats) ? formats[opts->format] : &out_format_text;
	o->json.o = o;
	o->utc.sec = o->local.sec = ~0ULL;
	for (; schemas && schemas[o->n_plans] && o->n_plans < OUT_SCHEMAS; o->n_plans++) {
		o->plans[o->n_plans].schema = schemas[o->n_plans];
		o->plans[o->n_plans].fields = schemas[o->n_plans]->fields;
	}
	err = sink_open(&o->sink, opts->file, opts->for_owner);
	if (err) {
		free(o);
		return err;
	}
	*out = o;
	return 0;
}

static bool has_field(const struct out *o, const char *name)
{
	const struct field *f;
	unsigned int i;

	for (i = 0; i < o->n_plans; i++) {
		for (f = o->plans[i].fields; f->type; f++) {
			if (streq(f->name, name))
				return true;
		}
	}
	return false;
}

int out_show(struct out *o, const char *field, bool visible)
{
	unsigned int i = 0;

	while (i < o->n_shows && !streq(o->shows[i].name, field))
		i++;
	if (!has_field(o, field) || i == OUT_SHOWS)
		return -ENOENT;
	o->n_shows += i == o->n_shows;
	o->shows[i].name = field;
	o->shows[i].visible = visible;
	return 0;
}

void out_show_with(struct out *o, char letter, bool given)
{
	for (u32 i = 0; given && i < o->n_plans; i++) {
		for (const struct field *f = o->plans[i].fields; f->type; f++) {
			if (f->with && strchr(f->with, letter))
				out_show(o, f->name, true);
		}
	}
}

void out_fields(struct out *o, const struct schema *schema, const struct field *fields)
{
	unsigned int i;

	for (i = 0; i < o->n_plans; i++) {
		if (o->plans[i].schema == schema)
			o->plans[i].fields = fields;
	}
}

void out_only(struct out *o, const struct schema *schema)
{
	for (unsigned int i = 0; i < o->n_plans; i++) {
		if (o->plans[i].schema == schema)
			o->plans[0] = o->plans[i];
	}
	o->n_plans = 1;
}

int out_settle(struct out *o)
{
	if (o->settled)
		return 0;
	o->settled = true;
	return out_plan(o);
}

int out_replan(struct out *o)
{
	int err;

	out_lay_out(o);
	for (unsigned int i = 0; i < o->n_plans; i++)
		free(o->plans[i].columns);
	err = out_plan(o);
	o->screen = 0;
	return err;
}

void out_mark_column(struct out *o, const char *name)
{
	o->marked = name;
}

int out_begin(struct out *o)
{
	int err = out_settle(o);

	return err ? err : sink_replace(&o->sink);
}

void out_put(struct out *o, const char *s, size_t n)
{
	char *p = sink_reserve(&o->sink, n);

	if (!p)
		return;
	memcpy(p, s, n);
	o->sink.end += n;
}

void out_row(struct out *o, const struct schema *schema, const void *row)
{
	unsigned int i;

	if (!o->settled && out_begin(o))
		return;
	for (i = 0; i < o->n_plans && o->plans[i].schema != schema; i++)
		;
	if (i == o->n_plans || !sink_line(&o->sink, 0))
		return;
	o->records += o->plans[i].n > 0;
	o->format->row(o, &o->plans[i], row);
}

void out_text(struct out *o, const char *fmt, ...)
{
	char line[1024];
	va_list args;
	int n;

	if (!o->format->free_text)
		return;
	va_start(args, fmt);
	n = vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	if (n > 0)
		out_text_piece(o, line, (size_t)n < sizeof(line) ? (size_t)n : sizeof(line) - 1);
}

void out_text_safe(struct out *o, const char *s)
{
	char text[1024];

	while (*s && o->format->free_text)
		out_text_piece(o, text, escape_name(&s, "", text, sizeof(text)));
}

void out_report(struct out *o)
{
	if (o->format->report)
		o->format->report(o);
}

struct json *out_json_begin(struct out *o, const char *type)
{
	return o->format->begin_record ? o->format->begin_record(o, type) : NULL;
}

void out_json_end(struct out *o)
{
	o->format->end_record(o);
}

void out_text_time(struct out *o, u64 wall_ns)
{
	struct out_stamp stamp;

	if (!o->opts->timestamp)
		return;
	out_stamp(&stamp, wall_ns, o->opts->utc, 0);
	out_text(o, "%s\n", stamp.time);
}

void out_line(struct out *o, const char *line)
{
	size_t room = strlen(line) * 4 + 2, n;
	char *p;

	out_lay_out(o);
	if (!sink_line(&o->sink, 0))
		return;
	p = sink_reserve(&o->sink, room);
	if (!p)
		return;
	o->records++;
	n = escape_text(line, p, room);
	p[n] = '\n';
	o->sink.end += n + 1;
}

void out_bytes(struct out *o, const void *data, size_t n)
{
	if (!sink_line(&o->sink, 0))
		return;
	out_put(o, data, n);
}

const struct output_opts *out_opts(const struct out *o)
{
	return o->opts;
}

void out_ends(struct out *o)
{
	if (o->format->end)
		o->format->end(o);
}

bool out_is_flat(const struct out *o)
{
	return o->format->all_fields && !o->format->begin_record;
}

int out_flush(struct out *o)
{
	out_lay_out(o);
	return sink_push(&o->sink);
}

int out_error(const struct out *o)
{
	return o->sink.err;
}

int out_fd(const struct out *o)
{
	return o->sink.fd;
}

size_t out_pending(struct out *o)
{
	out_lay_out(o);
	return o->sink.end - o->sink.start;
}

u64 out_records(const struct out *o)
{
	return o->records;
}

u64 out_dropped(const struct out *o)
{
	return o->sink.dropped;
}

void out_mark(struct out *o)
{
	if (!o->format->mark || !o->format->mark(o))
		sink_mark(&o->sink);
}

u64 out_marks_pending(struct out *o)
{
	out_lay_out(o);
	return sink_marks_pending(&o->sink);
}

void out_patient(struct out *o, int wake_fd)
{
	o->sink.patient = true;
	o->sink.wake_fd = wake_fd;
}

void out_patient_until(struct out *o, u64 ns)
{
	o->sink.until_ns = ns;
}

void out_hurry(struct out *o)
{
	o->sink.patient = false;
}

int out_drain(struct out *o, int timeout_ms)
{
	out_lay_out(o);
	return sink_drain(&o->sink, timeout_ms);
}

int out_close(struct out *o)
{
	unsigned int i;
	int err;

	if (!o)
		return 0;
	out_lay_out(o);
	err = sink_close(&o->sink);
	free(o->held.buf);
	free(o->line);
	for (i = 0; i < o->n_plans; i++)
		free(o->plans[i].columns);
	free(o);
	return err;
}

/* Writes the zone: "+02:00", or "Z" for UTC. */
static void put_zone(char *zone, size_t size, const struct tm *tm, bool utc)
{
	long minutes = tm->tm_gmtoff / 60;
	char sign = minutes < 0 ? '-' : '+';

	if (minutes < 0)
		minutes = -minutes;
	if (utc)
		snprintf(zone, size, "Z");
	else
		snprintf(zone, size, "%c%02d:%02d", sign, (int)(minutes / 60 % 24),
			 (int)(minutes % 60));
}

/* Brings the text up to the second of @wall_ns, and returns the nanoseconds in that second. */
static u64 set_clock(struct clock_text *c, bool utc, u64 wall_ns)
{
	s64 sec = (s64)wall_ns / 1000000000, ns = (s64)wall_ns % 1000000000;
	time_t t;
	struct tm tm = { 0 };

	if (ns < 0) { /* before 1970 */
		ns += 1000000000;
		sec--;
	}
	t = (time_t)sec;
	if (c->sec != (u64)sec) {
		c->sec = (u64)sec;
		if (utc)
			gmtime_r(&t, &tm);
		else
			localtime_r(&t, &tm);
		c->len =
			(unsigned int)strftime(c->text, sizeof(c->text), "%Y-%m-%dT%H:%M:%S.", &tm);
		put_zone(c->zone, sizeof(c->zone), &tm, utc);
	}
	return (u64)ns;
}

char *out_put_time(struct clock_text *c, bool utc, u64 wall_ns, char *p)
{
	u64 ns = set_clock(c, utc, wall_ns);

	p = fmt_copy(p, c->text, c->len);
	p = fmt_padded(p, ns, 9);
	if (utc) {
		*p = 'Z';
		return p + 1;
	}
	memcpy(p, c->zone, sizeof(c->zone));
	return p + strlen(c->zone);
}

char *out_put_time_of_day(struct clock_text *c, bool utc, u64 wall_ns, u32 decimals, char *p)
{
	u64 ns = set_clock(c, utc, wall_ns);

	p = fmt_copy(p, c->text + strlen("2026-11-21T"), strlen("06:59:43"));
	if (!decimals)
		return p;
	for (u32 i = decimals; i < 9; i++)
		ns /= 10;
	*p++ = '.';
	return fmt_padded(p, ns, decimals);
}

void out_stamp(struct out_stamp *stamp, u64 wall_ns, bool utc, u32 decimals)
{
	struct clock_text c = { .sec = ~0ULL };

	*out_put_time_of_day(&c, utc, wall_ns, decimals, stamp->time) = '\0';
	snprintf(stamp->date, sizeof(stamp->date), "%.10s", c.text);
	snprintf(stamp->zone, sizeof(stamp->zone), "%s", c.zone);
}

void out_rfc3339(u64 wall_ns, bool utc, char *buf, size_t size)
{
	struct clock_text c = { .sec = ~0ULL };
	char text[64], *end = out_put_time(&c, utc, wall_ns, text);

	snprintf(buf, size, "%.*s", (int)(end - text), text);
}
