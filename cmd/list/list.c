// SPDX-License-Identifier: GPL-2.0-or-later
/* list: the controllers and namespaces of this machine, from sysfs alone. */
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/cli/cmd.h"
#include "lib/host/probe.h"
#include "lib/host/sysfs.h"
#include "lib/session/meta.h"

struct list_cfg {
	const char *sysfs;
};

struct ctrl_row {
	s32 ctrl_id, numa_node;
	u32 queues, queue_entries, cntlid;
	const char *ctrl, *state, *transport, *address, *model, *serial, *firmware, *subsysnqn;
};

struct ns_row {
	const struct sysfs *sysfs;
	const struct sysfs_ns *ns;
	u64 size_bytes;
	s32 ctrl_id;
	u32 nsid, lba_bytes, metadata_bytes, hw_queues, nr_requests;
	const char *ctrl, *dev, *path, *scheduler, *wwid;
};

static void size_text(const struct out *o, const void *row, char *buf, size_t size)
{
	u64 bytes = ((const struct ns_row *)row)->size_bytes;
	char text[UNITS_TEXT];

	(void)o;
	if (bytes != UINT64_MAX)
		snprintf(buf, size, "%s", units_size_brief(bytes, text));
}

static void dev_number(const struct ns_row *r, char *buf, size_t size)
{
	buf[0] = '\0';
	if (r->ns->major)
		snprintf(buf, size, "%u:%u", r->ns->major, r->ns->minor);
}

static void number_text(const struct out *o, const void *row, char *buf, size_t size)
{
	(void)o;
	dev_number(row, buf, size);
	if (!buf[0])
		snprintf(buf, size, "-");
}

static void number_csv(const void *row, char *buf, size_t size)
{
	dev_number(row, buf, size);
}

static void number_json(struct json *j, const void *row)
{
	char text[32];

	dev_number(row, text, sizeof(text));
	json_str(j, "dev_number", text[0] ? text : NULL);
}

static void parts_json(struct json *j, const void *row)
{
	const struct ns_row *r = row;

	json_array(j, "partitions");
	for (u32 i = 0; i < r->sysfs->n_parts; i++) {
		const struct sysfs_part *part = &r->sysfs->parts[i];

		if (!streq(part->head, r->ns->head))
			continue;
		json_object(j, NULL);
		json_str(j, "dev", part->name);
		json_u64(j, "start_bytes", part->start_bytes);
		json_u64(j, "size_bytes", part->size_bytes);
		json_end(j);
	}
	json_end(j);
}

static bool is_down(const void *p)
{
	const struct ctrl_row *row = p;

	return row->state && !streq(row->state, "live");
}

/* clang-format off */
#define CTRL(type, member, ...) FIELD_OF(FIELD_##type, struct ctrl_row, member, #member, __VA_ARGS__)
static const struct field ctrl_fields[] = {
	CTRL(S32, ctrl_id, .flags = FIELD_NO_TEXT, .help = "controller, the N of nvmeN"),
	CTRL(STR, ctrl, .width = -7, .least = 12, .help = "name of the controller"),
	CTRL(STR, state, .width = -9, .bad = is_down, .least = 9, .rank = 5, .help = "state of the controller: live, resetting, connecting, deleting, dead"),
	CTRL(STR, transport, .head = "TRAN", .width = -4, .rank = 35, .help = "pcie, tcp, rdma, fc or loop"),
	CTRL(STR, address, .width = -12, .least = 12, .rank = 15, .help = "PCI address, or address of the fabrics connection"),
	CTRL(U32, queues, .width = 6, .flags = FIELD_NULL_ZERO, .rank = 40, .help = "queues in use, the admin queue included"),
	CTRL(U32, queue_entries, .head = "ENTRIES", .width = 7, .flags = FIELD_NULL_ZERO | FIELD_HIDDEN, .rank = 45,
	     .help = "entries of an I/O queue"),
	CTRL(S32, numa_node, .head = "NUMA", .width = 4, .flags = FIELD_NULL_ONES | FIELD_HIDDEN, .rank = 42, .help = "NUMA node"),
	CTRL(U32, cntlid, .width = 6, .flags = FIELD_NULL_ONES | FIELD_HIDDEN, .rank = 44, .help = "controller ID within its subsystem"),
	CTRL(STR, serial, .width = -12, .rank = 10, .help = "serial number"),
	CTRL(STR, firmware, .width = -8, .least = 8, .rank = 30, .help = "firmware revision"),
	CTRL(STR, subsysnqn, .width = -24, .flags = FIELD_HIDDEN, .least = 12, .rank = 50, .help = "qualified name of the subsystem"),
	CTRL(STR, model, .flags = FIELD_LAST, .least = 12, .rank = 20, .help = "model number"),
	FIELD_DONE,
};

