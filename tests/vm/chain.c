// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program for tests, whose user stacks are known: it reads a block device from outer > middle >
 * inner, or from a given number of different chains of functions.
 *
 * chain DEVICE COUNT: COUNT reads from one stack. If the name of the program ends in ".gone", it
 * first removes its file.
 * chain DEVICE COUNT LEVELS: COUNT reads from each of 2^LEVELS stacks.
 *
 * It has to be built with frame pointers. The system call is inline, so that no function of a
 * library is in the stack.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define KEEP()	 __asm__ volatile("" ::: "memory") /* no tail call, so that the frame stays */

static int fd, count;
static char block[4096] __attribute__((aligned(4096)));

static long read_block(void)
{
#ifdef __x86_64__
	long ret;
	register long offset __asm__("r10") = 0;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(SYS_pread64), "D"(fd), "S"(block), "d"(sizeof(block)), "r"(offset)
			 : "rcx", "r11", "memory");
	return ret;
#else
	register long number __asm__("x8") = SYS_pread64, ret __asm__("x0") = fd;
	register long size __asm__("x2") = sizeof(block), offset __asm__("x3") = 0;
	register char *to __asm__("x1") = block;

	__asm__ volatile("svc 0"
			 : "+r"(ret)
			 : "r"(number), "r"(to), "r"(size), "r"(offset)
			 : "memory");
	return ret;
#endif
}

static NOINLINE void inner(void)
{
	for (int i = 0; i < count; i++) {
		if (read_block() != sizeof(block))
			exit(1);
	}
	KEEP();
}

static NOINLINE void middle(void)
{
	inner();
	KEEP();
}

static NOINLINE void outer(void)
{
	middle();
	KEEP();
}

static void choose(unsigned long path, int levels);

static NOINLINE void left(unsigned long path, int levels)
{
	choose(path, levels);
	KEEP();
}

static NOINLINE void right(unsigned long path, int levels)
{
	choose(path, levels);
	KEEP();
}

static NOINLINE void choose(unsigned long path, int levels)
{
	if (!levels)
		inner();
	else if (path & 1)
		left(path >> 1, levels - 1);
	else
		right(path >> 1, levels - 1);
	KEEP();
}

int main(int argc, char **argv)
{
	int levels = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 0;
	const char *end = strrchr(argv[0], '.');

	if (argc < 3)
		return 2;
	fd = open(argv[1], O_RDONLY | O_DIRECT);
	count = (int)strtol(argv[2], NULL, 10);
	if (fd < 0 || (end && strcmp(end, ".gone") == 0 && unlink(argv[0])))
		return 1;
	if (!levels)
		outer();
	for (unsigned long path = 0; levels && path < 1UL << levels; path++)
		choose(path, levels);
	return 0;
}
