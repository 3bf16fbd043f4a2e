// SPDX-License-Identifier: GPL-2.0-or-later
/* Shell patterns of --comm, compiled into the tables that bpf/shared/filter.h matches with. */
#ifndef NVT_BASE_GLOB_H
#define NVT_BASE_GLOB_H

#include "bpf/shared/wire.h"

/*
 * Adds @pattern to the patterns of @f, one of which a name must match, or none with @out. It may hold * ? [a-z] [!x]
 * [[:digit:]] and \, with the meaning of fnmatch(3), byte by byte. All patterns share 64 states;
 * each takes one for each byte, set and ? in it, and one more. Returns 0; -E2BIG when too few
 * states are left; -ENAMETOOLONG when the pattern needs more bytes than a command name has (15);
 * -EINVAL when it ends in a backslash or names an unknown class.
 */
int glob_add(struct filter *f, const char *pattern, bool out);

/* True when all of @text matches @pattern, in which * stands for any bytes and ? for one. */
bool glob_match(const char *pattern, const char *text);

#endif
