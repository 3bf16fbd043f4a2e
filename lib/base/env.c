// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads variables of the environment, and says where they do not count. */
#include "lib/base/env.h"

#include <stdlib.h>
#include <sys/auxv.h>

bool env_raised(void)
{
	return getauxval(AT_SECURE) != 0;
}

const char *env_get(const char *name)
{
	return env_raised() ? NULL : getenv(name);
}

const char *env_look(const char *name)
{
	return getenv(name);
}
