// SPDX-License-Identifier: GPL-2.0-or-later
/* Tells what the recordings of a replay say of themselves, and what a recording of this run would say. */
#ifndef NVT_SESSION_RECORDING_H
#define NVT_SESSION_RECORDING_H

#include "lib/session/session.h"

struct record_head;

/* How many recordings are replayed; live 1, which stands for the run itself. */
u32 session_recordings(const struct session *s);
/* When a recording began, and ended so far, on the clock of the events. */
void session_period(const struct session *s, u32 file, u64 *start_ns, u64 *end_ns);
/* Returns what a recording says of itself; sets @c to its counters as far as it was read. */
const struct record_head *session_recording(struct session *s, u32 file, struct counters *c);
/* The run, or the recording that it replays, may leave commands out, by whatever option. */
bool session_selects(const struct session *s);

/* For a command that writes a recording. */
/*
 * Fills @head with what a recording of this run says of it, but version, needs and clock; texts are
 * the session's. Of recordings of several hosts it says no host.
 */
void session_describe(struct session *s, struct record_head *head);
/* session_counters() with the losses of this moment, not of the last half second. */
const struct counters *session_losses(struct session *s);
/* All events until then, CLOCK_MONOTONIC, were handed to the command. */
u64 session_handed_ns(const struct session *s);
/*
 * Counts as lost what was counted as printed but has no reader any more: @commands, and @others
 * that are no commands.
 */
void session_unread(struct session *s, u64 commands, u64 others);
/* Readable once a signal has come. */
int session_wake_fd(const struct session *s);

/* In replay: the commands in flight at the end that the recordings had so far. */
u64 session_recorded_inflight(const struct session *s);

#endif
