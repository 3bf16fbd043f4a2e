// SPDX-License-Identifier: GPL-2.0-or-later
/* lives DEVICE COUNT: COUNT processes, one after the other, each with one read of its own. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int read_once(const char *device)
{
	static char block[4096] __attribute__((aligned(4096)));
	int fd = open(device, O_RDONLY | O_DIRECT);

	return fd >= 0 && pread(fd, block, sizeof(block), 0) == sizeof(block) ? 0 : 1;
}

int main(int argc, char **argv)
{
	int count = argc == 3 ? (int)strtol(argv[2], NULL, 10) : 0, status = 1;

	for (int i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid < 0) {
			perror("fork");
			return 1;
		}
		if (!pid)
			_exit(read_once(argv[1]));
		if (waitpid(pid, &status, 0) != pid || status)
			return 1;
	}
	return count ? 0 : 1;
}
