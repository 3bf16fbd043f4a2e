// SPDX-License-Identifier: GPL-2.0-or-later
/* The usual source of a live session: programs at the kernel's hooks, and their ring. */
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/btf/btf_types.h"
#include "lib/cli/select.h"
#include "lib/host/confine.h"
#include "lib/loader/btf.h"
#include "lib/loader/loader.h"
#include "lib/session/about.h"
#include "lib/session/impl.h"

/* Reads sysfs, and turns the selection into a filter. */
static int look_at_drives(struct session *s)
{
	int err = sysfs_read(&s->kernel.sysfs, NULL);

	if (err && err != -ENOENT)
		return fail(err, NULL, NULL, "/sys/class/nvme");
	if (!s->kernel.probe.cpus)
		return fail(EXIT_AS(EXIT_KERNEL), "it does not give the number of possible CPUs",
			    "mount -t sysfs sysfs /sys", SYSFS_DIR "/devices/system/cpu/possible");
	s->subject.ctrls = about_ctrls(&s->kernel.sysfs);
	err = device_add_sysfs(&s->subject.dir, &s->kernel.sysfs);
	if (err)
		return fail(err, NULL, NULL, "devices");
	s->subject.parts = device_parts(&s->subject.dir);
	cgroup_init(&s->names.cgroups, NULL);
	return select_filter(&s->subject.filter, &s->inv->common.selection, &s->subject.dir);
}

int session_look(struct session *s, bool (*does_without)(const struct session *s))
{
	const char *btf = s->inv->common.internal.btf;
	struct btf_types types = { 0 };
	int err;

	probe_read(&s->kernel.probe);
	err = features_read_own(&s->kernel.btf, btf, &types);
	if (err || !does_without || !does_without(s))
		err = probe_before(&s->kernel.probe, &s->kernel.btf, err, btf);
	if (loader_btf_open(&types, &s->kernel.btf) && !err)
		err = fail(-ENOMEM, NULL, NULL, "session");
	return err ? err : look_at_drives(s);
}

int session_look_host(struct session *s)
{
	probe_read(&s->kernel.probe);
	return 0;
}

static int look_around(struct session *s)
{
	return session_look(s, NULL);
}

static int open_object(struct session *s)
{
	return loader_open(&s->loader, s->cmd->bpf, &s->inv->common.internal);
}

static int open_cgroups(struct session *s, int *fds)
{
	const struct opt_list *list = &s->inv->common.selection.cgroup;

	for (u32 i = 0; i < list->n; i++) {
		fds[i] = cgroup_open(&s->names.cgroups, list->word[i]);
		if (fds[i] < 0)
			return fds[i];
	}
	return 0;
}

static bool has_zoned(const struct sysfs *s)
{
	for (u32 i = 0; i < s->n_ns; i++) {
		if (s->ns[i].zoned)
			return true;
	}
	return false;
}

/*
 * Adds the needs that follow from others and from the filter. The status of the attempt before is
 * what tells a retry from a new request.
 */
static void settle_needs(struct session *s)
{
	s->needs |= session_filter_needs(&s->subject.filter);
	if (s->needs & NEED_SUBMITTER)
		s->needs |= NEED_STATUS;
	if (s->needs & NEED_QUEUED && !s->kernel.btf.bio_issue)
		s->needs |= NEED_STAMP;
	if (s->needs & (NEED_TASK | NEED_OWNER) && s->kernel.btf.zone_plugs &&
	    has_zoned(&s->kernel.sysfs))
		s->needs |= NEED_PLUG;
}

