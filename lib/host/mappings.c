// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads /proc/PID/maps. */
#include "lib/host/mappings.h"

#include <errno.h>
#include <limits.h>

#include "lib/base/str.h"

/* Takes a number and the byte behind it. */
static bool take(char **at, int base, char behind, u64 *value)
{
	char *end;

	*value = strtoull(*at, &end, base);
	if (end == *at || *end != behind)
		return false;
	*at = end + 1;
	return true;
}

/* "7f00-7fff r-xp 00002000 08:01 4711      /usr/bin/fio" */
bool maps_parse(char *text, struct maps_line *l)
{
	u64 major, minor;
	char *at = text;

	text[strcspn(text, "\n")] = '\0';
	if (!take(&at, 16, '-', &l->start) || !take(&at, 16, ' ', &l->end) || strlen(at) < 5)
		return false;
	l->executable = at[2] == 'x';
	at += 5;
	if (!take(&at, 16, ' ', &l->offset) || !take(&at, 16, ':', &major) ||
	    !take(&at, 16, ' ', &minor))
		return false;
	l->dev_major = (u32)major;
	l->dev_minor = (u32)minor;
	l->inode = strtoull(at, &at, 10);
	l->path = at + strspn(at, " ");
	return true;
}

char *maps_read(const char *proc, u32 pid, int *err)
{
	char path[PATH_MAX], *text = NULL;
	size_t size = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%u/maps", proc, pid);
	f = fopen(path, "re");
	if (!f) {
		*err = -errno;
		return NULL;
	}
	if (getdelim(&text, &size, '\0', f) <= 0) {
		*err = ferror(f) ? -EACCES : -ESRCH;
		free(text);
		text = NULL;
	}
	fclose(f);
	return text;
}
