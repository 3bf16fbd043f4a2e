// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libbpf's messages. Its callback carries no argument of ours, so the level is one of libbpf's own
 * callbacks: no state here. Without -v nothing is kept: the error names the cause
 * (lib/host/probe.h) and what to type to see more.
 */
#include "lib/loader/log.h"

#include <bpf/libbpf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int print_nothing(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

/* That objects have no line numbers is our doing (embed/slim.sh) and no news. */
static int print_warnings(enum libbpf_print_level level, const char *format, va_list args)
{
	if (level != LIBBPF_WARN || strstr(format, "missing .BTF.ext line info"))
		return 0;
	return vfprintf(stderr, format, args);
}

static int print_all(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	return vfprintf(stderr, format, args);
}

void loader_log_set(u32 verbose)
{
	libbpf_set_print(verbose == 0 ? print_nothing : verbose == 1 ? print_warnings : print_all);
}
