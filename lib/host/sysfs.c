// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads the NVMe part of sysfs. Attributes that a kernel does not have leave their field at
 * "unknown".
 */
#include "lib/host/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "lib/base/array.h"
#include "lib/base/str.h"

/* Like snprintf(), without its result: a path that was cut names no file. */
__attribute__((format(printf, 3, 4))) static void print(char *buf, size_t size, const char *fmt,
							...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(buf, size, fmt, args);
	va_end(args);
}

void sysfs_line(const char *dir, const char *name, char *buf, size_t size)
{
	char path[PATH_MAX];
	size_t len;
	FILE *f;

	buf[0] = '\0';
	print(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "re");
	if (!f)
		return;
	if (!fgets(buf, (int)size, f))
		buf[0] = '\0';
	fclose(f);
	len = strlen(buf);
	while (len && strchr(" \t\r\n", buf[len - 1]))
		buf[--len] = '\0';
}

/* The number in file @name of directory @dir, or @unknown. */
static s64 read_number(const char *dir, const char *name, s64 unknown)
{
	char text[32], *end;
	s64 value;

	sysfs_line(dir, name, text, sizeof(text));
	value = strtoll(text, &end, 10);
	return end == text ? unknown : value;
}

static void read_dev(const char *dir, u32 *major_nr, u32 *minor_nr)
{
	char text[32], *end;

	sysfs_line(dir, "dev", text, sizeof(text));
	*major_nr = (u32)strtoul(text, &end, 10);
	*minor_nr = *end == ':' ? (u32)strtoul(end + 1, NULL, 10) : 0;
}

/* Reads decimal digits at *@s; false when there are none or too many for a device number. */
static bool take_number(const char **s, u32 *value)
{
	const char *begin = *s;

	*value = 0;
	while (**s >= '0' && **s <= '9' && *s - begin < 9)
		*value = *value * 10 + (u32)(*(*s)++ - '0');
	return *s != begin;
}

static bool take_word(const char **s, const char *word)
{
	if (!has_prefix(*s, word))
		return false;
	*s += strlen(word);
	return true;
}

static bool parse_ctrl_name(const char *name, u32 *ctrl_id)
{
	return take_word(&name, "nvme") && take_number(&name, ctrl_id) && !*name;
}

bool sysfs_head_of(const char *path, char head[SYSFS_NAME])
{
	u32 subsystem, ctrl, number;

	head[0] = '\0';
	if (!take_word(&path, "nvme") || !take_number(&path, &subsystem) ||
	    !take_word(&path, "c") || !take_number(&path, &ctrl) || !take_word(&path, "n") ||
	    !take_number(&path, &number) || *path)
		return false;
	print(head, SYSFS_NAME, "nvme%un%u", subsystem, number);
	return true;
}

bool sysfs_is_disk(const char *name)
{
	char head[SYSFS_NAME];
	u32 a, b;

	if (sysfs_head_of(name, head))
		return true;
	return take_word(&name, "nvme") && take_number(&name, &a) && take_word(&name, "n") &&
	       take_number(&name, &b) && !*name;
}

/* "[none] mq-deadline" chooses none. */
static void read_scheduler(const char *dir, char *name, size_t size)
{
	char line[128], *begin, *end;

	sysfs_line(dir, "queue/scheduler", line, sizeof(line));
	begin = strchr(line, '[');
	end = begin ? strchr(begin, ']') : NULL;
	if (end) {
		*end = '\0';
		begin++;
	}
	print(name, size, "%s", end ? begin : line);
}

static u32 count_hctxs(const char *dir)
{
	char path[PATH_MAX];
	struct dirent *entry;
	u32 count = 0;
	DIR *mq;

	print(path, sizeof(path), "%s/mq", dir);
	mq = opendir(path);
	while (mq && (entry = readdir(mq)))
		count += entry->d_name[0] >= '0' && entry->d_name[0] <= '9';
	if (mq)
		closedir(mq);
	return count;
}

/*
 * Reads the partitions, which are directories below that of their disk. A head with several paths
 * is read once.
 */
static int read_parts(struct sysfs *s, const char *dir, const char *head)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *disk = opendir(dir);
	int err = 0;

	for (u32 i = 0; i < s->n_parts; i++) {
		if (streq(s->parts[i].head, head))
			goto out;
	}
	while (disk && !err && (entry = readdir(disk))) {
		struct sysfs_part *part;

		print(path, sizeof(path), "%s/%s", dir, entry->d_name);
		if (!has_prefix(entry->d_name, head) || read_number(path, "partition", 0) <= 0)
			continue;
		part = array_add((void **)&s->parts, &s->n_parts, &s->parts_room, sizeof(*part));
		if (!part) {
			err = -ENOMEM;
			continue;
		}
		print(part->name, sizeof(part->name), "%s", entry->d_name);
		print(part->head, sizeof(part->head), "%s", head);
		read_dev(path, &part->major, &part->minor);
		part->start_bytes = (u64)read_number(path, "start", 0) * 512;
		part->size_bytes = (u64)read_number(path, "size", 0) * 512;
	}
