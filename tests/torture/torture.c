// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes every call of a run that can fail do so, one after the other, as curl's torture tests: the
 * run may not crash, hang or leak; it ends with an error that is said, or, where it ends well, has
 * printed what it prints undisturbed, or said what is not so. One TAP test for each command line.
 *
 * usage: torture N [SEED]     N calls of each command line, drawn by SEED; 0: all of them
 */
#include <errno.h>
#include <sanitizer/lsan_interface.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/str.h"
#include "tests/torture/torture.h"

#define WORDS	    16
#define TEXT	    (1 << 20)
#define LEAKED	    99
#define WRONG_SHOWN 10
#define PATIENCE    20 /* seconds */
#define RECORDING   "tests/data/mixed.nvt"
#define STACKS	    "tests/data/stacks.nvt"

int nvmetool_main(int argc, char **argv); /* main() of cmd/main.c, renamed by the build */

/*
 * Not list: a file of sysfs that cannot be read is not an error there, what it would tell is
 * unknown.
 */
/* clang-format off */
static const char *const lines[][WORDS] = {
	{ "trace", "-i", RECORDING },
	{ "trace", "-i", RECORDING, "-i", STACKS, "--json", "--show", "submit" },
	{ "trace", "-i", RECORDING, "--csv", "-w", "/dev/null" },
	{ "trace", "-i", RECORDING, "-W", "-P", "-c", "0" },
	{ "latency", "-i", RECORDING, "-A", "-b", "ctrl,dev,opcode,size,comm,cgroup" },
	{ "latency", "-i", RECORDING, "--json", "1ms", "--fail-if", "errors>1000", "-q", "0-3" },
	{ "errors", "-i", RECORDING, "-R", "--block", "--json" },
	{ "errors", "-i", RECORDING, "-s" },
	{ "errors", "-i", RECORDING, "-s", "--by", "comm,status" },
	{ "pattern", "-i", RECORDING, "-a", "-b", "comm,dev" },
	{ "stacks", "-i", STACKS, "-k", "-u", "--hist" },
	{ "stacks", "-i", STACKS, "-f", "folded" },
	{ "record", "-i", RECORDING, "-k", "-u", "-Q", "-w", "-" },
	{ "errors", "--decode", "2/81" },
	{ "help", "trace" },
	{ "help", "--man", "latency" },
	{ "completion", "bash" },
	{ "__complete", "trace", "--" },
};
/* clang-format on */

/* The outcome of a run. */
struct result {
	char *out, *err; /* TEXT bytes each */
	size_t out_size, err_size;
	int status; /* as of waitpid() */
	u32 calls;
	char failed[32];
};

/* Memory that the child writes and the parent reads. */
struct shared {
	u32 calls;
	char failed[32];
};

static void child(const char *const *line, struct shared *shared)
{
	const char *argv[WORDS + 2] = { "nvmetool" };
	int argc = 1, status;

	while (argc <= WORDS && line[argc - 1]) {
		argv[argc] = line[argc - 1];
		argc++;
	}
	torture.armed = true;
	status = nvmetool_main(argc, (char **)argv);
	torture.armed = false;
	fflush(stdout);
	shared->calls = torture.calls;
	if (torture.failed)
		snprintf(shared->failed, sizeof(shared->failed), "%s", torture.failed);
	if (__lsan_do_recoverable_leak_check())
		status = LEAKED;
	_exit(status);
}

static size_t slurp(int fd, char *text)
{
	ssize_t n = pread(fd, text, TEXT - 1, 0);

	text[n < 0 ? 0 : n] = '\0';
	return n < 0 ? 0 : (size_t)n;
}

/* Runs a line as @how says. */
static void run(const char *const *line, const struct torture *how, struct result *r)
{
	static struct shared *shared;
	int out = memfd_create("out", MFD_CLOEXEC), err = memfd_create("err", MFD_CLOEXEC);
	pid_t pid;

	if (!shared)
		shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memset(shared, 0, sizeof(*shared));
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		dup2(out, STDOUT_FILENO);
		dup2(err, STDERR_FILENO);
		torture = *how;
		alarm(PATIENCE);
		child(line, shared);
	}
	while (waitpid(pid, &r->status, 0) < 0 && errno == EINTR)
		;
	r->out_size = slurp(out, r->out);
	r->err_size = slurp(err, r->err);
	r->calls = shared->calls;
	memcpy(r->failed, shared->failed, sizeof(r->failed));
	close(out);
	close(err);
}