#define NS(type, member, ...) FIELD_OF(FIELD_##type, struct ns_row, member, #member, __VA_ARGS__)
static const struct field part_members[] = {
	{ .type = FIELD_CHARS, .name = "dev", .help = "device of the partition" },
	{ .type = FIELD_U64, .name = "start_bytes", .help = "where it begins on the disk" },
	{ .type = FIELD_U64, .name = "size_bytes", .help = "its size" },
	FIELD_DONE,
};

static const struct field ns_fields[] = {
	NS(S32, ctrl_id, .flags = FIELD_NO_TEXT, .help = "controller, the N of nvmeN"),
	NS(STR, dev, .width = -10, .least = 12, .help = "disk of the namespace (the multipath head, if any)"),
	NS(STR, ctrl, .width = -7, .least = 12, .rank = 10, .help = "controller of the path"),
	NS(U32, nsid, .width = 4, .flags = FIELD_NULL_ZERO, .rank = 20, .help = "namespace ID"),
	NS(U64, size_bytes, .head = "SIZE", .width = 8, .flags = FIELD_NULL_ONES, .text = size_text, .rank = 5, .help = "size in bytes"),
	NS(U32, lba_bytes, .head = "LBA", .width = 5, .flags = FIELD_NULL_ZERO, .rank = 15, .help = "bytes of a logical block"),
	NS(U32, metadata_bytes, .head = "META", .width = 4, .flags = FIELD_NULL_ONES, .rank = 30,
	   .help = "bytes of metadata of a logical block; Linux 6.9 and newer"),
	NS(STR, scheduler, .head = "SCHED", .width = -11, .least = 6, .rank = 25, .help = "I/O scheduler"),
	NS(U32, hw_queues, .head = "HWQ", .width = 4, .flags = FIELD_NULL_ZERO | FIELD_HIDDEN, .rank = 45, .help = "hardware queues"),
	NS(U32, nr_requests, .head = "REQS", .width = 5, .flags = FIELD_NULL_ZERO | FIELD_HIDDEN, .rank = 46,
	   .help = "requests of a hardware queue"),
	FIELD_OF(FIELD_CALL, struct ns_row, ns, "dev_number", .head = "MAJ:MIN", .width = -7,
		 .flags = FIELD_HIDDEN | FIELD_NULL_ONES, .json = JSON_STRING, .text = number_text, .csv = number_csv, .emit = number_json, .rank = 48, .help = "device number of the disk"),
	NS(STR, wwid, .width = -40, .flags = FIELD_HIDDEN, .least = 12, .rank = 50, .help = "worldwide identifier"),
	FIELD_OF(FIELD_CALL, struct ns_row, ns, "partitions", .emit = parts_json, .json = JSON_OBJECTS,
		 .members = part_members,
		 .help = "partitions of the disk: dev, start_bytes, size_bytes"),
	NS(STR, path, .flags = FIELD_LAST, .least = 9, .rank = 28, .help = "disk of the path, which multipath hides"),
	FIELD_DONE,
};
/* clang-format on */

static const struct schema ctrl_schema = { "ctrl", ctrl_fields, "a controller" };
static const struct schema ns_schema = { "ns", ns_fields,
					 "a namespace; one record for each path to it" };
static const struct schema *const schemas[] = { &ctrl_schema, &ns_schema, NULL };

/* Returns NULL for "": a string that sysfs does not give is unknown, not empty. */
static const char *known(const char *s)
{
	return *s ? s : NULL;
}

static void print_ctrl(struct out *o, const struct sysfs_ctrl *c)
{
	const struct ctrl_row row = {
		.ctrl_id = c->ctrl_id,
		.numa_node = c->numa_node,
		.queues = c->queue_count,
		.queue_entries = sysfs_io_depth(c),
		.cntlid = c->cntlid,
		.ctrl = c->name,
		.state = known(c->state),
		.transport = known(c->transport),
		.address = known(c->address),
		.model = known(c->model),
		.serial = known(c->serial),
		.firmware = known(c->firmware),
		.subsysnqn = known(c->subsysnqn),
	};

	out_row(o, &ctrl_schema, &row);
}

