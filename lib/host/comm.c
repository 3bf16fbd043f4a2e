// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/host/comm.h"

#include "lib/base/str.h"

bool comm_read(u32 pid, char *comm, size_t size)
{
	char path[64];
	bool read;
	FILE *f;

	comm[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	read = fgets(comm, (int)size, f);
	comm[strcspn(comm, "\n")] = '\0';
	fclose(f);
	return read;
}