out:
	if (disk)
		closedir(disk);
	return err;
}

static void read_limits(const char *dir, struct sysfs_limits *limits)
{
	limits->physical_bytes = (u32)read_number(dir, "queue/physical_block_size", 0);
	limits->min_io_bytes = (u32)read_number(dir, "queue/minimum_io_size", 0);
	limits->opt_io_bytes = (u32)read_number(dir, "queue/optimal_io_size", 0);
	limits->chunk_bytes = (u32)read_number(dir, "queue/chunk_sectors", 0) * 512;
}

static int read_ns(struct sysfs *s, const char *root, const struct sysfs_ctrl *ctrl,
		   const char *name)
{
	struct sysfs_ns *ns = array_add((void **)&s->ns, &s->n_ns, &s->ns_room, sizeof(*ns));
	char dir[PATH_MAX];
	char zoned[32];
	s64 sectors;

	if (!ns)
		return -ENOMEM;
	print(dir, sizeof(dir), "%s/class/nvme/%s/%s", root, ctrl->name, name);
	print(ns->name, sizeof(ns->name), "%s", name);
	ns->path = sysfs_head_of(ns->name, ns->head);
	if (!ns->path)
		print(ns->head, sizeof(ns->head), "%s", ns->name);
	ns->ctrl_id = ctrl->ctrl_id;
	ns->nsid = (u32)read_number(dir, "nsid", 0);
	sectors = read_number(dir, "size", -1);
	ns->size_bytes = sectors < 0 ? UINT64_MAX : (u64)sectors * 512;
	ns->lba_bytes = (u32)read_number(dir, "queue/logical_block_size", 0);
	ns->metadata_bytes = (u32)read_number(dir, "metadata_bytes", UINT32_MAX);
	ns->nr_requests = (u32)read_number(dir, "queue/nr_requests", 0);
	ns->hctxs = count_hctxs(dir);
	read_limits(dir, &ns->limits);
	sysfs_line(dir, "queue/zoned", zoned, sizeof(zoned));
	ns->zoned = streq(zoned, "host-managed");
	sysfs_line(dir, "wwid", ns->wwid, sizeof(ns->wwid));
	read_scheduler(dir, ns->scheduler, sizeof(ns->scheduler));
	if (ns->path)
		print(dir, sizeof(dir), "%s/class/block/%s", root, ns->head);
	read_dev(dir, &ns->major, &ns->minor);
	return read_parts(s, dir, ns->head);
}

static int read_namespaces(struct sysfs *s, const char *root, const struct sysfs_ctrl *ctrl)
{
	char path[PATH_MAX];
	struct dirent *entry;
	int err = 0;
	DIR *dir;

	print(path, sizeof(path), "%s/class/nvme/%s", root, ctrl->name);
	dir = opendir(path);
	while (dir && !err && (entry = readdir(dir))) {
		if (sysfs_is_disk(entry->d_name))
			err = read_ns(s, root, ctrl, entry->d_name);
	}
	if (dir)
		closedir(dir);
	return err;
}

static void read_ctrl(struct sysfs_ctrl *c, const char *root, u32 ctrl_id)
{
	char dir[PATH_MAX];

	c->ctrl_id = (s32)ctrl_id;
	print(c->name, sizeof(c->name), "nvme%u", ctrl_id);
	print(dir, sizeof(dir), "%s/class/nvme/%s", root, c->name);
	sysfs_line(dir, "state", c->state, sizeof(c->state));
	sysfs_line(dir, "transport", c->transport, sizeof(c->transport));
	sysfs_line(dir, "address", c->address, sizeof(c->address));
	sysfs_line(dir, "model", c->model, sizeof(c->model));
	sysfs_line(dir, "serial", c->serial, sizeof(c->serial));
	sysfs_line(dir, "firmware_rev", c->firmware, sizeof(c->firmware));
	sysfs_line(dir, "subsysnqn", c->subsysnqn, sizeof(c->subsysnqn));
	c->cntlid = (u32)read_number(dir, "cntlid", UINT32_MAX);
	c->numa_node = (s32)read_number(dir, "numa_node", -1);
	c->queue_count = (u32)read_number(dir, "queue_count", 0);
	c->sqsize = (u32)read_number(dir, "sqsize", 0);
}

static int compare_ctrls(const void *a, const void *b)
{
	const struct sysfs_ctrl *x = a, *y = b;

	return (x->ctrl_id > y->ctrl_id) - (x->ctrl_id < y->ctrl_id);
}

