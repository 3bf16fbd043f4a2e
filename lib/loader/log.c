// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libbpf's messages. Its callback carries no argument of ours, so the level is one of libbpf's own
 * callbacks: no state here. Without -v nothing is kept: the error names the cause
 * (lib/host/probe.h) and what to type to see more.
 */
#include "lib/loader/log.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#if __has_include(<bpf/relo_core.h>)
#include <bpf/relo_core.h> /* of libbpf itself: a distribution's has none, nor is it ours to change */
#define OUR_LIBBPF
#endif
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

#ifdef OUR_LIBBPF
/*
 * libbpf makes it several times for each relocation, whether anybody reads it or not: its own took
 * a thirtieth of a start.
 */
int loader_log_spec(char *text, size_t size, const struct bpf_core_spec *spec)
{
	const struct btf_type *type = btf__type_by_id(spec->btf, spec->root_type_id);
	const char *name = btf__name_by_offset(spec->btf, type->name_off);
	const char *member = spec->len ? spec->spec[spec->len - 1].name : NULL;

	return snprintf(text, size, "%s%s%s", name, member ? "." : "", member ? member : "");
}
#endif
