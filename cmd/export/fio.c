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
#include "lib/base/sat.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/session/lookup.h"

#define NVME_FUA (1U << 30) /* of cdw12, NVM Command Set 1.1, figure 60 */
#define FIRST_US 1 /* fio takes 0 for no time: delay_since_ttime() */

/* A disk, by session_device(), and the name of the file that stands for it. */
struct fio_file {
	u32 device; /* must be first: export_device() */
	u64 writes; /* that a replay would make */
	u64 bytes; /* that it must have */
	u64 moved; /* commands that --wrap gave another place */
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

/*
 * The place of @len bytes at @offset in a file of --wrap bytes: they begin again at 0 behind it, so
 * that sequences stay such; what would reach over its end ends there.
 */
static u64 place(const struct export *e, struct fio_file *file, u64 offset, u64 len)
{
	u64 wrap = e->opts->wrap_bytes, at = wrap ? offset % wrap : offset;

	if (wrap && at + len > wrap)
		at = wrap - len;
	file->moved += at != offset;
	if (sat_add(at, len) > file->bytes)
		file->bytes = sat_add(at, len);
	return at;
}

static void put_command(struct export *e, struct fio_file *file, const char *action, u64 block)
{
	u64 len = e->row.nlb * block, wrap = e->opts->wrap_bytes;

	if (wrap && len > wrap) {
		e->gaps[GAP_BEYOND]++;
		return;
	}
	file->writes += !streq(action, "read");
	export_text(e, "%" PRIu64 " %s %s %" PRIu64 " %" PRIu64 "\n",
		    ((const struct fio *)e->state)->now_us, file->name, action,
		    place(e, file, e->row.slba * block, len), len);
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
	if (v->ev->opcode == nvme_cmd_flush)
		export_text(e, "%" PRIu64 " %s sync 0 0\n", fio->now_us, file->name);
	else
		put_command(e, file, action, block);
}

/* Notes how large the file must be, and what a replay changes in it: fio does not say when it is too small. */
static void say_needs(const struct export *e, const struct fio_file *file)
{
	char size[UNITS_TEXT];

	if (file->moved)
		note("--wrap %s: %" PRIu64 " command%s of '%s' %s at another place than recorded",
		     units_size_text(e->opts->wrap_bytes, size), file->moved, plural(file->moved),
		     file->name, file->moved == 1 ? "is" : "are");
	if (file->bytes)
		note("'%s' must have %" PRIu64
		     " bytes (%s) or more, else fio fails or leaves out what lies behind its end%s",
		     file->name, file->bytes, units_size_brief(file->bytes, size),
		     e->opts->wrap_bytes ? "" : "; --wrap SIZE makes it fit");
	if (file->writes)
		note("fio --read_iolog will write to '%s' %" PRIu64
		     " time%s: what is there is lost%s",
		     file->name, file->writes, plural(file->writes),
		     e->opts->map.n ? "" : "; --map names another disk");
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
		say_needs(e, file);
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
