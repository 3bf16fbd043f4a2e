// SPDX-License-Identifier: GPL-2.0-or-later
/* Devices by name: this machine's or a recording's. */
#include "lib/host/device.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/utsname.h>

#include "lib/base/array.h"
#include "lib/base/str.h"

static const struct range64 whole = { 0, ~0ULL };

static bool same(const struct device *a, const struct device *b)
{
	return streq(a->name, b->name) && a->ctrl_id == b->ctrl_id && a->nsid == b->nsid &&
	       a->host == b->host;
}

u32 device_find_host(const struct device_dir *dir, const char *name, size_t len)
{
	for (u32 i = 0; i < dir->n_hosts; i++) {
		if (strlen(dir->hosts[i]) == len && !memcmp(dir->hosts[i], name, len))
			return i;
	}
	return DEVICE_ANY;
}

static int add_host(struct device_dir *dir, const char *host)
{
	char *copy = strdup(host);

	if (!copy || !array_grow((void **)&dir->hosts, dir->n_hosts, &dir->hosts_room,
				 sizeof(*dir->hosts))) {
		free(copy);
		return -ENOMEM;
	}
	dir->at = dir->n_hosts++;
	dir->hosts[dir->at] = copy;
	return 0;
}

int device_host(struct device_dir *dir, const char *host)
{
	u32 at;

	if (!host)
		host = DEVICE_NO_HOST;
	if (dir->n_hosts && streq(dir->hosts[dir->at], host))
		return 0;
	at = device_find_host(dir, host, strlen(host));
	if (at == DEVICE_ANY)
		return add_host(dir, host);
	dir->at = at;
	return 0;
}

/* Adds an entry unless there is an equal one. 0 or -ENOMEM. */
static int add_entry(struct device_dir *dir, const struct device *dev)
{
	struct device here = *dev;

	here.host = dir->at;
	for (u32 i = 0; i < dir->n; i++) {
		if (same(&dir->dev[i], &here))
			return 0;
	}
	if (!array_grow((void **)&dir->dev, dir->n, &dir->room, sizeof(*dev)))
		return -ENOMEM;
	dir->dev[dir->n++] = here;
	return 0;
}

static int add_ctrl(struct device_dir *dir, s32 ctrl_id)
{
	struct device dev = { .lba = whole, .ctrl_id = ctrl_id };

	snprintf(dev.name, sizeof(dev.name), "nvme%d", ctrl_id);
	return add_entry(dir, &dev);
}

/*
 * Adds a namespace. A hidden path gets no device number: its head's would stand for one path only.
 */
static int add_ns(struct device_dir *dir, const struct sysfs_ns *ns)
{
	struct device dev = { .lba = whole, .ctrl_id = ns->ctrl_id, .nsid = ns->nsid };
	int err;

	if (ns->path) {
		memcpy(dev.name, ns->name, sizeof(dev.name));
		err = add_entry(dir, &dev);
		if (err)
			return err;
	}
	memcpy(dev.name, ns->head, sizeof(dev.name));
	dev.major = ns->major;
	dev.minor = ns->minor;
	return add_entry(dir, &dev);
}

static int add_part(struct device_dir *dir, const struct sysfs_ns *ns,
		    const struct sysfs_part *part)
{
	struct device dev = { .ctrl_id = ns->ctrl_id, .nsid = ns->nsid };

	if (!ns->lba_bytes || part->size_bytes < ns->lba_bytes || !streq(part->head, ns->head))
		return 0;
	memcpy(dev.name, part->name, sizeof(dev.name));
	dev.lba.lo = part->start_bytes / ns->lba_bytes;
	dev.lba.hi = (part->start_bytes + part->size_bytes) / ns->lba_bytes - 1;
	dev.major = part->major;
	dev.minor = part->minor;
	return add_entry(dir, &dev);
}

