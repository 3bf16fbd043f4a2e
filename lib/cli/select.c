// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Turns the options that select commands into a struct filter: one reader per option, then what
 * they mean together.
 */
#include "lib/cli/select.h"

#include <unistd.h>

#include "bpf/shared/filter.h"
#include "lib/base/err.h"
#include "lib/base/glob.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/host/above.h"
#include "lib/host/cgroup.h"
#include "lib/host/probe.h"
#include "lib/nvme/spec.h"

#define ITEM_MAX 256

/* Text of a number in a macro. */
#define TEXT_OF(n) #n
#define TEXT(n)	   TEXT_OF(n)

struct build {
	struct filter *f;
	struct time_ranges *times; /* of --time */
	const struct device_dir *dir; /* NULL: every name is taken to exist */
	bool all_ctrls; /* -c -1 was among the items */
	bool admin_queue; /* -q named it */
	bool out; /* the item had a ! before it: it is left out */
	bool lacks; /* see take_again() */
	bool *misses; /* set where a name is not there, in place of a message; NULL: a message */
	bool all_but; /* every item of the list is left out */
	u32 host; /* whose commands the filter is for; DEVICE_ANY: all */
	u32 of; /* the host that the item names; DEVICE_ANY: it names none */
	bool named, taken; /* -c or -d: an item is to be in, and is of `host` */
	bool none; /* nothing of `host` is selected */
};

/* One option being read; error messages name it. */
struct reader {
	const char *option; /* "-c" */
	const char *want; /* what its items look like */
	int (*take)(struct build *b, const struct reader *r, const char *item);
};

static int bad_item(const struct reader *r, const char *item)
{
	return fail_usage(r->want, NULL, "%s %s", r->option, item);
}

static int too_many(const struct reader *r, const char *item, const char *bound)
{
	bool ranges = strstr(r->want, "range") != NULL;

	return fail_usage(bound, ranges ? "name fewer, or use ranges" : "name fewer", "%s %s",
			  r->option, item);
}

static int absent(const struct build *b, const struct reader *r, const char *item, const char *what)
{
	char known[300];

	if (b->misses) {
		*b->misses = true;
		return 0;
	}
	device_known(b->dir, known, sizeof(known));
	return fail(EXIT_AS(EXIT_NOTHING), what, known, "%s %s", r->option, item);
}

/*
 * Hands each comma-separated item of each repetition of the option to the reader: those with a !
 * before them, without it, when b->out is set, the others when it is not. Returns how many there
 * were, or an error.
 */
static int read_items(struct build *b, const struct reader *r, const struct opt_list *list)
{
	int n = 0;

	for (u32 i = 0; i < list->n; i++) {
		const char *at = list->word[i];

		for (;;) {
			size_t len = strcspn(at, ",");
			size_t out = *at == '!';
			char item[ITEM_MAX];
			int err;

			if (len == out || len >= sizeof(item))
				return bad_item(r, list->word[i]);
			memcpy(item, at + out, len - out);
			item[len - out] = '\0';
			err = (out > 0) == b->out ? r->take(b, r, item) : 0;
			if (err)
				return err;
			n += (out > 0) == b->out;
			if (!at[len])
				break;
			at += len + 1;
		}
	}
	return n;
}

/* Reads what is selected, then what is left out of it; of everything where nothing else is named. */
static int read_list(struct build *b, const struct reader *r, const struct opt_list *list)
{
	int n;

	b->out = false;
	n = read_items(b, r, list);
	if (n < 0)
		return n;
	b->out = true;
	b->all_but = !n;
	n = read_items(b, r, list);
	return n < 0 ? n : 0;
}

static int nothing_left(const struct reader *r, const char *item)
{
	return fail_usage("nothing is left of the selection", "leave out less", "%s !%s", r->option,
			  item);
}

