// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings about the load, and who makes it. */
#include <inttypes.h>

#include "cmd/report/report.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/host/cgroup.h"
#include "lib/nvme/spec.h"
#include "lib/session/lookup.h"

/* Sums of a device that find_...() gets one by one. */
struct device_at {
	struct report *r;
	u32 side;
	const struct find_device *d;
	const char *dev; /* never NULL */
};

static void each_device(struct report *r, u32 side, void (*look)(const struct device_at *at))
{
	struct group_table *devices = r->side[side].find.devices;
	u32 n = group_table_sort(devices, NULL, NULL);
	struct group_row keys;

	for (u32 i = 0; i < n; i++) {
		const struct find_device *d = group_table_at(devices, i);
		struct device_at at = { r, side, d, NULL };

		if (d->key.other)
			continue;
		group_row_fill(&keys, &r->find_groups.device, &d->key);
		at.dev = keys.dev ? keys.dev : "";
		look(&at);
	}
}

static void look_at_waits(const struct device_at *at)
{
	const struct find_device *d = at->d;
	struct finding_wait wait;
	char text[2][FMT_NUMBER], number[FMT_NUMBER];
	const char *sched = session_sched_name(at->r->s, d->sched);
	struct finding *f;

	if (!finding_waits(&d->waits, &wait))
		return;
	f = find_new(at->r, at->side, FINDING_QUEUE_WAIT,
		     wait.share >= finding_limit[LIMIT_WAIT_HIGH] ? FINDING_HIGH : FINDING_MEDIUM,
		     at->dev);
	f->weight = wait.share;
	finding_say(f,
		    "commands waited %s on average in the block layer%s%s, %s %% of their time, "
		    "and %s for the drive",
		    fmt_ns(text[0], wait.mean_ns, " ", 0), sched ? ", scheduler " : "",
		    sched ? sched : "", fmt_number(number, wait.share * 100, 0),
		    fmt_ns(text[1], (double)d->waits.drive_ns / (double)d->waits.count, " ", 0));
	finding_figure(f, "wait_ns", wait.mean_ns);
	finding_figure(f, "wait_pct", wait.share * 100);
	find_shows(at->r, f, "latency -Q -d %s", at->dev);
}

void find_waits(struct report *r, u32 side)
{
	each_device(r, side, look_at_waits);
}

static double median_of(const struct report *r, const struct latency_sum *row)
{
	return find_percentile(r, row, 50);
}

static void say_admin(struct report *r, u32 i, const struct latency_sum *row, double alone,
		      double beside)
{
	const struct find_ctrl *c = find_ctrl_of(r, &r->side[i], row->key.device);
	const char *last = c ? nvme_opcode_name(NVME_SET_ADMIN, c->opcode) : NULL;
	char text[2][FMT_NUMBER];
	struct group_row keys;
	struct finding *f;

	group_row_fill(&keys, &r->view[REPORT_OPS].group, &row->key);
	f = find_new(r, i, FINDING_ADMIN_OVERLAP,
		     beside >= finding_limit[LIMIT_ADMIN_HIGH] * alone ? FINDING_HIGH
								       : FINDING_MEDIUM,
		     keys.dev);
	find_op(f, keys.op);
	f->weight = beside / alone;
	finding_say(
		f,
		"half of the %ss took more than %s while an admin command was in flight, and %s otherwise",
		keys.op, fmt_ns(text[0], beside, " ", 0), fmt_ns(text[1], alone, " ", 0));
	if (c)
		finding_say(f, "; there were %" PRIu64 ", the last one %s", (uint64_t)c->admin,
			    last ? last : "of another kind");
	finding_figure(f, "beside_ns", beside);
	finding_figure(f, "alone_ns", alone);
	finding_figure(f, "count", (double)row->count);
	find_shows(r, f, "trace -q admin -c %d", session_queue(r->s, row->key.device)->ctrl_id);
}

void find_admin(struct report *r, u32 side)
{
	const struct find_sums *sums = &r->side[side].find;
	u32 n = group_table_sort(sums->beside, NULL, NULL);

	for (u32 i = 0; i < n; i++) {
		const struct latency_sum *beside = group_table_at(sums->beside, i), *alone;
		double with, without;

		alone = group_table_find(sums->alone, beside);
		if (beside->key.other || !alone ||
		    (double)beside->count < finding_limit[LIMIT_ADMIN_COUNT] ||
		    (double)alone->count < finding_limit[LIMIT_ADMIN_COUNT])
			continue;
		with = median_of(r, beside);
		without = median_of(r, alone);
		if (with >= finding_limit[LIMIT_ADMIN_FACTOR] * without)
			say_admin(r, side, beside, without, with);
	}
}

