// SPDX-License-Identifier: GPL-2.0-or-later
/* Loads bpf/spdk.bpf.c, and attaches it by perf events. */
#include "lib/loader/uprobes.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "embed/embed.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/host/mappings.h"
#include "lib/host/sysfs.h"
#include "lib/loader/loader_impl.h"
#include "lib/loader/log.h"

#define UPROBE_PMU	"/sys/bus/event_source/devices/uprobe"
#define SEMAPHORE_SHIFT 32 /* format/ref_ctr_offset: config:32-63 (4.20) */

struct uprobes {
	const struct probe *probe;
	struct bpf_object *object;
	void *bytes; /* of the object */
	size_t n_bytes;
	struct usdt_counts *counts; /* mapped, WIRE_CPUS of them */
	u32 type; /* of the kernel's perf events */
	int specs; /* descriptor of the map */
	int program[USDT_TARGETS];
	int *event; /* descriptors of attached places */
	u32 n_events, room;
};

/* The number by which the kernel knows uprobes among perf events. 0: it has none. */
static u32 read_type(void)
{
	char line[16];

	sysfs_line(UPROBE_PMU, "type", line, sizeof(line));
	return (u32)strtoul(line, NULL, 10);
}

const char *uprobes_why(const struct probe *p, int err, const char **remedy)
{
	if (err == -ENODEV) {
		*remedy = "use a kernel with CONFIG_UPROBES and CONFIG_UPROBE_EVENTS, and mount "
			  "/sys";
		return "this kernel has no probes on processes";
	}
	if (err != -EACCES && err != -EPERM)
		return NULL;
	if (probe_no_perf(p)) {
		*remedy = PROBE_PERF_REMEDY;
		return "kernel.perf_event_paranoid allows probes to CAP_SYS_ADMIN only";
	}
	*remedy = "run as root, or with CAP_PERFMON and CAP_SYS_PTRACE";
	return "the kernel does not let this user put probes into it";
}

/* Checks what may be missing before anything is loaded. */
static int check_host(const struct probe *probe)
{
	const struct probe_host host = { .p = probe };
	struct probe_fault f;

	return probe_fault(&host, PROBE_CAPS, &f)
		       ? fail(EXIT_AS(f.status), f.why, f.remedy, "%s", f.what)
		       : 0;
}

static int no_uprobes(const struct uprobes *u)
{
	const char *remedy, *why = uprobes_why(u->probe, -ENODEV, &remedy);

	return fail(EXIT_AS(EXIT_KERNEL), why, remedy, UPROBE_PMU);
}

static int open_object(struct uprobes *u, const struct uprobes_setup *setup)
{
	LIBBPF_OPTS(bpf_object_open_opts, open, .object_name = "nvmetool");
	u32 ring_bytes, n = 0;
	struct bpf_program *prog;
	int err;

	loader_log_set(setup->verbose);
	err = embed_bpf("spdk", &u->bytes, &u->n_bytes);
	if (err)
		return fail(err, NULL, NULL, "program 'spdk' of this binary");
	if (setup->verbose > 2)
		open.kernel_log_level = 1;
	u->object = bpf_object__open_mem(u->bytes, u->n_bytes, &open);
	if (!u->object)
		return fail(-errno, NULL, NULL, "program 'spdk' of this binary");
	bpf_object__for_each_program(prog, u->object)
		bpf_program__set_autoload(prog, n++ < setup->targets);
	err = bpf_map__set_max_entries(bpf_object__find_map_by_name(u->object, "specs"),
				       setup->places);
	return err ? fail(err, NULL, NULL, "map of probes")
		   : loader_ring_map(bpf_object__find_map_by_name(u->object, "events"),
				     setup->buffer_bytes, &ring_bytes);
}

static int load(struct uprobes *u, u32 targets)
{
	struct bpf_program *prog;
	u32 n = 0;
	int err = bpf_object__load(u->object);

	if (err)
		return probe_failed(u->probe, err, "load the programs");
	bpf_object__for_each_program(prog, u->object) {
		if (n < targets)
			u->program[n++] = bpf_program__fd(prog);
	}
	u->specs = bpf_object__find_map_fd_by_name(u->object, "specs");
	return 0;
}

static int map_counts(struct uprobes *u)
{
	int fd = bpf_object__find_map_fd_by_name(u->object, ".bss.counts");
	void *memory = mmap(NULL, sizeof(*u->counts) * WIRE_CPUS, PROT_READ, MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED)
		return fail(-errno, NULL, NULL, "the counters of the programs");
	u->counts = memory;
	return 0;
}

