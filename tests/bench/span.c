// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * span OBJECT [of=FUNCTION] PROGRAM... [-- COMMAND]: attaches the spans and the named programs of span.bpf.c
 * (floor_setup_btf, ...), runs COMMAND, and prints `LENGTH COUNT`: the most frequent length in
 * nanoseconds of submissions that the interrupt of their completion came into, and how many were of
 * that length. of=FUNCTION: of calls of that function of the kernel instead of submit_bio(),
 * for I/O that is only sent when its caller has made all of it.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/str.h"

static int quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	return level == LIBBPF_WARN ? vfprintf(stderr, format, args) : 0;
}

static bool wanted(const char *name, int argc, char **argv)
{
	for (int i = 2; i < argc && !streq(argv[i], "--"); i++) {
		if (streq(argv[i], name))
			return true;
	}
	return !has_prefix(name, "floor_");
}

/*
 * Chooses the drive's interrupt. Without the modules' BTF (5.10) any that completes I/O, of which
 * the guest has few others: with one queue these run outside of the interrupt there
 * (blk_mq_complete_request_remote()).
 */
static void choose_irq(struct bpf_program *prog)
{
	if (streq(bpf_program__name(prog), "irq_end") &&
	    bpf_program__set_attach_target(prog, 0, "nvme_irq"))
		bpf_program__set_attach_target(prog, 0, "blk_done_softirq");
}

static void choose_span(struct bpf_program *prog, const char *word)
{
	if (has_prefix(word, "of=") && has_prefix(bpf_program__name(prog), "submit_"))
		bpf_program__set_attach_target(prog, 0, word + strlen("of="));
}

/* Prints the most frequent span, and how many had it. */
static void print_mode(const struct bpf_object *object)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, ".bss.spans");
	u32 n, best = 0, *spans;

	if (!map)
		return;
	n = bpf_map__value_size(map) / sizeof(*spans);
	spans = mmap(NULL, n * sizeof(*spans), PROT_READ, MAP_SHARED, bpf_map__fd(map), 0);
	if (spans == MAP_FAILED)
		return;
	for (u32 i = 0; i < n; i++) {
		if (spans[i] > spans[best])
			best = i;
	}
	printf("%u %u\n", best, spans[best]);
}

static int run(char **argv)
{
	pid_t pid = fork();
	int status = 1;

	if (pid == 0) {
		execvp(argv[0], argv);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	return status;
}

int main(int argc, char **argv)
{
	struct bpf_object *object;
	struct bpf_program *prog;
	int i = 2;

	libbpf_set_print(quiet);
	object = argc > 2 ? bpf_object__open_file(argv[1], NULL) : NULL;
	if (!object)
		return 2;
	bpf_object__for_each_program(prog, object) {
		bpf_program__set_autoload(prog, wanted(bpf_program__name(prog), argc, argv));
		choose_irq(prog);
		choose_span(prog, argv[2]);
	}
	if (bpf_object__load(object))
		return 1;
	bpf_object__for_each_program(prog, object) {
		if (bpf_program__autoload(prog) && !bpf_program__attach(prog))
			return 1;
	}
	while (i < argc && !streq(argv[i], "--"))
		i++;
	if (i + 1 >= argc || run(argv + i + 1))
		return 1;
	print_mode(object);
	return 0;
}
