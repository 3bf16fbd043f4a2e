// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands of a made-up live run, for the tests of keys: the kernel's and those of a recording. */
#ifndef NVT_KEY_SAMPLE_H
#define NVT_KEY_SAMPLE_H

#include "lib/group/group.h"

/* Ended by one of no kind. */
extern const struct event key_commands[];

/*
 * The run, whose queues and devices are those of the commands; @state is that of the command. With
 * @no_status it cannot read statuses: those of its commands are unknown.
 */
struct session *key_session(void *state, bool no_status);
/* The bits of request->cmd_flags that have a name. */
u32 key_cmd_flags_mask(const struct session *s);
/* Rows by @by, a set of bits 1 << enum key, of which each has its place in the table of keys. */
void key_group(struct group *g, struct session *s, u32 by);
/* As a replay hands out @ev. */
struct view key_view(struct session *s, const struct event *ev);

#endif