/* Takes @out out of @ranges, at most FILTER_ITEMS of them. False: more are needed. */
static bool leave_out(struct range64 *ranges, u32 *n, struct range64 out)
{
	struct range64 left[2 * FILTER_ITEMS] = { 0 };
	u32 k = 0;

	for (u32 i = 0; i < *n; i++) {
		const struct range64 *r = &ranges[i];

		if (r->lo < out.lo)
			left[k++] = (struct range64){ r->lo, r->hi < out.lo ? r->hi : out.lo - 1 };
		if (r->hi > out.hi)
			left[k++] = (struct range64){ r->lo > out.hi ? r->lo : out.hi + 1, r->hi };
	}
	if (k > FILTER_ITEMS)
		return false;
	memcpy(ranges, left, k * sizeof(*left));
	*n = k;
	return true;
}

/* Before the first range that is left out of all: the numbers up to @most are in. */
static void begin_ranges(const struct build *b, struct range64 *ranges, u32 *n, u64 most)
{
	if (b->out && b->all_but && !*n)
		ranges[(*n)++] = (struct range64){ 0, most };
}

/* Adds @range to the @n @ranges. False: there is no room. */
static bool put_in(struct range64 *ranges, u32 *n, struct range64 range)
{
	if (*n == FILTER_ITEMS)
		return false;
	ranges[(*n)++] = range;
	return true;
}

static int choose_range(struct build *b, const struct reader *r, const char *item,
			struct range64 *ranges, u32 *n, struct range64 range)
{
	if (!(b->out ? leave_out(ranges, n, range) : put_in(ranges, n, range)))
		return too_many(r, item, "more than " TEXT(FILTER_ITEMS) " items");
	if (!*n && b->host == DEVICE_ANY)
		return nothing_left(r, item);
	b->none |= !*n;
	return 0;
}

static int take_range32(struct build *b, const struct reader *r, const char *item,
			struct range32 *ranges, u32 *n)
{
	struct range64 wide[FILTER_ITEMS], range;
	int err;

	if (units_range(item, units_count, &range.lo, &range.hi) || range.lo > UINT32_MAX ||
	    (range.hi > UINT32_MAX && range.hi != UINT64_MAX))
		return bad_item(r, item);
	if (range.hi > UINT32_MAX)
		range.hi = UINT32_MAX;
	for (u32 i = 0; i < *n; i++)
		wide[i] = (struct range64){ ranges[i].lo, ranges[i].hi };
	begin_ranges(b, wide, n, UINT32_MAX);
	err = choose_range(b, r, item, wide, n, range);
	for (u32 i = 0; i < *n; i++)
		ranges[i] = (struct range32){ (u32)wide[i].lo, (u32)wide[i].hi };
	return err;
}

static int take_range64(struct build *b, const struct reader *r, const char *item,
			units_parser *parse, struct range64 *ranges, u32 *n)
{
	struct range64 range;

	if (units_range(item, parse, &range.lo, &range.hi))
		return bad_item(r, item);
	begin_ranges(b, ranges, n, UINT64_MAX);
	return choose_range(b, r, item, ranges, n, range);
}

/* Checks the range @number of an item of -c or -n. @has tells whether something of it is there. */
static int check_there(const struct build *b, const struct reader *r, const char *item,
		       const char *number, bool (*has)(const struct build *b, u32 lo, u32 hi),
		       const char *what)
{
	struct build plain = { .f = b->f, .dir = b->dir, .host = DEVICE_ANY };
	struct range32 one[FILTER_ITEMS];
	u32 n = 0;
	int err = take_range32(&plain, r, number, one, &n);

	if (err || !b->dir || has(b, one[0].lo, one[0].hi))
		return err;
	return absent(b, r, item, what);
}

static bool has_ctrl(const struct build *b, u32 lo, u32 hi)
{
	return lo <= INT32_MAX && device_has_ctrl(b->dir, b->of, lo, hi);
}

/* 0 and the broadcast value belong to no namespace, but commands carry them. */
static bool has_nsid(const struct build *b, u32 lo, u32 hi)
{
	return !b->dir->live || lo == 0 || hi == UINT32_MAX || device_has_nsid(b->dir, lo, hi);
}

/* Says that there is no such host. */
static int no_host(const struct build *b, const struct reader *r, const char *item)
{
	char known[300];

	if (b->misses) {
		*b->misses = true;
		return 0;
	}
	device_known_hosts(b->dir, known, sizeof(known));
	return fail(EXIT_AS(EXIT_NOTHING), "no such host", known, "%s %s", r->option, item);
}

