// SPDX-License-Identifier: GPL-2.0-or-later
/* Opens a handle through /proc: openat() with an empty path takes none. */
#include "lib/base/handle.h"

#include <fcntl.h>

#include "lib/base/str.h"

int handle_open(int handle)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", handle);
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}
