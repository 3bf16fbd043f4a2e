// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program with one probe that loads others while it runs: probes.c as a library.
 *
 * usage: late LIBRARY ROUNDS [quiet]    says ready on stderr; at the first line of stdin it fires its
 *     probe and becomes what probes.c is, which says ready again
 */
#include <dlfcn.h>
#include <stdio.h>
#include <sys/sdt.h>

int main(int argc, char **argv)
{
	int (*probes_main)(int, char **);
	char line[16];
	void *library;

	fputs("ready\n", stderr);
	if (argc < 3 || !fgets(line, sizeof(line), stdin))
		return 1;
	STAP_PROBE2(spdk, nvmf_tgt_state, 0, 4);
	library = dlopen(argv[1], RTLD_NOW);
	if (!library)
		return 1;
	*(void **)&probes_main = dlsym(library, "probes_main");
	return probes_main ? probes_main(argc - 1, argv + 1) : 1;
}
