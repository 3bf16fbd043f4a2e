// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program for tests, whose user stacks are known: it reads a block device from outer > middle >
 * inner, or from a given number of different chains of functions.
 *
 * chain DEVICE COUNT: COUNT reads from one stack. If the name of the program ends in ".gone", it
 * first removes its file; if in ".jit", the caller of inner is code made at run time, which
 * /tmp/perf-PID.map calls "compiled code".
 * chain DEVICE COUNT LEVELS: COUNT reads from each of 2^LEVELS stacks.
 *
 * It has to be built with frame pointers. The system call is inline, so that no function of a
 * library is in the stack.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

/* Makes a function that calls the one it is given. */
static void compile_and_call(void)
{
#ifdef __x86_64__
	/* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret */
	static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };
#else
	/* stp x29,x30,[sp,#-16]!; mov x29,sp; blr x0; ldp x29,x30,[sp],#16; ret */
	static const unsigned int code[] = { 0xa9bf7bfd, 0x910003fd, 0xd63f0000, 0xa8c17bfd,
					     0xd65f03c0 };
#endif
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char name[64];
	FILE *map;

	snprintf(name, sizeof(name), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(name, "w");
	if (at == MAP_FAILED || !map)
		exit(1);
	memcpy(at, code, sizeof(code));
	mprotect(at, 4096, PROT_READ | PROT_EXEC);
	__builtin___clear_cache(at, (char *)at + sizeof(code));
	fprintf(map, "%lx %lx compiled code\n", (unsigned long)at, (unsigned long)sizeof(code));
	fclose(map);
	((void (*)(void (*)(void)))at)(inner);
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
	if (end && strcmp(end, ".jit") == 0)
		compile_and_call();
	else if (!levels)
		outer();
	for (unsigned long path = 0; levels && path < 1UL << levels; path++)
		choose(path, levels);
	return 0;
}
