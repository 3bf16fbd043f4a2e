// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings about the load of a device: flushes, discards, writeback, alignment. */
#include <inttypes.h>

#include "cmd/report/report.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/host/cgroup.h"

/* The load of a device. */
struct load {
	double all_ns, flush_ns, discard_ns;
	double written, by_workers; /* bytes */
	u32 flushes, fua, discards, worker_writes;
	u32 kind; /* any of the device's */
	/* By sender. */
	u32 flushes_by[LOG_SENDERS + 1]; /* and writes with FUA */
	u32 waited_by[LOG_SENDERS + 1]; /* for these */
	u32 waited;
	u32 discards_by[LOG_SENDERS + 1];
};

static void add(struct load *to, const struct log_command *c, const struct log_kind *kind)
{
	bool fua = kind->key.flags & LOG_FUA, flush = kind->key.opcode == OPCODE_FLUSH;
	double lat = (double)c->lat_ns;

	to->all_ns += lat;
	to->flushes += flush;
	to->fua += fua;
	to->flushes_by[c->sender] += flush || fua;
	if (c->waiter != LOG_NOBODY) {
		to->waited_by[c->waiter]++;
		to->waited++;
	}
	to->flush_ns += flush || fua ? lat : 0;
	if (kind->key.opcode == OPCODE_DSM) {
		to->discards++;
		to->discards_by[c->sender]++;
		to->discard_ns += lat;
	}
	if (kind->key.opcode != OPCODE_WRITE)
		return;
	to->written += c->bytes;
	if (kind->key.flags & LOG_WORKER) {
		to->worker_writes++;
		to->by_workers += c->bytes;
	}
}

/* Appends who sent most of them, or did @what else. */
static void say_who(struct report *r, struct finding *f, const u32 by[], u32 all, const char *what)
{
	const struct log *l = &r->side[f->side].log;
	char name[LOG_NAME], share[FMT_NUMBER];
	u32 most = 0;

	for (u32 i = 1; i < l->n_senders; i++)
		if (by[i] > by[most])
			most = i;
	if (r->lacks & NEED_COMM || l->sender[most]->key.other)
		return;
	snprintf(f->comm_room, sizeof(f->comm_room), "%s", l->sender[most]->comm);
	f->pid = log_sender_pid(l->sender[most]);
	finding_say(f, "; %s %s %s %% of them", log_sender_name(l, r->s, most, name), what,
		    fmt_number(share, by[most] * 100.0 / all, 0));
}

static void look_at_flushes(struct report *r, u32 side, const struct load *load, const char *dev)
{
	u64 both = load->flushes + load->fua;
	double share = load->flush_ns / load->all_ns;
	char number[FMT_NUMBER], word[FIND_WORD];
	u32 every = r->side[side].log.every;
	struct finding *f;

	if ((double)both < finding_limit[LIMIT_FLUSH_COUNT] ||
	    share < finding_limit[LIMIT_FLUSH_SHARE])
		return;
	f = find_new(r, side, FINDING_FLUSH_LOAD, FINDING_MEDIUM, dev);
	f->lost_s = load->flush_ns / 1e9 * every;
	finding_say(f, "%u flushes and %u writes with FUA took %s %% of the time of all commands",
		    load->flushes * every, load->fua * every, fmt_number(number, share * 100, 0));
	say_who(r, f, load->flushes_by, load->flushes + load->fua, "sent");
	if (load->waited)
		say_who(r, f, load->waited_by, load->flushes + load->fua, "waited for");
	finding_figure(f, "flushes", load->flushes * every);
	finding_figure(f, "fua", load->fua * every);
	finding_figure(f, "share_pct", share * 100);
	find_shows(r, f, "latency --table --by opcode,flags,%s --columns +qd -d %s",
		   load->waited ? "syncer" : "comm", find_quote(dev, word));
}

static void look_at_discards(struct report *r, u32 side, const struct load *load, const char *dev)
{
	double share = load->discard_ns / load->all_ns;
	char number[FMT_NUMBER], text[FMT_NUMBER], word[FIND_WORD];
	u32 every = r->side[side].log.every;
	struct finding *f;

	if (load->discards < finding_limit[LIMIT_DISCARD_COUNT] ||
	    share < finding_limit[LIMIT_DISCARD_SHARE])
		return;
	f = find_new(r, side, FINDING_DISCARDS, FINDING_MEDIUM, dev);
	f->lost_s = load->discard_ns / 1e9 * every;
	finding_say(f, "%u discards took %s each, %s %% of the time of all commands",
		    load->discards * every, fmt_ns(text, load->discard_ns / load->discards, " ", 0),
		    fmt_number(number, share * 100, 0));
	say_who(r, f, load->discards_by, load->discards, "sent");
	finding_figure(f, "discards", load->discards * every);
	finding_figure(f, "share_pct", share * 100);
	find_shows(r, f, "latency --table --by opcode,comm -d %s", find_quote(dev, word));
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

static void look_at_writeback(struct report *r, u32 side, const struct load *load, const char *dev)
{
	double share = load->by_workers / (load->written + 1);
	char bytes[UNITS_TEXT], number[FMT_NUMBER], word[FIND_WORD];
	u32 every = r->side[side].log.every;
	struct finding *f;

	if (load->worker_writes < finding_limit[LIMIT_WORKER_COUNT] ||
	    share < finding_limit[LIMIT_WORKER_SHARE])
		return;
	f = find_new(r, side, FINDING_WRITEBACK, FINDING_LOW, dev);
	f->weight = share;
	finding_say(f,
		    "%s %% of %s that were written are sent by workers of the kernel, for others",
		    fmt_number(number, share * 100, 0),
		    units_size_brief((u64)load->written * every, bytes));
	say_owner(r, side, f);
	finding_figure(f, "share_pct", share * 100);
	finding_figure(f, "bytes", load->by_workers * every);
	find_shows(r, f, "latency --table --by opcode,cgroup -d %s", find_quote(dev, word));
}

void find_load(struct report *r, u32 side)
{
	const struct log *l = &r->side[side].log;
	struct load *load = malloc(sizeof(*load));

	for (u32 k = 0; load && k < l->n_kinds; k++) {
		if (!find_is_first(l, k))
			continue;
		*load = (struct load){ 0 };
		for (u32 i = 0; i < l->n; i++)
			if (find_is_of(l, l->at[i].kind, l->kind[k]->key.device))
				add(load, &l->at[i], l->kind[l->at[i].kind]);
		look_at_flushes(r, side, load, find_device(r, side, k));
		look_at_discards(r, side, load, find_device(r, side, k));
		look_at_writeback(r, side, load, find_device(r, side, k));
	}
	free(load);
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
	char number[FMT_NUMBER], dev[FIND_WORD];
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
	find_shows(r, f, "pattern -A -d %s", find_quote(keys.dev ? keys.dev : "", dev));
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
