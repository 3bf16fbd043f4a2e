// SPDX-License-Identifier: GPL-2.0-or-later
/* Descriptors 0, 1 and 2, which a caller may have closed. */
#ifndef NVT_BASE_STDFD_H
#define NVT_BASE_STDFD_H

/*
 * Opens /dev/null on those of 0..2 that are closed: the next file opened would take the number and
 * be written to as standard output or error. First thing in main(). 0, EXIT_AS(EXIT_RUNTIME) after
 * a message when standard output was closed, or -errno after a message.
 */
int stdfd_open(void);

#endif
