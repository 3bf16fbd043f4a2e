// SPDX-License-Identifier: GPL-2.0-or-later
/* Recordings of hits: -f nvt writes them, -i reads them, `info` counts what is in them. */
#ifndef NVT_SPDK_FILE_H
#define NVT_SPDK_FILE_H

#include "cmd/spdk/row.h"
#include "lib/record/record.h"

struct spdk_save;

/* Opens or creates @file, as record_create(). spdk_save_close() in any case. */
int spdk_save_open(struct spdk_save **s, const char *file);
/* Empties the file, and writes @head, whose `holds` is set here. 0 or -errno. */
int spdk_save_begin(struct spdk_save *s, struct record_head *head);
/* A reader that does not keep up is waited for: see record_patient(). */
void spdk_save_patient(struct spdk_save *s, bool patient, int wake_fd);
/* Writes a process; a later one of that @number replaces it. */
int spdk_save_process(struct spdk_save *s, u32 number, const struct spdk_process_sum *process);
/* Adds a hit at place hit->site, of process @process. 0, -errno, -ENOSPC: the reader is too slow. */
int spdk_save_hit(struct spdk_save *s, u32 process, const struct spdk_site *site,
		  const struct spdk_hit *hit, s64 wall_offset_ns);
/* Writes out hits that are older than a second at @now_ns, and what a reader has not taken. */
int spdk_save_flush(struct spdk_save *s, u64 now_ns);
/*
 * Writes the end, with what @sum has. Hits that no reader takes any more are moved from `emitted` to
 * `lost`. 0 or -errno.
 */
int spdk_save_finish(struct spdk_save *s, struct spdk_sum *sum, u64 end_ns);
u64 spdk_save_bytes(const struct spdk_save *s);
void spdk_save_close(struct spdk_save *s); /* NULL is allowed */

/* A recording that is read. */
struct spdk_load {
	struct replay *replay; /* the caller's */
	struct spdk_site *site; /* by the number that hits have; without a name: not known */
	u32 *process; /* of these: index of `sums` */
	u32 n_sites, sites_room, process_room;
	struct spdk_process_sum sums[USDT_TARGETS];
	struct spdk_process_names {
		char comm[16], version[24], ended[8];
	} names[USDT_TARGETS]; /* behind the pointers of `sums` */
	u32 n_processes;
	struct spdk_hit hit; /* at hand, with its strings */
	s64 wall_offset_ns;
	char text[USDT_ARGS][USDT_TEXT];
};

/* Reads the next hit to l->hit. 1, 0 at the end, or -ENOMEM after a message. */
int spdk_load_next(struct spdk_load *l);
/*
 * What the end says: the losses of the recording, sum->hits, and when it ended. False: the file was
 * cut.
 */
bool spdk_load_end(const struct spdk_load *l, struct spdk_sum *sum, u64 *end_ns);
void spdk_load_free(struct spdk_load *l);

#endif
