// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Chrome trace events (the JSON object format), for Perfetto and chrome://tracing. A device is a
 * process, and its commands are slices on lanes: one is on the first lane that has been free since
 * it was submitted, so the slices of a lane never overlap.
 */
#include <stdlib.h>

#include "cmd/export/export_format.h"
#include "lib/base/str.h"
#include "lib/session/lookup.h"

/* A device, by session_device(); its number in the list is its pid. */
struct chrome_dev {
	u32 device; /* must be first: export_device() */
	u32 n_lanes;
	u64 *end_ns; /* of the last slice of each lane */
};

struct chrome {
	struct chrome_dev *devs;
	u32 n;
	bool any; /* a record was written */
};

#define NAME_BYTES 128 /* of a device with its host, of a process */
#define STRING_MAX (JSON_STRING_ROOM(NAME_BYTES) + 1)

/* A name as a string of JSON. */
static const char *string(const char *s, char buf[STRING_MAX])
{
	char name[NAME_BYTES];
	int len = snprintf(name, sizeof(name), "%s", s ? s : "");

	*json_string(buf, name, len < NAME_BYTES ? (size_t)len : NAME_BYTES - 1) = '\0';
	return buf;
}

static const char *comma(struct export *e)
{
	struct chrome *c = e->state;
	const char *text = c->any ? ",\n" : "\n";

	c->any = true;
	return text;
}

static void chrome_begin(struct export *e)
{
	export_text(e, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
}

static struct chrome_dev *dev_of(struct export *e, const struct view *v, u32 *pid)
{
	struct chrome *c = e->state;
	struct chrome_dev *dev;
	char name[STRING_MAX];
	u32 known = c->n;

	dev = export_device(e, v, (void **)&c->devs, &c->n, sizeof(*dev));
	if (!dev)
		return NULL;
	*pid = (u32)(dev - c->devs) + 1;
	if (c->n > known)
		export_text(
			e,
			"%s{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%u,\"args\":{\"name\":%s}}",
			comma(e), *pid, string(v->dev, name));
	return dev;
}

/* The lane of a command, from 1 on; 0: no memory. */
static u32 lane_of(struct export *e, struct chrome_dev *dev, const struct event *ev)
{
	u32 lane = 0;

	while (lane < dev->n_lanes && dev->end_ns[lane] > ev->submit_ns)
		lane++;
	if (lane == dev->n_lanes &&
	    !export_more(e, (void **)&dev->end_ns, dev->n_lanes++, sizeof(*dev->end_ns)))
		return 0;
	dev->end_ns[lane] = ev->submit_ns + event_lat_ns(ev);
	return lane + 1;
}

/* Writes the arguments of a slice that are known. */
static void put_args(struct export *e, const struct view *v)
{
	const struct trace_row *row = &e->row;
	char comm[STRING_MAX];

	export_text(e, "\"args\":{\"qid\":%u,\"cid\":%u", row->qid, (u32)row->cid);
	if (row->slba != UNKNOWN64)
		export_text(e, ",\"slba\":%llu", (unsigned long long)row->slba);
	export_text(e, ",\"bytes\":%llu", (unsigned long long)row->bytes);
	if (event_status(v->ev) != WIRE_UNKNOWN_STATUS)
		export_text(e, ",\"status\":\"%s\"", event_failed(v->ev) ? row->sct_sc : "ok");
	if (row->comm)
		export_text(e, ",\"pid\":%u,\"comm\":%s", v->ev->pid, string(row->comm, comm));
	export_text(e, "}}");
}

static void chrome_complete(struct export *e, const struct view *v)
{
	u64 lat_ns = event_lat_ns(v->ev), start_ns = session_start_ns(e->s);
	/* A flight recorder keeps commands that began before its file does. */
	bool before = v->ev->submit_ns < start_ns;
	u64 at_ns = before ? start_ns - v->ev->submit_ns : v->ev->submit_ns - start_ns;
	struct chrome_dev *dev;
	u32 pid, lane;

	dev = dev_of(e, v, &pid);
	lane = dev ? lane_of(e, dev, v->ev) : 0;
	if (!lane)
		return;
	export_text(e,
		    "%s{\"name\":\"%s\",\"cat\":\"%s\",\"ph\":\"X\",\"ts\":%s%llu.%03u,"
		    "\"dur\":%llu.%03u,\"pid\":%u,\"tid\":%u,",
		    comma(e), e->row.op, v->ev->flags & EVENT_ADMIN ? "admin" : "io",
		    before ? "-" : "", (unsigned long long)(at_ns / 1000), (u32)(at_ns % 1000),
		    (unsigned long long)(lat_ns / 1000), (u32)(lat_ns % 1000), pid, lane);
	put_args(e, v);
}

static void chrome_tick(struct export *e, const struct tick *t)
{
	if (t->last)
		export_text(e, "\n]}\n");
}

static void chrome_close(struct export *e)
{
	struct chrome *c = e->state;

	for (u32 i = 0; i < c->n; i++)
		free(c->devs[i].end_ns);
	free(c->devs);
}

const struct export_format export_chrome = {
	.state_bytes = sizeof(struct chrome),
	.required = NEED_SQE | NEED_STATUS | NEED_PID | NEED_COMM,
	.begin = chrome_begin,
	.complete = chrome_complete,
	.tick = chrome_tick,
	.close = chrome_close,
};
