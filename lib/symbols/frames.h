// SPDX-License-Identifier: GPL-2.0-or-later
/* The frames of stacks as text: functions of the kernel and of processes, or as recorded. */
#ifndef NVT_SYMBOLS_FRAMES_H
#define NVT_SYMBOLS_FRAMES_H

#include "lib/base/types.h"

struct frames;
struct view;

/*
 * Opens the tables for live stacks; call it before capabilities are dropped. @kernel, @user: which
 * stacks will be asked for. 0 or -errno after a message.
 */
int frames_open(struct frames **f, bool kernel, bool user);

/*
 * Returns frame @i (0 is the innermost) of the kernel or user stack of @v: "nvme_queue_rq+0x12
 * [nvme]", "td_io_queue+0x47 [fio]", or the address where nothing is known. In a recording it is
 * the recorded text. Valid until the next call. @f may be NULL in replay.
 */
const char *frames_text(struct frames *f, const struct view *v, bool user, u32 i);

/*
 * The same for any live address; of process @pid when @user. @offsets: the offset is written, too.
 */
const char *frames_name(struct frames *f, bool user, u32 pid, u64 addr, bool offsets);

void frames_close(struct frames *f); /* NULL is allowed */

#endif