static int load_and_attach(struct session *s)
{
	const struct session_request *ask = &s->request;
	int fds[FILTER_ITEMS], err;
	struct loader_setup setup = {
		.opts = &s->inv->common.internal,
		.btf = &s->kernel.btf,
		.probe = &s->kernel.probe,
		.sysfs = &s->kernel.sysfs,
		.filter = &s->subject.filter,
		.cgroup_fds = fds,
		.needs = s->needs,
		.max_inflight = ask->max_inflight ? ask->max_inflight + 1 : 0,
		.busy = ask->busy,
		.fast = ask->fast_path_only,
		.no_events = ask->no_events,
		.cpus = s->kernel.probe.cpus,
		.probes = ask->probes,
		.n_probes = ask->n_probes,
	};

	memset(fds, -1, sizeof(fds));
	err = open_cgroups(s, fds);
	if (!err)
		err = loader_attach(s->loader, &setup);
	for (u32 i = 0; i < ARRAY_SIZE(fds); i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	return err;
}

static int attach(struct session *s)
{
	int err;

	settle_needs(s);
	err = session_lockdown(s);
	if (!err)
		err = load_and_attach(s);
	if (!err) {
		s->clock.start_ns = loader_start_ns(s->loader);
		session_syncers_watch(s, s->clock.start_ns);
	}
	return err;
}

static int ring(struct session *s)
{
	return loader_map_fd(s->loader, "events");
}

static u32 still(struct session *s, int *map)
{
	*map = loader_map_fd(s->loader, "claims");
	return LOADER_STILL_NEEDS | (s->needs & (NEED_USTACK | NEED_FILE) ? CONFINE_USERS : 0);
}

static const char *method(struct session *s)
{
	return loader_method(s->loader);
}

/* The words that say what is missing without @hook. */
static const char *what_misses(const char *hook)
{
	if (streq(hook, features_trace_name(BTF_FUNC_INSERT_FLUSH)))
		return "flushes, and writes that wait for them, are shown as those of a kernel "
		       "worker";
	if (streq(hook, features_trace_name(BTF_FUNC_FLUSH_END_IO)))
		return "how many commands a flush of a device above became is not known";
	if (streq(hook, features_trace_name(BTF_FUNC_CHANGE_STATE)))
		return "resets are not seen";
	if (strstr(hook, "timeout"))
		return "timeouts are not seen";
	return "the output does without it";
}

static void tell_missing(struct session *s)
{
	const char *why = probe_no_tp_btf(&s->kernel.probe, &s->kernel.btf);

	if (why && s->kernel.btf.off.known)
		note("attached by raw_tp, because %s: each command costs more", why);
	if (s->kernel.probe.ftrace_off && loader_missing(s->loader, 0))
		note("functions are not traced while kernel.ftrace_enabled is 0");
	for (u32 i = 0; loader_missing(s->loader, i); i++)
		note("this kernel does not let %s be traced: %s", loader_missing(s->loader, i),
		     what_misses(loader_missing(s->loader, i)));
}

/* Says what is traced and how to end it, if stderr is a terminal. */
static void tell_running(const struct session *s)
{
	char names[128] = "";
	u32 followed = 0;
	size_t n = 0;

	if (!isatty(STDERR_FILENO) || s->inv->common.internal.probe_only)
		return;
	for (u32 i = 0; i < s->kernel.sysfs.n_ctrls; i++) {
		if (!filter_ctrl(&s->subject.filter, s->kernel.sysfs.ctrls[i].ctrl_id))
			continue;
		if (followed++ < 4 && n < sizeof(names))
			n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", n ? ", " : "",
					      s->kernel.sysfs.ctrls[i].name);
	}
	if (followed > 4)
		snprintf(names, sizeof(names), "%u controllers", followed);
	note("tracing %s (%s); Ctrl-C to end", followed ? names : "controllers that appear",
	     loader_method(s->loader));
}

static void tell(struct session *s)
{
	tell_missing(s);
	tell_running(s);
}

/*
 * Says when -d names a path that appeared during the run. The filter in the programs is constant,
 * so nothing of that path passes. No uevent announces the path; Identify commands raise the
 * generation a moment before it appears. So sysfs is read once the generation has stopped rising.
 */
static void look_again(struct session *s, u64 now_ns)
{
	u64 seen = s->kernel.seen;
	struct device_dir dir = { 0 };
	struct sysfs sysfs = { 0 };

	if (!s->subject.filter.n_dev || now_ns < s->kernel.look_ns)
		return;
	s->kernel.look_ns = now_ns + WATCH_NS;
	s->kernel.seen = loader_control(s->loader)->generation;
	if (s->kernel.seen != seen || s->kernel.looked == seen)
		return;
	s->kernel.looked = seen;
	if (!sysfs_read(&sysfs, NULL) && !device_add_sysfs(&dir, &sysfs) &&
	    select_lacks(&s->subject.filter, &s->inv->common.selection, &dir)) {
		note("-d names a path or a partition that appeared during the run: it is not traced; start again to trace it");
		s->kernel.look_ns = UINT64_MAX; /* told once */
	}
	device_dir_free(&dir);
	sysfs_free(&sysfs);
}

static void watch(struct session *s, u64 now_ns)
{
	session_check_layout(s);
	look_again(s, now_ns);
}

static void lost(struct session *s, struct counters *c)
{
	loader_lost(s->loader, c);
}

static void detach(struct session *s)
{
	loader_detach(s->loader);
	session_check_layout(s);
}

static void account(struct session *s, struct counters *c)
{
	loader_counters(s->loader, s->clock.end_ns, c);
}

const struct source source_kernel = {
	.look = look_around,
	.open = open_object,
	.attach = attach,
	.ring = ring,
	.still = still,
	.method = method,
	.tell = tell,
	.watch = watch,
	.lost = lost,
	.detach = detach,
	.account = account,
};