/* NULL, or what is wrong with a run in which a call failed. */
static const char *wrong(const struct result *r, const struct result *whole)
{
	int status = WEXITSTATUS(r->status);

	if (WIFSIGNALED(r->status))
		return WTERMSIG(r->status) == SIGALRM ? "hangs" : "crashes";
	if (status == LEAKED)
		return "leaks";
	if (strstr(r->err, "Sanitizer") || strstr(r->err, "runtime error"))
		return "was stopped by a sanitizer";
	if (status == WEXITSTATUS(whole->status)) {
		bool same =
			r->out_size == whole->out_size && !memcmp(r->out, whole->out, r->out_size);

		return same || r->err_size > whole->err_size ? NULL
							     : "printed less and did not say so";
	}
	return strstr(r->err, "error: ") ? NULL : "failed without an error";
}

/* Says what went wrong, and where the call is. */
static void diagnose(const char *const *line, struct torture how, const char *what,
		     struct result *r)
{
	char *rest, *text;

	printf("# call %u (%s)%s: %s, status %d signal %d\n", how.fail_at, r->failed,
	       how.lasting ? " and all behind it" : "", what, WEXITSTATUS(r->status),
	       WIFSIGNALED(r->status) ? WTERMSIG(r->status) : 0);
	how.trace = true;
	run(line, &how, r);
	rest = r->err;
	for (u32 i = 0; i < 40 && (text = strsep(&rest, "\n")); i++)
		printf("#   %s\n", text);
}

/*
 * Every call, alone and with all behind it, or @n of them drawn; how many runs went wrong.
 * Undisturbed it has to end well.
 */
static u32 torture_line(const char *const *line, u32 n, struct result *r, struct result *whole)
{
	const struct torture undisturbed = { 0 };
	u32 bad = 0, runs;

	run(line, &undisturbed, whole);
	runs = n ? n : 2 * whole->calls;
	for (u32 i = 0; i < runs && whole->calls && bad < WRONG_SHOWN; i++) {
		struct torture how = {
			.fail_at = 1 + (n ? (u32)random() % whole->calls : i / 2),
			.lasting = n ? random() % 2 : i % 2,
		};
		const char *what;

		run(line, &how, r);
		what = wrong(r, whole);
		if (what)
			diagnose(line, how, what, r);
		bad += what != NULL;
	}
	if (whole->status)
		printf("# status %d undisturbed\n", WEXITSTATUS(whole->status));
	return bad + (!whole->calls || whole->status);
}

static void one_line(u32 i, u32 n, struct result *r, struct result *whole, bool *bad)
{
	bool failed = torture_line(lines[i], n, r, whole);

	printf("%sok %u -", failed ? "not " : "", i + 1);
	for (u32 k = 0; k < WORDS && lines[i][k]; k++)
		printf(" %s", lines[i][k]);
	printf(": %u of %u calls\n", n ? n : whole->calls, whole->calls);
	*bad |= failed;
}

int main(int argc, char **argv)
{
	static char text[4][TEXT];
	struct result r = { .out = text[0], .err = text[1] };
	struct result whole = { .out = text[2], .err = text[3] };
	u32 n = argc > 1 ? (u32)strtoul(argv[1], NULL, 10) : 0;
	unsigned int seed = argc > 2 ? (unsigned int)strtoul(argv[2], NULL, 10) : 1;
	bool bad = false;

	srandom(seed);
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("# seed %u\n", seed);
	for (u32 i = 0; i < ARRAY_SIZE(lines); i++)
		one_line(i, n, &r, &whole, &bad);
	printf("1..%zu\n", ARRAY_SIZE(lines));
	return bad;
}