/* The process that sends most of something to the device, by find_who.flushes. */
static void say_who(const struct device_at *at, struct finding *f)
{
	struct group_table *who = at->r->side[at->side].find.who;
	u32 n = group_table_sort(who, NULL, NULL);
	const struct find_who *most = NULL;
	char share[FMT_NUMBER];
	u64 all = 0;

	for (u32 i = 0; i < n; i++) {
		const struct find_who *w = group_table_at(who, i);

		if (w->key.device != at->d->key.device)
			continue;
		all += w->flushes;
		if (!w->key.other && w->flushes && (!most || w->flushes > most->flushes))
			most = w;
	}
	if (!most)
		return;
	find_who(at->r, f, &most->key);
	finding_say(f, "; %s (%lld) sent %s %% of them", f->comm_room, (long long)f->pid,
		    fmt_number(share, (double)most->flushes * 100 / (double)all, 0));
}

static void look_at_flushes(const struct device_at *at)
{
	const struct find_device *d = at->d;
	u64 both = d->flushes + d->fua;
	double share = (double)both / (double)d->count;
	char number[FMT_NUMBER];
	struct finding *f;

	if ((double)both < finding_limit[LIMIT_FLUSH_COUNT] ||
	    share < finding_limit[LIMIT_FLUSH_SHARE])
		return;
	f = find_new(at->r, at->side, FINDING_FLUSH_LOAD, FINDING_MEDIUM, at->dev);
	f->weight = share;
	finding_say(f,
		    "%" PRIu64 " flushes and %" PRIu64 " writes with FUA are %s %% of all commands",
		    (uint64_t)d->flushes, (uint64_t)d->fua, fmt_number(number, share * 100, 0));
	say_who(at, f);
	finding_figure(f, "flushes", (double)d->flushes);
	finding_figure(f, "fua", (double)d->fua);
	finding_figure(f, "share_pct", share * 100);
	find_shows(at->r, f, "latency -O flush --by comm -d %s", at->dev);
}

void find_flushes(struct report *r, u32 side)
{
	each_device(r, side, look_at_flushes);
}

static void look_at_discards(const struct device_at *at)
{
	const struct find_device *d = at->d;
	double share = (double)d->discard_ns / (double)(d->lat_ns + !d->lat_ns);
	char number[FMT_NUMBER], text[FMT_NUMBER];
	struct finding *f;

	if ((double)d->discards < finding_limit[LIMIT_DISCARD_COUNT] ||
	    share < finding_limit[LIMIT_DISCARD_SHARE])
		return;
	f = find_new(at->r, at->side, FINDING_DISCARDS, FINDING_MEDIUM, at->dev);
	f->weight = share;
	finding_say(f, "%" PRIu64 " discards took %s each, %s %% of the time of all commands",
		    (uint64_t)d->discards,
		    fmt_ns(text, (double)d->discard_ns / (double)d->discards, " ", 0),
		    fmt_number(number, share * 100, 0));
	finding_figure(f, "discards", (double)d->discards);
	finding_figure(f, "share_pct", share * 100);
	find_shows(at->r, f, "latency -O dsm --by comm -d %s", at->dev);
}

void find_discards(struct report *r, u32 side)
{
	each_device(r, side, look_at_discards);
}

/* The cgroup that caused most of the writes, if the recording tells. */
static void say_owner(struct report *r, u32 side, struct finding *f)
{
	struct group_table *owners = r->side[side].table[REPORT_CGROUPS];
	u32 n = r->lacks & NEED_OWNER ? 0 : group_table_sort(owners, NULL, NULL);
	const struct latency_sum *most = NULL;
	char name[CGROUP_LABEL];
	struct group_row keys;

	for (u32 i = 0; i < n; i++) {
		const struct latency_sum *row = group_table_at(owners, i);

		if (!row->key.other && !row->key.unknown &&
		    (!most || row->sum.bytes > most->sum.bytes))
			most = row;
	}
	if (!most)
		return;
	group_row_fill(&keys, &r->view[REPORT_CGROUPS].group, &most->key);
	if (keys.cgroup && !streq(keys.cgroup, "/"))
		finding_say(f, "; most of all bytes are caused by the cgroup %s",
			    cgroup_label(keys.cgroup, name));
}