/*
 * Takes the host off the front of an item of -c or -d, where names of merged recordings have it, and
 * sets b->of; a path begins with none. False: @err was set, or the item is of another host than the
 * filter.
 */
static bool take_host(struct build *b, const struct reader *r, const char **item, int *err)
{
	const char *slash = **item == '/' ? NULL : strrchr(*item, '/');

	*err = 0;
	b->of = DEVICE_ANY;
	b->named |= !b->out;
	if (slash && b->dir) {
		b->of = device_find_host(b->dir, *item, (size_t)(slash - *item));
		if (b->of == DEVICE_ANY) {
			*err = no_host(b, r, *item);
			return false;
		}
	}
	if (slash)
		*item = slash + 1;
	return b->host == DEVICE_ANY || b->of == DEVICE_ANY || b->of == b->host;
}

/* Takes an item of -c. -1 means queues whose controller is not known; a range may not hold it. */
static int take_ctrl(struct build *b, const struct reader *r, const char *item)
{
	struct filter *f = b->f;
	const char *number = item;
	bool hosted;
	int err;

	if (!take_host(b, r, &number, &err))
		return err;
	hosted = number != item;
	b->taken |= !b->out;
	if (streq(number, "-1") && !b->out) {
		b->all_ctrls = true;
		return 0;
	}
	if (has_prefix(number, "nvme") && strchr(number + 4, 'n'))
		return fail_usage("it is a namespace, not a controller", "select it with -d",
				  "%s %s", r->option, item);
	if (b->out && b->all_ctrls) {
		f->n_ctrl = 0;
		b->all_ctrls = false;
		b->all_but = true;
	}
	number += has_prefix(number, "nvme") ? 4 : 0;
	err = check_there(b, r, item, number, has_ctrl, "no such controller");
	if (err || (hosted && b->out && !b->dir)) /* without names, other hosts may be left */
		return err;
	err = take_range32(b, r, number, f->ctrl, &f->n_ctrl);
	if (!err && !b->out && f->ctrl[f->n_ctrl - 1].hi > INT32_MAX)
		f->ctrl[f->n_ctrl - 1].hi = INT32_MAX;
	return err;
}

static int take_nsid(struct build *b, const struct reader *r, const char *item)
{
	int err = check_there(b, r, item, item, has_nsid, "no such namespace");

	return err ? err : take_range32(b, r, item, b->f->nsid, &b->f->n_nsid);
}

/* True when an entry is but a part of its namespace. */
static bool is_part(const struct device *d)
{
	return d->lba.lo != 0 || d->lba.hi != UINT64_MAX;
}

/*
 * Finds the namespaces below a device that an item of -d names, and notes which: where the device lies
 * on a partition, the whole namespace is selected.
 */
static u32 find_below(const struct build *b, const char *item, u32 found[FILTER_DEVS])
{
	char names[STACK_MEMBERS];
	u32 n = b->dir->live ? above_find(b->dir, item, found, FILTER_DEVS, names) : 0;

	if (n && !b->misses)
		note("-d %s%s: %s", b->out ? "!" : "", item, names);
	return n;
}

static int take_device(struct build *b, const struct reader *r, const char *item)
{
	u32 found[FILTER_DEVS], n;
	struct filter *f = b->f;
	struct filter_dev *list = b->out ? f->dev_out : f->dev;
	u32 *n_list = b->out ? &f->n_dev_out : &f->n_dev;
	const char *name = item;
	int err;

	if (!b->dir || !take_host(b, r, &name, &err))
		return b->dir ? err : 0;
	n = device_find(b->dir, b->of, name, found, FILTER_DEVS);
	if (!n)
		n = find_below(b, name, found);
	if (!n)
		return absent(b, r, item, "no such controller or namespace");
	if (b->host != DEVICE_ANY)
		n = device_find(b->dir, b->host, name, found, FILTER_DEVS);
	b->taken |= !b->out && n;
	if (n > FILTER_DEVS - *n_list)
		return too_many(r, item,
				"more than " TEXT(FILTER_DEVS) " devices, counting each path");
	for (u32 i = 0; i < n; i++) {
		const struct device *d = &b->dir->dev[found[i]];

		if (b->out && is_part(d))
			return fail_usage("a partition cannot be left out",
					  "name the partitions to keep", "%s !%s", r->option, item);
		list[(*n_list)++] = (struct filter_dev){ d->lba, d->ctrl_id, d->nsid };
	}
	return 0;
}

