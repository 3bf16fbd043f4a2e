// SPDX-License-Identifier: GPL-2.0-or-later
/* Input of the fuzz targets: files that exist in memory only, and words. */
#include "tests/fuzz/feed.h"

#include <elf.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/str.h"
#include "lib/session/session.h"

int feed_file(const void *data, size_t size, char path[FEED_PATH])
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET))
		abort();
	snprintf(path, FEED_PATH, "/proc/self/fd/%d", fd);
	return fd;
}

int feed_elf(const u8 *data, size_t size, char path[FEED_PATH])
{
	static const u8 magic[] = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3 };
	u8 *file = malloc(size + sizeof(magic));
	int fd;

	if (!file)
		abort();
	memcpy(file, magic, sizeof(magic));
	memcpy(file + sizeof(magic), data, size);
	fd = feed_file(file, size + sizeof(magic), path);
	free(file);
	return fd;
}

void feed_words(struct feed_words *w, const char *first, const u8 *data, size_t size)
{
	char *rest, *word;

	*w = (struct feed_words){ .text = strndup((const char *)data, size) };
	if (!w->text)
		abort();
	if (first)
		w->word[w->n++] = (char *)first;
	rest = w->text;
	while (w->n < FEED_WORDS && (word = strsep(&rest, "\n")))
		w->word[w->n++] = word;
}

void feed_free(struct feed_words *w)
{
	free(w->text);
}

int feed_command(const struct cmd *cmd, int argc, char **argv, bool run)
{
	struct invocation inv = { .cmd = cmd, .argc = argc, .argv = argv };
	struct opt_group groups[COMMON_GROUPS];
	sigset_t mask;
	int err;

	inv.cfg = calloc(1, cmd->cfg_size + 1);
	if (!inv.cfg)
		abort();
	common_groups(cmd, &inv.common, inv.cfg, groups);
	err = opt_parse(groups, argc, argv, &inv.rest);
	if (!err && !inv.common.internal.help && !inv.common.internal.version)
		err = common_check(&inv);
	/* A session blocks signals for good: it is the last thing that a process does. */
	sigprocmask(SIG_SETMASK, NULL, &mask);
	if (!err && run)
		err = cmd->run && !cmd->untraced ? cmd->run(&inv) : session_run(&inv);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	free(inv.cfg);
	return err;
}
