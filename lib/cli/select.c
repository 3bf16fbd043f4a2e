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
#include "lib/host/cgroup.h"
#include "lib/host/probe.h"
#include "lib/nvme/spec.h"

#define ITEM_MAX 256

/* Text of a number in a macro. */
#define TEXT_OF(n) #n
#define TEXT(n)	   TEXT_OF(n)

struct build {
	struct filter *f;
	const struct device_dir *dir; /* NULL: every name is taken to exist */
	bool all_ctrls; /* -c -1 was among the items */
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

	device_known(b->dir, known, sizeof(known));
	return fail(EXIT_AS(EXIT_NOTHING), what, known, "%s %s", r->option, item);
}

/* Hands each comma-separated item of each repetition of the option to the reader. */
static int read_list(struct build *b, const struct reader *r, const struct opt_list *list)
{
	for (u32 i = 0; i < list->n; i++) {
		const char *at = list->word[i];

		for (;;) {
			size_t len = strcspn(at, ",");
			char item[ITEM_MAX];
			int err;

			if (len == 0 || len >= sizeof(item))
				return bad_item(r, list->word[i]);
			memcpy(item, at, len);
			item[len] = '\0';
			err = r->take(b, r, item);
			if (err)
				return err;
			if (!at[len])
				break;
			at += len + 1;
		}
	}
	return 0;
}

/* Reads a number or a range into the next of @ranges. */
static int take_range32(const struct reader *r, const char *item, struct range32 *ranges, u32 *n)
{
	u64 lo, hi;

	if (units_range(item, units_count, &lo, &hi) || lo > UINT32_MAX ||
	    (hi > UINT32_MAX && hi != UINT64_MAX))
		return bad_item(r, item);
	if (*n == FILTER_ITEMS)
		return too_many(r, item, "more than " TEXT(FILTER_ITEMS) " items");
	ranges[*n].lo = (u32)lo;
	ranges[*n].hi = hi > UINT32_MAX ? UINT32_MAX : (u32)hi;
	(*n)++;
	return 0;
}

static int take_range64(const struct reader *r, const char *item, units_parser *parse,
			struct range64 *ranges, u32 *n)
{
	u64 lo, hi;

	if (units_range(item, parse, &lo, &hi))
		return bad_item(r, item);
	if (*n == FILTER_ITEMS)
		return too_many(r, item, "more than " TEXT(FILTER_ITEMS) " items");
	ranges[(*n)++] = (struct range64){ lo, hi };
	return 0;
}

/* Takes an item of -c. -1 means queues whose controller is not known; a range may not hold it. */
static int take_ctrl(struct build *b, const struct reader *r, const char *item)
{
	struct filter *f = b->f;
	struct range32 *range = &f->ctrl[f->n_ctrl];
	int err;

	if (streq(item, "-1")) {
		b->all_ctrls = true;
		return 0;
	}
	if (has_prefix(item, "nvme") && strchr(item + 4, 'n'))
		return fail_usage("it is a namespace, not a controller", "select it with -d",
				  "%s %s", r->option, item);
	err = take_range32(r, item + (has_prefix(item, "nvme") ? 4 : 0), f->ctrl, &f->n_ctrl);
	if (err)
		return err;
	if (b->dir && (range->lo > INT32_MAX || !device_has_ctrl(b->dir, range->lo, range->hi)))
		return absent(b, r, item, "no such controller");
	if (range->hi > INT32_MAX)
		range->hi = INT32_MAX;
	return 0;
}

/*
 * Takes an item of -n. 0 and the broadcast value belong to no namespace, but commands carry them.
 */
static int take_nsid(struct build *b, const struct reader *r, const char *item)
{
	struct filter *f = b->f;
	struct range32 *range = &f->nsid[f->n_nsid];
	int err = take_range32(r, item, f->nsid, &f->n_nsid);

	if (err || !b->dir || !b->dir->live || range->lo == 0 || range->hi == UINT32_MAX)
		return err;
	if (!device_has_nsid(b->dir, range->lo, range->hi))
		return absent(b, r, item, "no such namespace");
	return 0;
}

static int take_device(struct build *b, const struct reader *r, const char *item)
{
	u32 found[FILTER_DEVS], n;
	struct filter *f = b->f;

	if (!b->dir)
		return 0;
	n = device_find(b->dir, item, found, FILTER_DEVS);
	if (!n)
		return absent(b, r, item, "no such controller or namespace");
	if (n > FILTER_DEVS - f->n_dev)
		return too_many(r, item,
				"more than " TEXT(FILTER_DEVS) " devices, counting each path");
	for (u32 i = 0; i < n; i++) {
		const struct device *d = &b->dir->dev[found[i]];

		f->dev[f->n_dev++] = (struct filter_dev){ d->lba, d->ctrl_id, d->nsid };
	}
	return 0;
}

static bool has_device(const struct filter *f, const struct device *d)
{
	for (u32 i = 0; i < f->n_dev; i++) {
		const struct filter_dev *have = &f->dev[i];

		if (have->ctrl_id == d->ctrl_id && have->nsid == d->nsid &&
		    have->lba.lo == d->lba.lo && have->lba.hi == d->lba.hi)
			return true;
	}
	return false;
}

/* Looks up an item of -d again. 1: the item now names a device that the filter does not have. */
static int take_again(struct build *b, const struct reader *r, const char *item)
{
	u32 found[FILTER_DEVS], n = device_find(b->dir, item, found, FILTER_DEVS);

	(void)r;
	for (u32 i = 0; i < n && i < FILTER_DEVS; i++) {
		if (!has_device(b->f, &b->dir->dev[found[i]]))
			return 1;
	}
	return 0;
}