static bool has_device(const struct filter_dev *list, u32 n, const struct device *d)
{
	for (u32 i = 0; i < n; i++) {
		const struct filter_dev *have = &list[i];

		if (have->ctrl_id == d->ctrl_id && have->nsid == d->nsid &&
		    have->lba.lo == d->lba.lo && have->lba.hi == d->lba.hi)
			return true;
	}
	return false;
}

/* Looks up an item of -d again, and sets b->lacks if it now names a device that the filter lacks. */
static int take_again(struct build *b, const struct reader *r, const char *item)
{
	u32 found[FILTER_DEVS], n;
	const struct filter_dev *list = b->out ? b->f->dev_out : b->f->dev;
	u32 n_list = b->out ? b->f->n_dev_out : b->f->n_dev;
	int err;

	if (!take_host(b, r, &item, &err))
		return err;
	n = device_find(b->dir, b->of, item, found, FILTER_DEVS);
	for (u32 i = 0; i < n && i < FILTER_DEVS; i++)
		b->lacks |= !has_device(list, n_list, &b->dir->dev[found[i]]);
	return 0;
}

static int take_qid(struct build *b, const struct reader *r, const char *item)
{
	int err;

	if (streq(item, "admin"))
		item = "0";
	else if (streq(item, "io"))
		item = "1-";
	err = take_range32(b, r, item, b->f->qid, &b->f->n_qid);
	if (!err && !b->out && b->f->qid[b->f->n_qid - 1].lo == 0)
		b->admin_queue = true;
	return err;
}

/* Sets @bits of a word of a set of opcodes, or clears those that are left out. */
static void choose(const struct build *b, u64 *word, u64 bits)
{
	*word = b->out ? *word & ~bits : *word | bits;
}

static void choose_all(const struct build *b, u64 set[4])
{
	for (u32 i = 0; i < 4; i++)
		choose(b, &set[i], UINT64_MAX);
}

/* Before the first opcode that is left out of all: all are in. */
static void begin_opcodes(struct filter *f)
{
	const struct build in = { .f = f };

	choose_all(&in, f->opcodes_io);
	choose_all(&in, f->opcodes_admin);
	choose_all(&in, f->opcodes_fabrics);
}

static int take_opcode(struct build *b, const struct reader *r, const char *item)
{
	struct filter *f = b->f;
	struct nvme_opcode_match m;
	u64 *set = f->opcodes_io;

	if (nvme_opcode_parse(item, &m))
		return bad_item(r, item);
	if (b->all_but && b->out && !f->has_opcodes)
		begin_opcodes(f);
	f->has_opcodes = 1;
	if (m.set != NVME_SET_FABRICS && m.code == NVME_OPCODE_FABRICS) {
		choose_all(b, f->opcodes_fabrics);
		f->admin |= !b->out;
		return 0;
	}
	if (m.set == NVME_SET_ADMIN)
		set = f->opcodes_admin;
	else if (m.set == NVME_SET_FABRICS)
		set = f->opcodes_fabrics;
	choose(b, &set[m.code >> 6], 1ULL << (m.code & 63));
	if (m.admin_explicit && !b->out)
		f->admin = 1;
	return 0;
}

/* Takes @pid out of those that were named. */
static int drop_pid(const struct reader *r, const char *item, struct filter *f, u32 pid)
{
	u32 n = 0;

	for (u32 i = 0; i < f->n_pid; i++) {
		if (f->pid[i] != pid)
			f->pid[n++] = f->pid[i];
	}
	f->n_pid = n;
	return n ? 0 : nothing_left(r, item);
}

