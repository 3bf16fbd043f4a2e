// SPDX-License-Identifier: GPL-2.0-or-later
/* From the words of the command line to processes, and to the places of their probes. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cmd/spdk/spdk.h"
#include "lib/base/err.h"
#include "lib/base/glob.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/host/comm.h"

#define PROVIDER "spdk"

/* The sets that are attached to unless told: intr-wakeups may fire hundreds of times a second. */
#define USUAL_SETS (~0ULL & ~(1ULL << SPDK_WAKEUPS))

static int too_many(void)
{
	return fail(EXIT_AS(EXIT_USAGE), "at most 16 are traced at once", "name fewer",
		    "processes");
}

/* Opens a file of the process, -1: it cannot be. */
static int open_proc(u32 pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Adds a process, once. A thread's number is none of a process. */
static int add_pid(struct spdk_targets *t, u32 pid)
{
	struct spdk_target *target = &t->target[t->n];
	long fd;

	for (u32 i = 0; i < t->n; i++) {
		if (t->target[i].process.pid == pid)
			return 0;
	}
	if (t->n == USDT_TARGETS)
		return too_many();
	fd = syscall(SYS_pidfd_open, pid, 0);
	if (fd < 0 && errno == ESRCH)
		return fail(EXIT_AS(EXIT_NOTHING), "no such process", "list them: ps -e",
			    "--pid %u", pid);
	if (fd < 0 && (errno == EINVAL || errno == ENOENT))
		return fail(EXIT_AS(EXIT_NOTHING), "it is a thread",
			    "give the number of its process", "--pid %u", pid);
	if (fd < 0)
		return fail(-errno, NULL, NULL, "--pid %u", pid);
	target->pidfd = (int)fd;
	target->process.pid = pid;
	target->map = open_proc(pid, "maps");
	target->memory = open_proc(pid, "statm");
	t->n++;
	return 0;
}

static int add_words(struct spdk_targets *t, const char *list)
{
	char word[32];
	u64 pid;
	int err = 0;

	while (!err && str_word(&list, ',', word, sizeof(word))) {
		if (units_count(word, &pid) || !pid || pid > INT32_MAX)
			return fail_usage("expected the number of a process", "",
					  "bad value '%s' for --pid", word);
		err = add_pid(t, (u32)pid);
	}
	return err;
}

/* Whether a name of a process, or of a probe, matches a pattern of a comma list. */
static bool matches(const struct opt_list *patterns, const char *name)
{
	for (u32 i = 0; i < patterns->n; i++) {
		const char *list = patterns->word[i];
		char pattern[128];

		while (str_word(&list, ',', pattern, sizeof(pattern))) {
			if (glob_match(pattern, name))
				return true;
		}
	}
	return false;
}

/* Adds the processes whose name matches --comm, but not this one. */
static int add_named(struct spdk_targets *t, const struct opt_list *comm)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	u32 before = t->n;
	int err = 0;

	if (!dir)
		return fail(-errno, NULL, "mount -t proc proc /proc", "/proc");
	while (!err && (entry = readdir(dir))) {
		char name[16];
		u64 pid;

		if (units_count(entry->d_name, &pid) || pid == (u64)getpid())
			continue;
		if (comm_read((u32)pid, name, sizeof(name)) && name[0] && matches(comm, name))
			err = add_pid(t, (u32)pid);
	}
	closedir(dir);
	if (!err && t->n == before)
		return fail(EXIT_AS(EXIT_NOTHING), "no process has such a name", "list them: ps -e",
			    "--comm '%s'", comm->word[0]);
	return err;
}

static void read_version(struct spdk_target *target)
{
	u32 version = target->process.version;

	if (version)
		snprintf(target->version, sizeof(target->version), "v%02u.%02u%s", version / 100,
			 version % 100, target->process.pre ? "-pre" : "");
}

static int read_target(struct spdk_target *target)
{
	struct usdt_process *p = &target->process;
	int err = usdt_process_read(p, p->pid, PROVIDER);

	if (err)
		return err;
	read_version(target);
	if (p->closed && !p->open)
		return fail(EXIT_AS(EXIT_PERMISSION), "none of its files can be read",
			    "run as root, or with CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH",
			    "process %u (%s)", p->pid, p->comm);
	if (p->closed && !p->n_at)
		note("process %u: cannot read %u of its files, such as %s", p->pid, p->closed,
		     p->closed_path);
	if (p->bad)
		note("process %u: %u notes in its files make no sense, and are left out", p->pid,
		     p->bad);
	return 0;
}

