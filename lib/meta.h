// SPDX-License-Identifier: GPL-2.0-or-later
/* The first record of every JSON stream: what ran, where and when (cli.md, "JSON records"). */
#ifndef NVT_META_H
#define NVT_META_H

#include "lib/cmd.h"

#define META_SCHEMA "nvmetool/1"

/* Writes schema, version, command, argv, host, kernel, arch, ts and mono_ns into the open record @j. */
void meta_fill(struct json *j, const struct invocation *inv);

#endif
