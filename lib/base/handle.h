// SPDX-License-Identifier: GPL-2.0-or-later
/* Handles (O_PATH) on files: a caller looks at a file before it opens it. */
#ifndef NVT_BASE_HANDLE_H
#define NVT_BASE_HANDLE_H

/*
 * Opens the file of @handle for reading, and does not wait for it. Returns a descriptor, or -1 with
 * errno. @handle stays open.
 */
int handle_open(int handle);

#endif
