// SPDX-License-Identifier: GPL-2.0-or-later
/* The paths of files whose inodes the programs tell. */
#include <inttypes.h>
#include <stdio.h>

#include "bpf/shared/file.h"
#include "lib/loader/loader.h"
#include "lib/session/impl.h"
#include "lib/session/lookup.h"

/*
 * Programs write meanwhile, so a hint may be half that of another file. No harm is done: the file
 * must be among those that the process has open.
 */
void session_files_watch(struct session *s)
{
	size_t size = 0;
	const struct file_id *hint;

	if (!s->loader || !(s->needs & NEED_FILE))
		return;
	hint = loader_memory(s->loader, ".bss.files", &size);
	for (u32 i = 0; hint && i < size / sizeof(*hint); i++) {
		const struct file_id id = hint[i];

		session_file_learn(s, &id);
	}
}

void session_file_learn(struct session *s, const struct file_id *id)
{
	if (id->ino && id->pid)
		open_files_learn(&s->names.files, id);
}

const char *session_file_path(struct session *s, u32 ino_dev, u64 ino)
{
	return s->replay ? replay_file_path(s->replay, ino_dev, ino)
			 : open_files_path(&s->names.files, ino_dev, ino);
}

const char *session_dev_number(u32 dev, char buf[SESSION_DEV_NUMBER])
{
	snprintf(buf, SESSION_DEV_NUMBER, "%u:%u", dev >> 20, dev & 0xfffff);
	return buf;
}

void session_file_text(struct session *s, u32 ino_dev, u64 ino, char *buf, size_t size)
{
	const char *path = session_file_path(s, ino_dev, ino);
	char mount[256] = "";

	if (!path && !s->replay)
		open_files_mount(ino_dev, mount, sizeof(mount));
	if (path)
		snprintf(buf, size, "%s", path);
	else if (ino)
		snprintf(buf, size, "ino:%" PRIu64 "%s%s", ino, mount[0] ? " " : "", mount);
	else
		session_dev_number(ino_dev, buf);
}
