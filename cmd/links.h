// SPDX-License-Identifier: GPL-2.0-or-later
/* Links `nvmetool-NAME` that run one command each. */
#ifndef NVT_LINKS_H
#define NVT_LINKS_H

/* The command's name in @argv0 (`/usr/bin/nvmetool-trace` gives "trace"), or NULL. */
const char *links_command(const char *argv0);

/*
 * Makes a symbolic link to the running program in @dir for each command. Links that are there and
 * point to it are kept. 0 or -errno after a message.
 */
int links_install(const char *dir);

#endif
