// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs a fuzz target on the files named, as `make test` does with its corpus; prints TAP. A crash
 * ends the program before its plan is printed, which fails the suite; the last comment names the
 * file.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/str.h"
#include "tests/fuzz/feed.h"

/*
 * False when the file cannot be read whole. The copy ends where the file does, so that ASan sees
 * its end.
 */
static bool run_file(const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	struct stat st = { 0 };
	u8 *data;
	bool ran;

	if (fd < 0 || fstat(fd, &st))
		return false;
	data = malloc((size_t)st.st_size);
	ran = data && read(fd, data, (size_t)st.st_size) == st.st_size;
	close(fd);
	if (ran)
		LLVMFuzzerTestOneInput(data, (size_t)st.st_size);
	free(data);
	return ran;
}

int main(int argc, char **argv)
{
	int bad = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 1; i < argc; i++) {
		printf("# %s\n", argv[i]);
		bool ran = run_file(argv[i]);

		printf("%sok %d - %s\n", ran ? "" : "not ", i, argv[i]);
		bad |= !ran;
	}
	printf("1..%d\n", argc - 1);
	return bad;
}