static bool wanted(const struct spdk_opts *opts, const char *name)
{
	u64 sets = opts->sets ? opts->sets : opts->probe.n || opts->list ? ~0ULL : USUAL_SETS;

	return sets & 1ULL << spdk_set_of(name) && (!opts->probe.n || matches(&opts->probe, name));
}

static int read_place(struct spdk_place *place, const struct spdk_target *target,
		      const struct usdt_at *at)
{
	const struct usdt_process *p = &target->process;
	const char *why[USDT_ARGS] = { NULL };
	struct spdk_shape *shape = &place->site.shape;
	u32 texts = 0;

	*place = (struct spdk_place){ .at = at };
	if (usdt_process_args(p, at, &place->spec, why))
		place->why = "more than 12 arguments";
	spdk_shape(shape, at->probe->name, &place->spec);
	shape->states = spdk_states_of(p->version, p->pre);
	for (u32 i = 0; i < shape->n_args; i++) {
		struct usdt_arg *arg = &place->spec.arg[i];

		place->why = why[i] ? why[i] : place->why;
		arg->is_text = shape->arg[i].type == SPDK_STRING && arg->kind != USDT_UNREADABLE &&
			       texts < USDT_TEXTS;
		texts += arg->is_text;
	}
	place->spec.n_texts = (u8)texts;
	place->site.pid = p->pid;
	place->site.comm = p->comm;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct spdk_place *x = a, *y = b;
	int diff = x->target < y->target ? -1 : x->target > y->target;

	if (!diff)
		diff = strcmp(x->at->probe->name, y->at->probe->name);
	if (!diff)
		diff = x->at->address < y->at->address ? -1 : x->at->address > y->at->address;
	return diff;
}

/* Reads the places that are wanted of all processes. */
static int read_places(struct spdk_targets *t, const struct spdk_opts *opts)
{
	u32 room = 0;

	for (u32 i = 0; i < t->n; i++)
		room += t->target[i].process.n_at;
	t->place = calloc(room + 1, sizeof(*t->place));
	if (!t->place)
		return fail(-ENOMEM, NULL, NULL, "probes");
	for (u32 i = 0; i < t->n; i++) {
		const struct usdt_process *p = &t->target[i].process;

		for (u32 k = 0; k < p->n_at; k++) {
			struct spdk_place *place = &t->place[t->n_places];

			if (!wanted(opts, p->at[k].probe->name))
				continue;
			read_place(place, &t->target[i], &p->at[k]);
			place->target = i;
			t->n_places++;
		}
	}
	qsort(t->place, t->n_places, sizeof(*t->place), compare);
	return 0;
}

/* A process without probes is an error where it was named. */
static int check_probes(const struct spdk_targets *t, u32 named)
{
	for (u32 i = 0; i < named; i++) {
		const struct usdt_process *p = &t->target[i].process;

		if (!p->n_at)
			return fail(EXIT_AS(EXIT_NOTHING), "its files have no probes of SPDK",
				    "use an SPDK that was built --with-usdt", "process %u (%s)",
				    p->pid, p->comm);
	}
	if (t->n_places)
		return 0;
	return fail(EXIT_AS(EXIT_NOTHING), "none of the processes has one that is selected",
		    "see what there is: --list", "probes");
}

int spdk_targets_read(struct spdk_targets *t, const struct spdk_opts *opts)
{
	u32 named;
	int err = 0;

	if (!opts->pid.n && !opts->comm.n)
		return fail_usage("no process is named", "give one: -p PID, or --comm NAME",
				  "spdk");
	for (u32 i = 0; !err && i < opts->pid.n; i++)
		err = add_words(t, opts->pid.word[i]);
	named = t->n;
	if (!err && opts->comm.n)
		err = add_named(t, &opts->comm);
	for (u32 i = 0; !err && i < t->n; i++)
		err = read_target(&t->target[i]);
	if (!err)
		err = read_places(t, opts);
	return err ? err : check_probes(t, named);
}

void spdk_targets_free(struct spdk_targets *t)
{
	for (u32 i = 0; i < t->n; i++) {
		close(t->target[i].pidfd);
		if (t->target[i].map >= 0)
			close(t->target[i].map);
		if (t->target[i].memory >= 0)
			close(t->target[i].memory);
		usdt_process_free(&t->target[i].process);
	}
	free(t->place);
}
