// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the arguments of a probe are, as its note has it: "-4@$0 8@%rax 4@16(%rdi,%rsi,8)", as the
 * assembler writes operands. A form that is not known is never guessed at.
 */
#ifndef NVT_USDT_ARGS_H
#define NVT_USDT_ARGS_H

#include "bpf/shared/usdt.h"

/* How names of data become addresses of the process. */
struct usdt_names {
	/* The address of a name, in the process. 0 or -errno as usdt_symbol(). */
	int (*find)(const void *ctx, const char *name, u64 *address);
	const void *ctx;
};

/*
 * Reads @text into @spec: n_args and arg, of which no one is a string yet. why[i] is NULL, or says
 * why argument i cannot be read; its kind is then USDT_UNREADABLE. 0, -E2BIG: there are more than
 * USDT_ARGS.
 */
int usdt_args(struct usdt_spec *spec, const char *text, const struct usdt_names *names,
	      const char *why[USDT_ARGS]);

/* Extends to a number what the program @read of an argument of @size bytes. */
u64 usdt_value(u8 size, bool is_signed, u64 read);

#endif
