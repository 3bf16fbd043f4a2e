// SPDX-License-Identifier: GPL-2.0-or-later
/* The paths of files whose inodes the programs tell. */
#include <inttypes.h>
#include <stdio.h>

#include "bpf/shared/file.h"
#include "lib/loader/loader.h"
#include "lib/session/impl.h"
#include "lib/session/lookup.h"

#define RENEW_NS NSEC_PER_SEC /* how long a name is taken to be as it was */

/*
 * Programs write meanwhile, so a hint may be half that of another file. No harm is done: there is no
 * file with that number and generation.
 */
void session_files_watch(struct session *s, u64 now_ns)
{
	size_t size = 0;
	const struct file_hint *hint;

	if (!s->loader || !(s->needs & NEED_FILE))
		return;
	if (now_ns >= s->names.renew_ns) {
		s->names.renew_ns = now_ns + RENEW_NS;
		open_files_renew(&s->names.files);
	}
	hint = loader_memory(s->loader, ".bss.files", &size);
	for (u32 i = 0; hint && i < size / sizeof(*hint); i++) {
		const struct file_hint seen = hint[i];

		session_file_learn(s, &seen.id, seen.pid);
	}
}

void session_file_learn(struct session *s, const struct file_id *id, u32 pid)
{
	if (id->ino)
		open_files_learn(&s->names.files, id, pid);
}

const char *session_file_path(struct session *s, const struct file_id *id)
{
	return s->replay ? replay_file_path(s->replay, id) : open_files_path(&s->names.files, id);
}

const char *session_dev_number(u32 dev, char buf[SESSION_DEV_NUMBER])
{
	snprintf(buf, SESSION_DEV_NUMBER, "%u:%u", dev >> 20, dev & 0xfffff);
	return buf;
}

void session_file_number(const struct file_id *id, char *buf, size_t size)
{
	char dev[SESSION_DEV_NUMBER];

	if (!id->ino)
		snprintf(buf, size, "%s", session_dev_number(id->ino_dev, dev));
	else if (!id->ino_gen)
		snprintf(buf, size, "ino:%" PRIu64, id->ino);
	else
		snprintf(buf, size, "ino:%" PRIu64 ".%u", id->ino, id->ino_gen);
}

void session_file_text(struct session *s, const struct file_id *id, char *buf, size_t size)
{
	const char *path = session_file_path(s, id);
	char mount[256] = "", number[64];

	if (path) {
		snprintf(buf, size, "%s", path);
		return;
	}
	session_file_number(id, number, sizeof(number));
	if (id->ino && !s->replay)
		open_files_mount(id->ino_dev, mount, sizeof(mount));
	snprintf(buf, size, "%s%s%s", number, mount[0] ? " " : "", mount);
}