static void look_at_writeback(const struct device_at *at)
{
	const struct find_device *d = at->d;
	double share = (double)d->worker_written / (double)(d->written + !d->written);
	char bytes[UNITS_TEXT], number[FMT_NUMBER];
	struct finding *f;

	if ((double)d->worker_writes < finding_limit[LIMIT_WORKER_COUNT] ||
	    share < finding_limit[LIMIT_WORKER_SHARE])
		return;
	f = find_new(at->r, at->side, FINDING_WRITEBACK, FINDING_LOW, at->dev);
	f->weight = share;
	finding_say(f,
		    "%s %% of %s that were written are sent by workers of the kernel, for others",
		    fmt_number(number, share * 100, 0), units_size_brief(d->written, bytes));
	say_owner(at->r, at->side, f);
	finding_figure(f, "share_pct", share * 100);
	finding_figure(f, "bytes", (double)d->worker_written);
	find_shows(at->r, f, "latency --by cgroup -d %s", at->dev);
}

void find_writeback(struct report *r, u32 side)
{
	each_device(r, side, look_at_writeback);
}

/* A limit that commands do not keep. */
struct off {
	u64 bytes, checked, off, smaller;
	bool likely, crossing;
	const char *what;
};

static void say_misaligned(struct report *r, u32 side, const struct pattern_entry *row,
			   const struct off *off)
{
	double share = (double)off->off / (double)off->checked;
	double smaller = (double)off->smaller / (double)off->checked;
	struct group_row keys;
	char number[FMT_NUMBER];
	struct finding *f;

	group_row_fill(&keys, &r->pattern_group, &row->key);
	f = find_new(r, side, FINDING_MISALIGNED, FINDING_MEDIUM, keys.dev);
	f->weight = share;
	f->likely = off->likely;
	finding_say(f, "%s %% of %" PRIu64 " commands %s of %" PRIu64 " bytes, %s",
		    fmt_number(number, share * 100, 0), (uint64_t)off->checked,
		    off->crossing ? "cross a multiple" : "do not begin or end at multiples",
		    (uint64_t)off->bytes, off->what);
	if (off->smaller)
		finding_say(f, "; %s %% are smaller than that",
			    fmt_number(number, smaller * 100, 0));
	finding_figure(f, "off_pct", share * 100);
	finding_figure(f, "smaller_pct", smaller * 100);
	finding_figure(f, "bytes", (double)off->bytes);
	find_shows(r, f, "pattern -A -d %s", keys.dev ? keys.dev : "");
}

static bool is_off(const struct off *off)
{
	return off->bytes && off->bytes != ~0ULL &&
	       (double)off->checked >= finding_limit[LIMIT_OFF_COUNT] &&
	       (double)off->off >= finding_limit[LIMIT_OFF_SHARE] * (double)off->checked;
}

/* How many commands are smaller than @bytes, if that is a power of two; else fewer are counted. */
static u64 smaller_than(const struct pattern_sum *sum, u64 bytes)
{
	u64 smaller = 0;

	for (u32 slot = 0; slot < pattern_slot(bytes) && slot < PATTERN_SIZES; slot++)
		smaller += sum->sizes[slot];
	return smaller;
}

static struct off off_limit(const struct pattern_sum *sum, enum pattern_limit limit,
			    const char *what)
{
	const struct pattern_aligned *l = &sum->limits[limit];
	struct off off = { .bytes = l->bytes,
			   .checked = l->checked,
			   .off = l->off,
			   .crossing = limit == PATTERN_NOIOB,
			   .what = what };

	if (!off.crossing && l->checked == sum->count) /* sizes are those of all commands */
		off.smaller = smaller_than(sum, l->bytes);
	return off;
}

/*
 * Drives that state blocks of 512 bytes often have larger ones. Where a command is smaller, its user
 * knows better.
 */
static struct off off_page(const struct pattern_sum *sum)
{
	u64 page = (u64)finding_limit[LIMIT_OFF_PAGE];
	struct off off = { .bytes = smaller_than(sum, page) ? 0 : page,
			   .checked = sum->placed,
			   .likely = true,
			   .what = "the page of most drives, though none is smaller" };

	for (u32 slot = 0; slot < pattern_slot(page) && slot < PATTERN_ALIGNS; slot++)
		off.off += sum->aligns[slot];
	return off;
}

void find_misaligned(struct report *r, u32 side)
{
	struct group_table *t = r->side[side].pattern;
	u32 n = group_table_sort(t, NULL, NULL);

	for (u32 i = 0; i < n; i++) {
		const struct pattern_entry *row = group_table_at(t, i);
		const struct off offs[] = {
			off_limit(&row->sum, PATTERN_PHYSICAL, "the drive's physical block"),
			off_limit(&row->sum, PATTERN_NPWG,
				  "the granularity that the drive prefers for writes"),
			off_limit(&row->sum, PATTERN_NOIOB, "where the drive splits them"),
			off_page(&row->sum),
		};

		for (u32 at = 0; !row->key.other && at < ARRAY_SIZE(offs); at++)
			if (is_off(&offs[at])) {
				say_misaligned(r, side, row, &offs[at]);
				break;
			}
	}
}
