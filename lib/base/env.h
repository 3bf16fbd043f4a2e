// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The environment. It may come from a user with fewer privileges than ours, where the binary has
 * capabilities of its file: then it changes how output looks, and nothing else. getenv() is called
 * here only.
 */
#ifndef NVT_BASE_ENV_H
#define NVT_BASE_ENV_H

#include "lib/base/types.h"

/* True when this process has privileges that its parent did not have (AT_SECURE). */
bool env_raised(void);

/* Returns variable @name, NULL when it is not set, or when env_raised(). */
const char *env_get(const char *name);

/* Returns it even when env_raised(): only for variables that change how output looks. */
const char *env_look(const char *name);

#endif