static int compare_ns(const void *a, const void *b)
{
	const struct sysfs_ns *x = a, *y = b;

	if (x->ctrl_id != y->ctrl_id)
		return x->ctrl_id < y->ctrl_id ? -1 : 1;
	return (x->nsid > y->nsid) - (x->nsid < y->nsid);
}

/* nvme0n1p2 before nvme0n1p10. */
static int compare_parts(const void *a, const void *b)
{
	return strverscmp(((const struct sysfs_part *)a)->name,
			  ((const struct sysfs_part *)b)->name);
}

static int read_ctrls(struct sysfs *s, const char *root, DIR *class)
{
	struct dirent *entry;
	u32 ctrl_id;

	while ((entry = readdir(class))) {
		struct sysfs_ctrl *ctrl;
		int err;

		if (!parse_ctrl_name(entry->d_name, &ctrl_id))
			continue;
		ctrl = array_add((void **)&s->ctrls, &s->n_ctrls, &s->ctrls_room, sizeof(*ctrl));
		if (!ctrl)
			return -ENOMEM;
		read_ctrl(ctrl, root, ctrl_id);
		err = read_namespaces(s, root, ctrl);
		if (err)
			return err;
	}
	if (s->n_ctrls)
		qsort(s->ctrls, s->n_ctrls, sizeof(*s->ctrls), compare_ctrls);
	if (s->n_ns)
		qsort(s->ns, s->n_ns, sizeof(*s->ns), compare_ns);
	if (s->n_parts)
		qsort(s->parts, s->n_parts, sizeof(*s->parts), compare_parts);
	return 0;
}

int sysfs_read(struct sysfs *s, const char *root)
{
	char path[PATH_MAX];
	DIR *class;
	int err;

	memset(s, 0, sizeof(*s));
	if (!root)
		root = SYSFS_DIR;
	print(path, sizeof(path), "%s/class/nvme", root);
	class = opendir(path);
	if (!class)
		return -errno;
	err = read_ctrls(s, root, class);
	closedir(class);
	return err;
}

u32 sysfs_cpus(const char *root)
{
	char dir[PATH_MAX], mask[4096], *last; /* "0-3,8-11": the last number is the highest */

	print(dir, sizeof(dir), "%s/devices/system/cpu", root ? root : SYSFS_DIR);
	sysfs_line(dir, "possible", mask, sizeof(mask));
	last = mask + strlen(mask);
	while (last > mask && last[-1] >= '0' && last[-1] <= '9')
		last--;
	return *last ? (u32)strtoul(last, NULL, 10) + 1 : 0;
}

void sysfs_free(struct sysfs *s)
{
	free(s->ctrls);
	free(s->ns);
	free(s->parts);
	memset(s, 0, sizeof(*s));
}

const struct sysfs_ctrl *sysfs_ctrl(const struct sysfs *s, s32 ctrl_id)
{
	for (u32 i = 0; i < s->n_ctrls; i++) {
		if (s->ctrls[i].ctrl_id == ctrl_id)
			return &s->ctrls[i];
	}
	return NULL;
}

const struct sysfs_ns *sysfs_ns(const struct sysfs *s, const char *name)
{
	for (u32 i = 0; i < s->n_ns; i++) {
		if (streq(s->ns[i].name, name) || streq(s->ns[i].head, name))
			return &s->ns[i];
	}
	return NULL;
}

bool sysfs_node(const char *path, char name[SYSFS_NAME], u32 *major_nr, u32 *minor_nr)
{
	char target[PATH_MAX];
	struct stat st;
	bool block;

	if (!realpath(path, target) || stat(target, &st) < 0)
		return false;
	block = S_ISBLK(st.st_mode);
	*major_nr = block ? major(st.st_rdev) : 0;
	*minor_nr = block ? minor(st.st_rdev) : 0;
	print(name, SYSFS_NAME, "%s", strrchr(target, '/') + 1);
	return true;
}

bool sysfs_number(const char *root, const char *name, u32 *major_nr, u32 *minor_nr)
{
	char dir[PATH_MAX], line[32];

	snprintf(dir, sizeof(dir), "%s/class/block/%s", root ? root : SYSFS_DIR, name);
	sysfs_line(dir, "dev", line, sizeof(line));
	/* NOLINTNEXTLINE(cert-err34-c): the kernel wrote it */
	return sscanf(line, "%u:%u", major_nr, minor_nr) == 2;
}

/* PCIe has sqsize tags, fabrics has one more: the larger number serves both. */
u32 sysfs_io_depth(const struct sysfs_ctrl *ctrl)
{
	return ctrl->sqsize ? ctrl->sqsize + 1 : 0;
}

u32 sysfs_io_queues(const struct sysfs_ctrl *ctrl)
{
	return ctrl->queue_count ? ctrl->queue_count - 1 : 0;
}