static int take_pid(struct build *b, const struct reader *r, const char *item)
{
	struct filter *f = b->f;
	char path[32];
	u64 pid;

	if (units_count(item, &pid) || pid > INT32_MAX)
		return bad_item(r, item);
	if (b->out && !b->all_but)
		return drop_pid(r, item, f, (u32)pid);
	if (f->n_pid == FILTER_PIDS)
		return too_many(r, item, "more than " TEXT(FILTER_PIDS) " processes");
	if (b->dir && b->dir->live && pid && !probe_host_pids())
		return fail(
			EXIT_AS(EXIT_NOTHING),
			"processes are numbered as on the host, not as in this PID namespace",
			"run in that of the host (docker run --pid=host), or choose by --comm or -g",
			"%s %s", r->option, item);
	snprintf(path, sizeof(path), "/proc/%u", (u32)pid);
	if (b->dir && b->dir->live && pid && access(path, F_OK))
		return fail(EXIT_AS(EXIT_NOTHING), "no such process",
			    "name a process that is running", "%s %s", r->option, item);
	f->pid_out = b->out;
	f->pid[f->n_pid++] = (u32)pid;
	return 0;
}

static int take_size(struct build *b, const struct reader *r, const char *item)
{
	return take_range64(b, r, item, units_size, b->f->size, &b->f->n_size);
}

static int take_lba(struct build *b, const struct reader *r, const char *item)
{
	if (b->out)
		return bad_item(r, item);
	return take_range64(b, r, item, units_count, b->f->lba, &b->f->n_lba);
}

/*
 * Takes an item of --status. Bits above SC and SCT count if they were typed: 0x4281 wants DNR, 2/81
 * takes both.
 */
static int take_status(struct build *b, const struct reader *r, const char *item)
{
	static const struct {
		const char *word;
		u32 class;
		struct filter_status status;
	} words[] = {
		{ "ok", STATUS_CLASS_OK, { 0, 0 } },
		{ "error", STATUS_CLASS_ERROR, { 0, 0 } },
		{ "retry", STATUS_CLASS_RETRY, { 0, 0 } },
		{ "media", 0, { 0x200, 0x700 } },
		{ "path", 0, { 0x300, 0x700 } },
	};
	struct filter *f = b->f;
	struct filter_status status = { 0, 0 };
	struct filter_status *list = b->out ? f->status_out : f->status;
	u32 *n = b->out ? &f->n_status_out : &f->n_status;
	u16 value;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (streq(item, words[i].word)) {
			*(b->out ? &f->status_classes_out : &f->status_classes) |= words[i].class;
			status = words[i].status;
			if (words[i].class)
				return 0;
		}
	}
	if (!status.mask) {
		if (nvme_status_parse(item, &value))
			return bad_item(r, item);
		status = (struct filter_status){ value, (u16)(0x7ff | value) };
	}
	if (*n == FILTER_ITEMS)
		return too_many(r, item, "more than " TEXT(FILTER_ITEMS) " items");
	list[(*n)++] = status;
	return 0;
}

static int read_comm(struct filter *f, const struct opt_list *list)
{
	for (u32 i = 0; i < list->n; i++) {
		const char *word = list->word[i];
		bool out = word[0] == '!';
		const char *why = "it ends in a backslash, or has an unknown character class",
			   *remedy = NULL;
		int err = word[out] ? glob_add(f, word + out, out) : -EINVAL;

		if (!err)
			continue;
		if (!word[out])
			why = "expected a name or a shell pattern";
		if (err == -ENAMETOOLONG) {
			why = "a command name has at most 15 bytes";
			remedy = "end the pattern with * instead";
		} else if (err == -E2BIG) {
			why = "all patterns together may have 64 characters, counting one more for each pattern";
			remedy = "use shorter patterns";
		}
		return fail_usage(why, remedy, "--comm %s", word);
	}
	return 0;
}

static bool qid_selected(const struct filter *f, u32 lo, u32 hi)
{
	for (u32 i = 0; i < f->n_qid; i++) {
		if (f->qid[i].lo <= hi && f->qid[i].hi >= lo)
			return true;
	}
	return !f->n_qid;
}

