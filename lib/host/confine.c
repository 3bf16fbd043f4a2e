// SPDX-License-Identifier: GPL-2.0-or-later
/* Capabilities and no_new_privs; the calls that are left are in calls.c. */
#include "lib/host/confine.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/host/calls.h"

/* The capabilities that may stay, and what each is for. */
static const struct {
	u8 cap;
	u16 what; /* enum confine_for */
	const char *name;
} kept_caps[] = {
	{ CAP_SYS_PTRACE, CONFINE_USERS, "CAP_SYS_PTRACE" },
	{ CAP_DAC_READ_SEARCH, CONFINE_USERS, "CAP_DAC_READ_SEARCH" },
	{ CAP_CHECKPOINT_RESTORE, CONFINE_USERS, "CAP_CHECKPOINT_RESTORE" }, /* map_files */
	{ CAP_BPF, CONFINE_MAPS | CONFINE_WALK, "CAP_BPF" },
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
	if (!err && what & (CONFINE_MAPS | CONFINE_WALK) &&
	    bpf_obj_get_info_by_fd(map_fd, &info, &len) && errno == EPERM)
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

int confine(u32 what, int map_fd, u64 *kept)
{
	int err = drop_caps(what, map_fd, kept);

	if (!err && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		err = -errno;
	if (!err)
		err = calls_filter(what, SECCOMP_RET_ERRNO | EPERM);
	if (err)
		return fail(EXIT_AS(EXIT_PERMISSION), err_text(err),
			    "check whether a security module or a container forbids it",
			    "cannot drop privileges");
	return 0;
}
