// SPDX-License-Identifier: GPL-2.0-or-later
/* Shows a long text on a terminal through $PAGER, else less or more. */
#ifndef NVT_HELP_PAGER_H
#define NVT_HELP_PAGER_H

#include <stdio.h>

/*
 * Has @print write its text about @subject to a pager, and waits for that. The text goes to standard
 * output instead when that is no terminal, when TERM is dumb, when PAGER is empty or cat, or when
 * the pager cannot be run. Returns what @print returns.
 */
int pager_show(int (*print)(FILE *f, const void *subject), const void *subject);

#endif