/* Says so where -O leaves out all that it names. */
static int check_opcodes(const struct filter *f)
{
	u64 any = 0;

	for (u32 i = 0; i < 4; i++)
		any |= f->opcodes_io[i] | f->opcodes_admin[i] | f->opcodes_fabrics[i];
	if (any || !f->has_opcodes)
		return 0;
	return fail_usage("nothing is left of the selection", "leave out less", "-O");
}

/* Decides by -q and -O whether admin and I/O commands are selected at all. */
static void choose_admin(struct filter *f, bool admin_queue)
{
	u64 io = f->opcodes_io[0] | f->opcodes_io[1] | f->opcodes_io[2] | f->opcodes_io[3];

	if (admin_queue && qid_selected(f, 0, 0))
		f->admin = 1;
	f->io = qid_selected(f, 1, UINT32_MAX) && (!f->has_opcodes || io);
}

/* True when -c, -n and -d leave something to select. */
static bool devices_agree(const struct filter *f)
{
	for (u32 i = 0; i < f->n_dev; i++) {
		if (!filter_out(f, f->dev[i].ctrl_id, f->dev[i].nsid) &&
		    (!f->n_ctrl || filter_in32(f->ctrl, f->n_ctrl, (u32)f->dev[i].ctrl_id)) &&
		    (!f->n_nsid || !f->dev[i].nsid ||
		     filter_in32(f->nsid, f->n_nsid, f->dev[i].nsid)))
			return true;
	}
	return !f->n_dev;
}

static const struct reader ctrl_reader = {
	"-c", "expected numbers, ranges or names: 3  0-3,7  nvme3; -1 is all", take_ctrl
};
static const struct reader nsid_reader = { "-n", "expected namespace IDs or ranges: 1  1-3,7",
					   take_nsid };
static const struct reader device_reader = { "-d",
					     "expected devices: nvme0n1  /dev/nvme0n1p2  259:1",
					     take_device };
static const struct reader qid_reader = { "-q", "expected numbers, ranges, admin or io", take_qid };
static const struct reader opcode_reader = {
	"-O", "expected names or numbers: read  0x09  admin:identify", take_opcode
};
static const struct reader pid_reader = { "-p", "expected process IDs: 812,4711", take_pid };
static const struct reader size_reader = { "--size", "expected a size or a range: 4k  64k-1m",
					   take_size };
static const struct reader lba_reader = { "--lba",
					  "expected a logical block or a range: 2048  0-8191",
					  take_lba };
static const struct reader status_reader = {
	"--status", "expected ok, error, retry, media, path, or a status: 2/81  0x281", take_status
};

static int take_time(struct build *b, const struct reader *r, const char *item)
{
	struct time_ranges *times = b->times;
	struct range64 range;

	if (b->out || units_range(item, units_time, &range.lo, &range.hi) || range.lo == range.hi)
		return bad_item(r, item);
	if (times->n && range.lo < times->range[times->n - 1].hi)
		return fail_usage("it begins before the one in front of it ends",
				  "name ranges that follow each other", "%s %s", r->option, item);
	if (times->n == TIME_RANGES)
		return too_many(r, item, "more than " TEXT(TIME_RANGES) " ranges");
	times->range[times->n++] = range;
	return 0;
}

int select_times(struct time_ranges *times, const struct selection *sel)
{
	static const struct reader reader = {
		"--time", "expected FROM-TO, since the start: 4-6.5  300ms-1.2s,2s-", take_time
	};
	struct build b = { .times = times };

	times->n = 0;
	return read_list(&b, &reader, &sel->time);
}

/* Reads a list of places. None of its items may be of the host that the filter is for. */
static int read_places(struct build *b, const struct reader *r, const struct opt_list *list)
{
	int err;

	b->named = b->taken = false;
	err = read_list(b, r, list);
	b->none |= b->named && !b->taken;
	return err;
}