int device_add_sysfs(struct device_dir *dir, const struct sysfs *sysfs)
{
	struct utsname system;
	int err = uname(&system) ? 0 : device_host(dir, system.nodename);

	dir->live = true;
	for (u32 i = 0; !err && i < sysfs->n_ctrls; i++)
		err = add_ctrl(dir, sysfs->ctrls[i].ctrl_id);
	for (u32 i = 0; !err && i < sysfs->n_ns; i++) {
		err = add_ns(dir, &sysfs->ns[i]);
		for (u32 k = 0; !err && k < sysfs->n_parts; k++)
			err = add_part(dir, &sysfs->ns[i], &sysfs->parts[k]);
	}
	return err;
}

int device_add_queue(struct device_dir *dir, const struct queue_info *queue)
{
	struct device dev = { .lba = whole, .ctrl_id = queue->ctrl_id, .nsid = queue->nsid };
	char head[SYSFS_NAME];
	int err;

	if (queue->ctrl_id < 0)
		return 0;
	err = add_ctrl(dir, queue->ctrl_id);
	if (err || !queue->nsid || !queue->disk[0])
		return err;
	memcpy(dev.name, queue->disk, sizeof(dev.name));
	dev.name[sizeof(dev.name) - 1] = '\0';
	if (sysfs_head_of(dev.name, head)) {
		err = add_entry(dir, &dev);
		memcpy(dev.name, head, sizeof(dev.name));
	} else {
		dev.major = queue->major;
		dev.minor = queue->minor;
	}
	return err ? err : add_entry(dir, &dev);
}

static bool is_part(const struct device *d)
{
	return d->nsid && (d->lba.lo != whole.lo || d->lba.hi != whole.hi);
}

char *device_parts(const struct device_dir *dir)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	bool any = false;

	for (u32 i = 0; f && i < dir->n; i++) {
		const struct device *d = &dir->dev[i];

		if (!is_part(d))
			continue;
		fprintf(f, "%s%s %u:%u %d %u %" PRIu64 "-%" PRIu64, any ? "," : "", d->name,
			d->major, d->minor, d->ctrl_id, d->nsid, d->lba.lo, d->lba.hi);
		any = true;
	}
	if (f && fclose(f)) {
		free(text);
		text = NULL;
	}
	return text;
}

/* Takes a decimal number of at most @max, and @end behind it. */
static bool take_number(const char **at, u64 max, char end, u64 *value)
{
	char *after;

	if (**at < '0' || **at > '9')
		return false;
	errno = 0;
	*value = strtoull(*at, &after, 10);
	*at = after + (*after == end);
	return !errno && *value <= max && *after == end;
}

static bool read_part(struct device *d, const char *at)
{
	size_t len = strcspn(at, " ");
	u64 major, minor, ctrl, nsid;

	*d = (struct device){ 0 };
	if (at[len] != ' ' || len >= sizeof(d->name))
		return false;
	memcpy(d->name, at, len);
	at += len + 1;
	if (!take_number(&at, UINT32_MAX, ':', &major) ||
	    !take_number(&at, UINT32_MAX, ' ', &minor) ||
	    !take_number(&at, INT32_MAX, ' ', &ctrl) || !take_number(&at, UINT32_MAX, ' ', &nsid) ||
	    !take_number(&at, UINT64_MAX, '-', &d->lba.lo) ||
	    !take_number(&at, UINT64_MAX, '\0', &d->lba.hi))
		return false;
	d->major = (u32)major;
	d->minor = (u32)minor;
	d->ctrl_id = (s32)ctrl;
	d->nsid = (u32)nsid;
	return is_part(d);
}

int device_add_parts(struct device_dir *dir, const char *parts)
{
	struct device d;
	char one[128];
	int err = 0;

	for (size_t len; !err && parts && *parts; parts += len + (parts[len] != '\0')) {
		len = strcspn(parts, ",");
		if (len >= sizeof(one))
			continue;
		memcpy(one, parts, len);
		one[len] = '\0';
		if (read_part(&d, one))
			err = add_entry(dir, &d);
	}
	return err;
}

void device_dir_free(struct device_dir *dir)
{
	for (u32 i = 0; i < dir->n_hosts; i++)
		free(dir->hosts[i]);
	free(dir->hosts);
	free(dir->dev);
	memset(dir, 0, sizeof(*dir));
}

