// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of lib/host/confine.def as a seccomp filter. */
#include "lib/host/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/str.h"
#include "lib/host/confine.h"

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#else
#define ARCH AUDIT_ARCH_AARCH64
#endif

#define X32_CALLS 0x40000000 /* x32 calls are numbered from here on; aarch64 has none */
/* O_ACCMODE would not do: musl's includes O_PATH, which asks for less than reading. */
#define WRITES (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)

struct call {
	u16 number;
	u16 when; /* enum confine_for */
	s8 arg; /* -1: any arguments */
	u32 mask, value;
};

static const struct call calls[] = {
#define CALL(when, name)		   { SYS_##name, when, -1, 0, 0 },
#define ONLY(when, name, arg, mask, value) { SYS_##name, when, arg, mask, value },
#include "lib/host/confine.def"
#undef CALL
#undef ONLY
};

#define FIELD(m) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, m))

/* Appends the test of one call. The accumulator holds the call's number before and after it. */
static u32 put_call(struct sock_filter *at, const struct call *c)
{
	const struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	u32 n = 0;

	if (c->arg < 0) {
		at[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, c->number, 0, 1);
		at[n++] = allow;
		return n;
	}
	at[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, c->number, 0, 5);
	at[n++] = (struct sock_filter)FIELD(args[c->arg]); /* the low half: little endian */
	at[n++] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, c->mask);
	at[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, c->value, 0, 1);
	at[n++] = allow;
	at[n++] = (struct sock_filter)FIELD(nr);
	return n;
}

int calls_filter(u32 what, u32 otherwise)
{
	const struct sock_filter deny = BPF_STMT(BPF_RET | BPF_K, otherwise);
	struct sock_filter code[6 * ARRAY_SIZE(calls) + 7] = {
		FIELD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0),	   deny,
		FIELD(nr),   BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_CALLS, 0, 1), deny,
	};
	struct sock_fprog prog = { .len = 6, .filter = code };

	for (u32 i = 0; i < ARRAY_SIZE(calls); i++) {
		if (!calls[i].when || what & calls[i].when)
			prog.len += put_call(&code[prog.len], &calls[i]);
	}
	code[prog.len++] = deny;
	if (!syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog))
		return 0;
	return errno == ENOSYS || errno == EINVAL ? 0 : -errno;
}