int uprobes_open(struct uprobes **uprobes, const struct uprobes_setup *setup)
{
	struct uprobes *u = calloc(1, sizeof(*u));
	int err;

	if (!u)
		return fail(-ENOMEM, NULL, NULL, "session");
	*uprobes = u;
	u->probe = setup->probe;
	u->room = setup->places;
	u->event = calloc(setup->places, sizeof(*u->event));
	if (!u->event)
		return fail(-ENOMEM, NULL, NULL, "session");
	err = check_host(setup->probe);
	u->type = read_type();
	if (!err && !u->type)
		err = no_uprobes(u);
	if (!err)
		err = open_object(u, setup);
	if (!err)
		err = load(u, setup->targets);
	return err ? err : map_counts(u);
}

/*
 * A perf event on the instruction at @offset of a file, in process @pid (0: this one) and all its
 * threads. A descriptor or -errno.
 */
static int open_event(u32 type, const char *path, u64 offset, u64 semaphore, u32 pid)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = semaphore << SEMAPHORE_SHIFT,
		.uprobe_path = (u64)(unsigned long)path,
		.probe_offset = offset,
	};
	long fd = syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static int run_at(int event, int program)
{
	return ioctl(event, PERF_EVENT_IOC_SET_BPF, program) ||
			       ioctl(event, PERF_EVENT_IOC_ENABLE, 0)
		       ? -errno
		       : 0;
}

static int cannot_attach(const struct uprobes *u, const struct uprobe_place *place, int err)
{
	const char *remedy, *why = uprobes_why(u->probe, err, &remedy);

	if (err == -ESRCH)
		return fail(EXIT_AS(EXIT_NOTHING), "it has ended", "name a running process",
			    "--pid %u", place->pid);
	return why ? fail(EXIT_AS(EXIT_PERMISSION), why, remedy, "--pid %u", place->pid)
		   : probe_failed(u->probe, err, "attach to the process");
}

int uprobes_add(struct uprobes *u, const struct uprobe_place *place, const struct usdt_spec *spec)
{
	struct usdt_place key = { .address = place->address, .target = place->target };
	char path[32];
	int fd, err;

	if (u->n_events == u->room)
		return fail(-E2BIG, NULL, NULL, "places of probes");
	if (bpf_map_update_elem(u->specs, &key, spec, BPF_NOEXIST))
		return errno == EEXIST ? -EEXIST : probe_failed(u->probe, -errno, "name a probe");
	/* The file that was read, wherever it is and whatever has its name by now. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", place->fd);
	fd = open_event(u->type, path, place->offset, place->semaphore, place->pid);
	if (fd < 0)
		return cannot_attach(u, place, fd);
	u->event[u->n_events++] = fd;
	err = run_at(fd, u->program[place->target]);
	return err ? cannot_attach(u, place, err) : 0;
}

int uprobes_ring_fd(const struct uprobes *u)
{
	return bpf_object__find_map_fd_by_name(u->object, "events");
}

void uprobes_counts(const struct uprobes *u, struct usdt_counts *sum)
{
	*sum = (struct usdt_counts){ 0 };
	for (u32 i = 0; i < WIRE_CPUS; i++) {
		const volatile struct usdt_counts *c = &u->counts[i];

		sum->hits += c->hits;
		sum->unknown += c->unknown;
		sum->ring_full += c->ring_full;
	}
}

void uprobes_detach(struct uprobes *u)
{
	while (u->n_events)
		close(u->event[--u->n_events]);
}

void uprobes_close(struct uprobes *u)
{
	if (!u)
		return;
	uprobes_detach(u);
	if (u->counts)
		munmap(u->counts, sizeof(*u->counts) * WIRE_CPUS);
	bpf_object__close(u->object);
	free(u->bytes);
	free(u->event);
	free(u);
}

/* Is never called. */
static __attribute__((noinline, used)) int never(int n)
{
	return n + 1;
}

/* Turns an address of this process into an offset of its file. 0: it is not known. */
static u64 offset_of(u64 address)
{
	int err;
	char *text = maps_read("/proc", (u32)getpid(), &err), *rest = text, *line;
	struct maps_line l;
	u64 offset = 0;

	while (!offset && (line = strsep(&rest, "\n"))) {
		if (maps_parse(line, &l) && l.start <= address && address < l.end)
			offset = address - l.start + l.offset;
	}
	free(text);
	return offset;
}

int uprobes_try(void)
{
	const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	u64 offset = offset_of((u64)(unsigned long)never);
	u32 type = read_type();
	int err, fd, program;

	if (!type || !offset)
		return type ? -ENOENT : -ENODEV;
	program = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "nvmetool_probe", "Dual BSD/GPL", nothing,
				ARRAY_SIZE(nothing), NULL);
	if (program < 0)
		return program;
	fd = open_event(type, "/proc/self/exe", offset, 0, 0);
	err = fd < 0 ? fd : run_at(fd, program);
	if (fd >= 0)
		close(fd);
	close(program);
	return err;
}
