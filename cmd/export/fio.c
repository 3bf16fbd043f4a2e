// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Input for fio --read_iolog: the trace file format v3 of fio's HOWTO. Its times are microseconds
 * since the first command (iolog.c of fio 3.31 and later), its offsets bytes of the disk.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "cmd/export/export_format.h"
#include "lib/base/err.h"
#include "lib/base/escape.h"
#include "lib/base/str.h"
#include "lib/session/lookup.h"

#define NVME_FUA (1U << 30) /* of cdw12, NVM Command Set 1.1, figure 60 */
#define FIRST_US 1 /* fio takes 0 for no time: delay_since_ttime() */

/* A disk, by session_device(), and the name of the file that stands for it. */
struct fio_file {
	u32 device; /* must be first: export_device() */
	u64 writes; /* that a replay would make */
	char name[FIO_NAME_MAX + 1]; /* "": fio cannot read it */
};

struct fio {
	struct fio_file *files;
	u32 n;
	u64 first_ns; /* when the first command was sent */
	u64 now_us; /* when the last one was, in the times of the file */
};

/*
 * The name of the file for @dev: that of --map, or the device node. A recording may come from anybody,
 * so its names are escaped: a line end or blank in one would add commands, and disks, to the file, and
 * a slash would name a file elsewhere.
 */
static void name_file(const struct export *e, const char *dev, char *buf, size_t size)
{
	const struct opt_list *map = &e->opts->map;
	size_t len = strlen(dev);

	for (u32 i = 0; i < map->n; i++) {
		if (has_prefix(map->word[i], dev) && map->word[i][len] == '=') {
			snprintf(buf, size, "%s", map->word[i] + len + 1);
			return;
		}
	}
	len = (size_t)snprintf(buf, size, "/dev/");
	escape_name(&dev, " /", buf + len, size - len);
	if (*dev)
		*buf = '\0';
}

/* The file of the event's disk; NULL: no memory, which ends the run. */
static struct fio_file *file_of(struct export *e, const struct view *v)
{
	struct fio *fio = e->state;
	struct fio_file *file;
	u32 known = fio->n;

	file = export_device(e, v, (void **)&fio->files, &fio->n, sizeof(*file));
	if (fio->n == known)
		return file;
	name_file(e, v->dev, file->name, sizeof(file->name));
	if (!*file->name)
		return file;
	export_text(e, "%" PRIu64 " %s add\n%" PRIu64 " %s open\n", fio->now_us, file->name,
		    fio->now_us, file->name);
	return file;
}

static void fio_begin(struct export *e)
{
	export_text(e, "fio version 3 iolog\n");
}

/* The action of a command; NULL, and counted, if fio has none. */
static const char *action_of(struct export *e, const struct view *v)
{
	enum nvme_set set = (enum nvme_set)e->row.cmd.set;

	if (v->ev->flags & EVENT_ADMIN || set != NVME_SET_IO) {
		e->gaps[GAP_ADMIN]++;
		return NULL;
	}
	switch (v->ev->opcode) {
	case nvme_cmd_flush:
		return "sync";
	case nvme_cmd_read:
		return "read";
	case nvme_cmd_write:
		e->gaps[GAP_FUA] += !!(v->ev->cdw[2] & NVME_FUA);
		return "write";
	case nvme_cmd_dsm:
		if (e->row.slba != UNKNOWN64)
			return "trim";
		e->gaps[GAP_RANGES]++;
		return NULL;
	default:
		e->gaps[GAP_OPCODE]++;
		return NULL;
	}
}

static void fio_submit(struct export *e, const struct view *v)
{
	const char *action = action_of(e, v);
	struct fio *fio = e->state;
	struct fio_file *file;
	u64 block = v->queue->lba_bytes;

	if (!action)
		return;
	if (!block && v->ev->opcode != nvme_cmd_flush) {
		e->gaps[GAP_SIZE]++;
		return;
	}
	if (!fio->first_ns)
		fio->first_ns = v->ev->ts_ns;
	fio->now_us = FIRST_US + (v->ev->ts_ns - fio->first_ns) / 1000;
	file = file_of(e, v);
	if (!file)
		return;
	if (!*file->name) {
		e->gaps[GAP_NAME]++;
		return;
	}
	file->writes += v->ev->opcode == nvme_cmd_write || v->ev->opcode == nvme_cmd_dsm;
	if (v->ev->opcode == nvme_cmd_flush)
		export_text(e, "%" PRIu64 " %s sync 0 0\n", fio->now_us, file->name);
	else
		export_text(e, "%" PRIu64 " %s %s %" PRIu64 " %" PRIu64 "\n", fio->now_us,
			    file->name, action, e->row.slba * block, e->row.nlb * block);
}

static void fio_tick(struct export *e, const struct tick *t)
{
	const struct fio *fio = e->state;

	if (!t->last)
		return;
	for (u32 i = 0; i < fio->n; i++) {
		const struct fio_file *file = &fio->files[i];

		if (*file->name)
			export_text(e, "%" PRIu64 " %s close\n", fio->now_us, file->name);
		if (file->writes)
			note("fio --read_iolog will write to '%s' %" PRIu64
			     " time%s: what is there is lost%s",
			     file->name, file->writes, plural(file->writes),
			     e->opts->map.n ? "" : "; --map names another disk");
	}
}

static void fio_close(struct export *e)
{
	free(((struct fio *)e->state)->files);
}

const struct export_format export_fio = {
	.state_bytes = sizeof(struct fio),
	.required = NEED_SUBMIT | NEED_SQE,
	.begin = fio_begin,
	.submit = fio_submit,
	.tick = fio_tick,
	.close = fio_close,
};
