// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The settings of an object, each with its meaning and default. An object defines those it wants
 * otherwise before it includes another header of bpf/. They are constants and conditions. The
 * handlers, which bpf/prog.h names, say what is done.
 */
#ifndef NVT_SETTINGS_H
#define NVT_SETTINGS_H

/* Bits of enum need that the command always asks for, and those that it never does. */
#ifndef PROG_ALWAYS
#define PROG_ALWAYS 0
#endif
#ifndef PROG_NEVER
#define PROG_NEVER 0
#endif

/* Command dwords, from 10 on, that NEED_SQE means. */
#ifndef PROG_CDWS
#define PROG_CDWS 6
#endif

/* Whether a completion of the slow path is worth a look at its status; then, at the clock. */
#ifndef PROG_STATUS
#define PROG_STATUS true
#endif
#ifndef PROG_CLOCK
#define PROG_CLOCK(c) true
#endif

/* Whether the event of a completion waits for the block layer, with NEED_BLOCK or NEED_PHASES: on_held(). */
#ifndef PROG_HOLDS
#define PROG_HOLDS 0
#endif

/* Whether the command leaves out a completion that the filter selects. */
#ifndef PROG_LEAVES_OUT
#define PROG_LEAVES_OUT(c) false
#endif

/* Whether the object can tell the time in queue, and has the programs of bpf/stamp.h for it. */
#ifndef PROG_STAMPS
#define PROG_STAMPS 0
#endif

/* Whether it can tell the file of a command, and has the programs' part of bpf/file.h. */
#ifndef PROG_FILES
#define PROG_FILES 1
#endif

/* Whether it can tell who waits for a flush, and has the programs of bpf/sync.h. */
#ifndef PROG_SYNCERS
#define PROG_SYNCERS 0
#endif

/* Whether it tells of a submitter which thread it is, and that it is a kernel worker. */
#ifndef PROG_THREADS
#define PROG_THREADS 1
#endif

/* Whether the object can tell how long commands were outstanding, and has the map of bpf/busy.h. */
#ifndef PROG_BUSY
#define PROG_BUSY 0
#endif

/* How BTF programs of the slow path read a request: rq_typed, or rq_rare for a quicker start. */
#ifndef PROG_TYPED
#define PROG_TYPED rq_typed
#endif

/* Whether the object has a fast path: see bpf/fast.h. All below is about that. */
#ifndef PROG_FAST
#define PROG_FAST 0
#endif

/* Bits of enum need that it can meet beside PROG_ALWAYS. */
#ifndef PROG_FAST_NEEDS
#define PROG_FAST_NEEDS 0
#endif

/* Bytes of a command slot where it is taken: SLOT_LEAN or another one. */
#ifndef PROG_FAST_SLOT
#define PROG_FAST_SLOT SLOT_LEAN
#endif

/* Whether on_fast_setup() reads the SQE. */
#ifndef PROG_FAST_SQE
#define PROG_FAST_SQE false
#endif

/* Whether a completion asks for the time, and for the status. */
#ifndef PROG_FAST_CLOCK
#define PROG_FAST_CLOCK true
#endif
#ifndef PROG_FAST_STATUS
#define PROG_FAST_STATUS true
#endif

/* Whether a completion with this status goes the slow path; whether the others are left out. */
#ifndef PROG_SLOW_IF
#define PROG_SLOW_IF(c) false
#endif
#ifndef PROG_FAST_LEAVES_OUT
#define PROG_FAST_LEAVES_OUT false
#endif

/* Whether the queue of a completion is read through a cast, for a quicker start: see rq_rare(). */
#ifndef PROG_FAST_CASTS
#define PROG_FAST_CASTS false
#endif

#endif
