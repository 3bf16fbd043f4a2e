// SPDX-License-Identifier: GPL-2.0-or-later
/* Capabilities, no_new_privs and the seccomp filter. */
#include "lib/host/confine.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/str.h"

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

/* The capabilities that may stay, and what each is for. */
static const struct {
	u8 cap;
	u16 what; /* enum confine_for */
	const char *name;
} kept_caps[] = {
	{ CAP_SYS_PTRACE, CONFINE_USERS, "CAP_SYS_PTRACE" },
	{ CAP_DAC_READ_SEARCH, CONFINE_USERS, "CAP_DAC_READ_SEARCH" },
	{ CAP_CHECKPOINT_RESTORE, CONFINE_USERS, "CAP_CHECKPOINT_RESTORE" }, /* map_files */
	{ CAP_BPF, CONFINE_MAPS, "CAP_BPF" },
	{ CAP_DAC_OVERRIDE, CONFINE_OVERRIDE, "CAP_DAC_OVERRIDE" },
	{ CAP_SYS_ADMIN, 0, "CAP_SYS_ADMIN" }, /* where it stands for CAP_BPF */
};

static u64 bit(u32 cap)
{
	return 1ULL << cap;
}

const char *confine_cap_name(u32 i, u64 *of)
{
	if (i >= ARRAY_SIZE(kept_caps))
		return NULL;
	*of = bit(kept_caps[i].cap);
	return kept_caps[i].name;
}

static u64 permitted(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	syscall(SYS_capget, &head, data);
	return data[0].permitted | (u64)data[1].permitted << 32;
}

static int set_caps(u64 effective, u64 allowed)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	const struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {
		{ .effective = (u32)effective, .permitted = (u32)allowed },
		{ .effective = effective >> 32, .permitted = allowed >> 32 },
	};

	return syscall(SYS_capset, &head, data) ? -errno : 0;
}

static u64 caps_for(u32 what)
{
	u64 caps = 0;

	for (u32 i = 0; i < ARRAY_SIZE(kept_caps); i++) {
		if (kept_caps[i].what & what)
			caps |= bit(kept_caps[i].cap);
	}
	return caps;
}

/*
 * Sets *kept to the capabilities of @held that @what needs. Those that it needs for certain are
 * left in force; the others stay permitted, until a call has shown whether CAP_BPF is needed.
 */
static int needed_caps(u32 what, int map_fd, u64 held, u64 *kept)
{
	struct bpf_map_info info = {};
	u32 len = sizeof(info);
	int err;

	*kept = caps_for(what & (CONFINE_USERS | CONFINE_OVERRIDE)) & held;
	err = set_caps(*kept, held);
	if (!err && what & CONFINE_MAPS && bpf_obj_get_info_by_fd(map_fd, &info, &len) &&
	    errno == EPERM)
		*kept |= held & (held & bit(CAP_BPF) ? bit(CAP_BPF) : bit(CAP_SYS_ADMIN));
	return err;
}

static int drop_caps(u32 what, int map_fd, u64 *kept)
{
	u64 held = permitted();
	int err;

	/*
	 * Without CAP_SETPCAP this fails, but no harm is done: no_new_privs follows, and then the
	 * bounding set gives nothing.
	 */
	for (u32 cap = 0; cap < 64 && !prctl(PR_CAPBSET_DROP, cap, 0, 0, 0); cap++)
		;
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	err = needed_caps(what, map_fd, held, kept);
	return err ? err : set_caps(*kept, *kept);
}

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

/* Sets the filter. 0, also on kernels without seccomp filters, or -errno. */
static int filter_calls(u32 what)
{
	const char *mode = getenv("NVMETOOL_SECCOMP");
	const struct sock_filter deny =
		BPF_STMT(BPF_RET | BPF_K, mode && streq(mode, "kill") ? SECCOMP_RET_KILL_PROCESS
								      : SECCOMP_RET_ERRNO | EPERM);
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

int confine(u32 what, int map_fd, u64 *kept)
{
	int err = drop_caps(what, map_fd, kept);

	if (!err && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		err = -errno;
	if (!err)
		err = filter_calls(what);
	if (err)
		return fail(EXIT_AS(EXIT_PERMISSION), strerror(-err),
			    "check whether a security module or a container forbids it",
			    "cannot drop privileges");
	return 0;
}