/* Fills the filter of @b, whose other members are set. */
static int build_filter(struct build *b, const struct selection *sel)
{
	struct filter *f = b->f;
	int err;

	memset(f, 0, sizeof(*f));
	f->admin = sel->admin;
	f->min_lat_ns = sel->min_lat_ns;
	f->n_cgroups = sel->cgroup.n;
	err = read_places(b, &ctrl_reader, &sel->ctrl);
	err = err ? err : read_list(b, &nsid_reader, &sel->nsid);
	err = err ? err : read_places(b, &device_reader, &sel->device);
	err = err ? err : read_list(b, &qid_reader, &sel->qid);
	err = err ? err : read_list(b, &opcode_reader, &sel->opcode);
	err = err ? err : read_list(b, &pid_reader, &sel->pid);
	err = err ? err : read_list(b, &size_reader, &sel->size);
	err = err ? err : read_list(b, &lba_reader, &sel->lba);
	err = err ? err : read_list(b, &status_reader, &sel->status);
	err = err ? err : read_comm(f, &sel->comm);
	err = err ? err : check_opcodes(f);
	if (err)
		return err;
	if (b->all_ctrls)
		f->n_ctrl = 0;
	choose_admin(f, b->admin_queue);
	f->any_submit = f->n_nsid || f->n_pid || f->n_size || f->n_lba || f->n_cgroups ||
			f->has_opcodes || f->has_comm;
	f->any = f->any_submit || f->n_qid || f->n_dev || f->n_dev_out;
	f->any_complete = f->min_lat_ns || filter_asks_status(f);
	b->none |= !devices_agree(f);
	return 0;
}

int select_nothing(void)
{
	return fail(EXIT_AS(EXIT_NOTHING), "no device matches all of -c, -n and -d",
		    "drop one of them; a device must match each option", "selection");
}

int select_filter(struct filter *f, const struct selection *sel, const struct device_dir *dir)
{
	struct build b = { .f = f, .dir = dir, .host = DEVICE_ANY };
	int err = build_filter(&b, sel);

	return err || !b.none ? err : select_nothing();
}

int select_host_filter(struct filter *f, const struct selection *sel, const struct device_dir *dir,
		       u32 host, bool *none)
{
	struct build b = { .f = f, .dir = dir, .host = host };
	int err = build_filter(&b, sel);

	*none = b.none;
	return err;
}

bool select_cgroups(const struct opt_list *cgroups, const struct view *v)
{
	for (u32 i = 0; i < cgroups->n; i++) {
		if (cgroup_is_under(cgroups->word[i], v->ev->cgroup_id, v->cgroup))
			return true;
	}
	return !cgroups->n;
}

bool select_command(const struct filter *f, const struct opt_list *cgroups, const struct view *v)
{
	const struct event *ev = v->ev;
	struct filter_input in = {
		.lba = (u64)ev->cdw[1] << 32 | ev->cdw[0],
		.size_bytes = ev->bytes,
		.nsid = ev->nsid,
		.pid = ev->pid,
		.ctrl_id = v->queue->ctrl_id,
		.qid = ev->qid,
		.opcode = ev->opcode,
		.fctype = ev->fctype,
		.admin = !!(ev->flags & EVENT_ADMIN),
		.comm = ev->comm,
	};

	if (ev->flags & EVENT_RANGE)
		filter_range(&in, (u64)ev->cdw[3] << 32 | ev->cdw[2], ev->cdw[4],
			     v->queue->lba_bytes);
	else if (!in.admin)
		in.lba_blocks = filter_lba_blocks(ev->opcode, ev->cdw[2]);
	return filter_queue(f, in.ctrl_id, in.admin) && filter_submit(f, &in) &&
	       select_cgroups(cgroups, v);
}

bool select_lacks(struct filter *f, const struct selection *sel, const struct device_dir *dir)
{
	static const struct reader again = { .option = "-d", .take = take_again };
	struct build b = { .f = f, .dir = dir, .host = DEVICE_ANY };

	return !read_list(&b, &again, &sel->device) && b.lacks;
}

bool select_misses(const struct selection *sel, const struct device_dir *dir)
{
	struct filter f = { 0 };
	bool misses = false;
	struct build b = { .f = &f, .dir = dir, .misses = &misses, .host = DEVICE_ANY };

	return read_list(&b, &ctrl_reader, &sel->ctrl) || read_list(&b, &nsid_reader, &sel->nsid) ||
	       read_list(&b, &device_reader, &sel->device) || misses;
}
