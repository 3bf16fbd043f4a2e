// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints libbpf's messages. Its callback takes no argument of ours, so each level is a callback of
 * its own and there is no state. Without -v nothing is kept: the error names the cause
 * (lib/host/probe.h), and the option that shows more.
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

/* Prints warnings, but not that objects have no line numbers: we removed them (embed/slim.sh). */
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