static int take_qid(struct build *b, const struct reader *r, const char *item)
{
	if (streq(item, "admin"))
		item = "0";
	else if (streq(item, "io"))
		item = "1-";
	return take_range32(r, item, b->f->qid, &b->f->n_qid);
}

static int take_opcode(struct build *b, const struct reader *r, const char *item)
{
	struct filter *f = b->f;
	struct nvme_opcode_match m;
	u64 *set = f->opcodes_io;

	if (nvme_opcode_parse(item, &m))
		return bad_item(r, item);
	f->has_opcodes = 1;
	if (m.set != NVME_SET_FABRICS && m.code == NVME_OPCODE_FABRICS) {
		memset(f->opcodes_fabrics, 0xff, sizeof(f->opcodes_fabrics));
		f->admin = 1;
		return 0;
	}
	if (m.set == NVME_SET_ADMIN)
		set = f->opcodes_admin;
	else if (m.set == NVME_SET_FABRICS)
		set = f->opcodes_fabrics;
	set[m.code >> 6] |= 1ULL << (m.code & 63);
	if (m.admin_explicit)
		f->admin = 1;
	return 0;
}

static int take_pid(struct build *b, const struct reader *r, const char *item)
{
	struct filter *f = b->f;
	char path[32];
	u64 pid;

	if (units_count(item, &pid) || pid > INT32_MAX)
		return bad_item(r, item);
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
	f->pid[f->n_pid++] = (u32)pid;
	return 0;
}

static int take_size(struct build *b, const struct reader *r, const char *item)
{
	return take_range64(r, item, units_size, b->f->size, &b->f->n_size);
}

static int take_lba(struct build *b, const struct reader *r, const char *item)
{
	return take_range64(r, item, units_count, b->f->lba, &b->f->n_lba);
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
	u16 value;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (streq(item, words[i].word)) {
			f->status_classes |= words[i].class;
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
	if (f->n_status == FILTER_ITEMS)
		return too_many(r, item, "more than " TEXT(FILTER_ITEMS) " items");
	f->status[f->n_status++] = status;
	return 0;
}

static int read_comm(struct filter *f, const struct opt_list *list)
{
	for (u32 i = 0; i < list->n; i++) {
		const char *why = "it ends in a backslash, or has an unknown character class",
			   *remedy = NULL;
		int err = list->word[i][0] ? glob_add(f, list->word[i]) : -EINVAL;

		if (!err)
			continue;
		if (!list->word[i][0])
			why = "expected a name or a shell pattern";
		if (err == -ENAMETOOLONG) {
			why = "a command name has at most 15 bytes";
			remedy = "end the pattern with * instead";
		} else if (err == -E2BIG) {
			why = "all patterns together may have 64 characters, counting one more for each pattern";
			remedy = "use shorter patterns";
		}
		return fail_usage(why, remedy, "--comm %s", list->word[i]);
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

/* Decides by -q and -O whether admin and I/O commands are selected at all. */
static void choose_admin(struct filter *f)
{
	u64 io = f->opcodes_io[0] | f->opcodes_io[1] | f->opcodes_io[2] | f->opcodes_io[3];

	if (f->n_qid && qid_selected(f, 0, 0))
		f->admin = 1;
	f->io = qid_selected(f, 1, UINT32_MAX) && (!f->has_opcodes || io);
}

static bool in_list(const struct range32 *ranges, u32 n, u32 value)
{
	for (u32 i = 0; i < n; i++) {
		if (value >= ranges[i].lo && value <= ranges[i].hi)
			return true;
	}
	return !n;
}

/* True when -c, -n and -d leave something to select. */
static bool devices_agree(const struct filter *f)
{
	for (u32 i = 0; i < f->n_dev; i++) {
		if (in_list(f->ctrl, f->n_ctrl, (u32)f->dev[i].ctrl_id) &&
		    (!f->dev[i].nsid || in_list(f->nsid, f->n_nsid, f->dev[i].nsid)))
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

int select_filter(struct filter *f, const struct selection *sel, const struct device_dir *dir)
{
	struct build b = { .f = f, .dir = dir };
	int err;

	memset(f, 0, sizeof(*f));
	f->admin = sel->admin;
	f->min_lat_ns = sel->min_lat_ns;
	f->n_cgroups = sel->cgroup.n;
	err = read_list(&b, &ctrl_reader, &sel->ctrl);
	err = err ? err : read_list(&b, &nsid_reader, &sel->nsid);
	err = err ? err : read_list(&b, &device_reader, &sel->device);
	err = err ? err : read_list(&b, &qid_reader, &sel->qid);
	err = err ? err : read_list(&b, &opcode_reader, &sel->opcode);
	err = err ? err : read_list(&b, &pid_reader, &sel->pid);
	err = err ? err : read_list(&b, &size_reader, &sel->size);
	err = err ? err : read_list(&b, &lba_reader, &sel->lba);
	err = err ? err : read_list(&b, &status_reader, &sel->status);
	err = err ? err : read_comm(f, &sel->comm);
	if (err)
		return err;
	if (b.all_ctrls)
		f->n_ctrl = 0;
	choose_admin(f);
	f->any_submit = f->n_nsid || f->n_pid || f->n_size || f->n_lba || f->n_cgroups ||
			f->has_opcodes || f->has_comm;
	f->any = f->any_submit || f->n_qid || f->n_dev;
	f->any_complete = f->min_lat_ns || f->n_status || f->status_classes;
	if (!devices_agree(f))
		return fail(EXIT_AS(EXIT_NOTHING), "no device matches all of -c, -n and -d",
			    "drop one of them; a device must match each option", "selection");
	return 0;
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
	struct build b = { .f = f, .dir = dir };

	return read_list(&b, &again, &sel->device) == 1;
}
