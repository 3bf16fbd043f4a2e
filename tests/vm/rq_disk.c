// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loads the programs of block_rq_complete that read with types, on a kernel whose request_queue has no member `disk`.
 * nvmetool itself loads none of them on 5.10, whose modules have no BTF; 5.11 to 5.14 have that, and read the same way.
 *
 * rq_disk OBJECT...: prints each program; status 1: the kernel refuses one, or there is none.
 */
#include <bpf/libbpf.h>
#include <stdio.h>
#include <string.h>

#include "bpf/shared/wire.h"

/* Every need that the object is made for, so that the verifier sees all of the program. */
static void configure(struct bpf_map *map)
{
	size_t size;
	struct prog_cfg cfg = *(const struct prog_cfg *)bpf_map__initial_value(map, &size);

	memset(&cfg.off, sizeof(u64), sizeof(cfg.off));
	cfg.needs = ~cfg.never;
	cfg.queues = cfg.command_slots = 8;
	cfg.probe_read = cfg.xadd = 1;
	bpf_map__set_initial_value(map, &cfg, sizeof(cfg));
}

static int prepare(struct bpf_object *object, const char *file)
{
	struct bpf_program *prog;
	struct bpf_map *map;
	int n = 0;

	bpf_object__for_each_map(map, object) {
		if (strstr(bpf_map__name(map), ".rodata.cfg"))
			configure(map);
	}
	bpf_object__for_each_program(prog, object) {
		bool wanted = !strcmp(bpf_program__section_name(prog), "tp_btf/block_rq_complete");

		bpf_program__set_autoload(prog, wanted);
		if (wanted && ++n)
			printf("%s: %s\n", file, bpf_program__name(prog));
	}
	return n;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct bpf_object *object = bpf_object__open_file(argv[i], NULL);

		if (!object || !prepare(object, argv[i]) || bpf_object__load(object))
			return 1;
		bpf_object__close(object);
	}
	return argc < 2;
}