static void print_ns(struct out *o, const struct sysfs *s, const struct sysfs_ns *ns)
{
	const struct ns_row row = {
		.sysfs = s,
		.ns = ns,
		.size_bytes = ns->size_bytes,
		.ctrl_id = ns->ctrl_id,
		.nsid = ns->nsid,
		.lba_bytes = ns->lba_bytes,
		.metadata_bytes = ns->metadata_bytes,
		.hw_queues = ns->hctxs,
		.nr_requests = ns->nr_requests,
		.ctrl = sysfs_ctrl(s, ns->ctrl_id)->name,
		.dev = ns->head,
		.path = ns->path ? ns->name : NULL,
		.scheduler = known(ns->scheduler),
		.wwid = known(ns->wwid),
	};

	out_row(o, &ns_schema, &row);
}

static void print_all(struct out *o, const struct invocation *inv, const struct sysfs *s)
{
	meta_put(o, inv, NULL);
	for (u32 i = 0; i < s->n_ctrls; i++)
		print_ctrl(o, &s->ctrls[i]);
	if (s->n_ns && !inv->common.output.columns)
		out_text(o, "\n");
	for (u32 i = 0; i < s->n_ns; i++)
		print_ns(o, s, &s->ns[i]);
	if (!s->n_ctrls)
		note("no controllers");
}

static int show_hidden(struct out *o)
{
	static const char *const columns[] = { "queue_entries", "numa_node", "cntlid",
					       "subsysnqn",	"hw_queues", "nr_requests",
					       "dev_number",	"wwid" };
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(columns); i++)
		err = out_show(o, columns[i], true);
	return err;
}

static int not_read(int err, const char *root)
{
	if (err == -ENOENT && !root)
		return probe_no_driver();
	return fail(err == -ENOENT ? EXIT_AS(EXIT_NOTHING) : err, strerror(-err),
		    "give the sysfs of a host with an NVMe driver", "%s/class/nvme",
		    root ? root : SYSFS_DIR);
}

static int look(struct out *o, const void *ctx)
{
	const struct invocation *inv = ctx;
	const struct list_cfg *cfg = inv->cfg;
	int err = inv->common.internal.verbose ? show_hidden(o) : 0;
	struct sysfs s;

	if (!err)
		err = out_settle(o); /* tells a bad --columns even where sysfs cannot be read */
	if (err)
		return err;
	err = sysfs_read(&s, cfg->sysfs);
	err = err ? not_read(err, cfg->sysfs) : out_begin(o);
	if (!err) {
		print_all(o, inv, &s);
		out_ends(o);
	}
	sysfs_free(&s);
	return err;
}

static int list_run(struct invocation *inv)
{
	return cmd_print(inv, look, inv);
}

static const struct opt list_opts[] = {
	OPT_STR(struct list_cfg, sysfs, .name = "sysfs", .main = true, .arg = "DIR",
		.hint = HINT_DIR, .help = "sysfs of the host, where it is not at /sys"),
	OPT_DONE,
};

/* clang-format off */
static const struct example examples[] = {
	{ "controllers and namespaces", "nvmetool list" },
	{ "with more columns", "nvmetool list -v" },
	{ "one JSON object per line", "nvmetool list --json" },
	{ "the host of a container", "nvmetool list --sysfs /host/sys" },
	{ "names of all disks",
	  "nvmetool list --json --no-meta | jq -r 'select(.type==\"ns\") | .dev'" },
	{ NULL },
};
/* clang-format on */

const struct cmd cmd_list = {
	.name = "list",
	.summary = "list controllers and namespaces",
	.about =
		"Shows what the kernel has in sysfs: no command is sent to a drive, and no privilege\n"
		"is needed. A namespace that is reached by several controllers has a line for each\n"
		"path. -v adds columns: queue entries, NUMA node, subsystem, hardware queues, WWID.",
	.examples = examples,
	.takes = TAKES_OUTPUT,
	.opts = list_opts,
	.cfg_size = sizeof(struct list_cfg),
	.schemas = schemas,
	.run = list_run,
};
