// SPDX-License-Identifier: GPL-2.0-or-later
/* Descriptors 0, 1 and 2, which a caller may have closed. */
#ifndef NVT_BASE_STDFD_H
#define NVT_BASE_STDFD_H

/*
 * Opens /dev/null on each of 0..2 that is closed. Otherwise the next file opened would get that
 * number, and messages would be written into it. main() calls this first. 0, EXIT_AS(EXIT_RUNTIME)
 * after a message when standard output was closed, or -errno after a message.
 */
int stdfd_open(void);

#endif