/* A word of -d, taken apart: a name, or a device number. */
struct wanted {
	char name[256];
	u32 major, minor;
	bool number;
};

static bool parse_number(struct wanted *w, const char *word)
{
	char *end;

	if (*word < '0' || *word > '9')
		return false;
	w->major = (u32)strtoul(word, &end, 10);
	if (*end != ':' || end[1] < '0' || end[1] > '9')
		return false;
	w->minor = (u32)strtoul(end + 1, &end, 10);
	w->number = !*end;
	return w->number;
}

static void understand(struct wanted *w, const char *word, bool live)
{
	const char *name = word;
	char node[SYSFS_NAME];

	memset(w, 0, sizeof(*w));
	if (parse_number(w, word))
		return;
	if (*word == '/' && live && sysfs_node(word, node, &w->major, &w->minor)) {
		w->number = w->major != 0;
		name = node;
	} else if (*word == '/') {
		name = strrchr(word, '/') + 1;
	}
	if (has_prefix(name, "ng"))
		snprintf(w->name, sizeof(w->name), "nvme%.200s", name + 2);
	else
		snprintf(w->name, sizeof(w->name), "%.200s", name);
}

static bool is_of(const struct device *d, u32 host)
{
	return host == DEVICE_ANY || d->host == host;
}

u32 device_find(const struct device_dir *dir, u32 host, const char *word, u32 *found, u32 max)
{
	struct wanted w;
	u32 n = 0;

	understand(&w, word, dir->live);
	for (u32 i = 0; i < dir->n; i++) {
		const struct device *d = &dir->dev[i];
		bool hit = w.number ? d->major == w.major && d->minor == w.minor && d->major
				    : streq(d->name, w.name);

		hit = hit && is_of(d, host);
		if (hit && n < max)
			found[n] = i;
		n += hit;
	}
	return n;
}

bool device_has_ctrl(const struct device_dir *dir, u32 host, u32 lo, u32 hi)
{
	for (u32 i = 0; i < dir->n; i++) {
		if ((u32)dir->dev[i].ctrl_id >= lo && (u32)dir->dev[i].ctrl_id <= hi &&
		    is_of(&dir->dev[i], host))
			return true;
	}
	return false;
}

bool device_has_nsid(const struct device_dir *dir, u32 lo, u32 hi)
{
	for (u32 i = 0; i < dir->n; i++) {
		if (dir->dev[i].nsid && dir->dev[i].nsid >= lo && dir->dev[i].nsid <= hi)
			return true;
	}
	return false;
}

/* True when an entry before has the same name: a head with several paths is named once. */
static bool named_before(const struct device_dir *dir, u32 index)
{
	for (u32 i = 0; i < index; i++) {
		if (streq(dir->dev[i].name, dir->dev[index].name) &&
		    dir->dev[i].host == dir->dev[index].host)
			return true;
	}
	return false;
}

/* Adds a word to "known:", or " ..." where there is no room for it. False: it was cut. */
static bool add_known(char *buf, size_t size, const char *host, const char *name)
{
	size_t len = strlen(buf);

	if (len + strlen(host) + strlen(name) + sizeof("/  ...") > size) {
		snprintf(buf + len, size - len, " ...");
		return false;
	}
	snprintf(buf + len, size - len, " %s%s%s", host, *host ? "/" : "", name);
	return true;
}

void device_known(const struct device_dir *dir, char *buf, size_t size)
{
	bool fits = true;

	snprintf(buf, size, "%s", dir->n ? "known:" : "there is no controller");
	for (u32 i = 0; fits && i < dir->n; i++) {
		const struct device *d = &dir->dev[i];

		if (!named_before(dir, i))
			fits = add_known(buf, size, dir->n_hosts > 1 ? dir->hosts[d->host] : "",
					 d->name);
	}
}

void device_known_hosts(const struct device_dir *dir, char *buf, size_t size)
{
	bool fits = true;

	snprintf(buf, size, "%s", dir->n_hosts ? "known:" : "there is no controller");
	for (u32 i = 0; fits && i < dir->n_hosts; i++)
		fits = add_known(buf, size, "", dir->hosts[i]);
}
