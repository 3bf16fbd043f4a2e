// SPDX-License-Identifier: GPL-2.0-or-later
/* SPDK's probes: names and types of their arguments, and the words of enumerations. */
#ifndef NVT_SPDK_PROBES_H
#define NVT_SPDK_PROBES_H

#include "bpf/shared/usdt.h"

enum spdk_set { SPDK_NVME, SPDK_TIMEOUT, SPDK_NVMF, SPDK_SCHED, SPDK_WAKEUPS, SPDK_OTHER };

enum spdk_type {
	SPDK_RAW, /* not known: a number as the note has it */
	SPDK_TSC, /* the hidden argument of some probes */
	SPDK_HIDDEN, /* that of the others: shown to nobody */
	SPDK_STRING,
	SPDK_UNSIGNED,
	SPDK_SIGNED,
	SPDK_POINTER,
	SPDK_STATUS,
	SPDK_SUBSYSTEM_STATE,
	SPDK_TARGET_STATE,
	SPDK_TRTYPE,
};

/* An argument of a place. */
struct spdk_arg {
	char name[16];
	u8 type; /* enum spdk_type */
	u8 size, is_signed; /* as struct usdt_arg */
	u8 unreadable; /* its form is not known */
};

/*
 * The shape of a probe: what its arguments are, in their order, the hidden one first.
 */
struct spdk_shape {
	char name[64]; /* of the probe; a longer one is cut */
	u8 set; /* enum spdk_set */
	u8 n_args;
	u8 known; /* in the table, with this number of arguments */
	u8 states; /* spdk_states_of() of its program */
	struct spdk_arg arg[USDT_ARGS];
};

/*
 * Finds the shape of a place of probe @name, whose arguments lie as @spec says. If one of them has
 * another size than the table asks for, all of them are SPDK_RAW.
 */
void spdk_shape(struct spdk_shape *shape, const char *name, const struct usdt_spec *spec);

/* The set of a probe; SPDK_OTHER where none of SPDK's scripts has it. */
u8 spdk_set_of(const char *name);

/*
 * The table of states of the target that a release has, see usdt_version(); 0: not known, then only
 * those have a word that are the same in all.
 */
u8 spdk_states_of(u32 version, bool pre);

/* The word for @value of an enumeration, NULL: there is none. */
const char *spdk_word(u8 type, u8 states, u64 value);

#endif
