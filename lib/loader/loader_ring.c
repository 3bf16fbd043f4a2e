// SPDX-License-Identifier: GPL-2.0-or-later
/* The event buffer: as large as was asked for, or as memory allows. */
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/loader/loader_impl.h"

#define RING_FLOOR (256U << 10) /* less is worth a refusal */

/* A power of two, at least a page. */
static u32 ring_bytes(u64 wanted)
{
	u64 bytes = (u64)sysconf(_SC_PAGESIZE);

	while (bytes < wanted && bytes < 1U << 30)
		bytes *= 2;
	return bytes;
}

/*
 * Makes the buffer. It is made before the other maps, whose loading cannot be tried twice. Where
 * memory is short it takes half of what it could have: the rest of a start needs some, too, and 7.x
 * kills a process that has none left while it verifies programs.
 */
static int make_ring(u32 *bytes)
{
	bool spare = true;
	int fd;

	for (;;) {
		fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "events", 0, 0, *bytes, NULL);
		if ((fd != -ENOMEM && spare) || *bytes / 2 < RING_FLOOR)
			return fd;
		spare = fd >= 0;
		if (spare)
			close(fd);
		*bytes /= 2;
	}
}

int loader_ring_map(struct bpf_map *map, u64 wanted, u32 *bytes)
{
	int fd, err;

	*bytes = ring_bytes(wanted);
	fd = make_ring(bytes);
	if (fd == -ENOMEM)
		return fail(fd, NULL, "use a smaller --buffer, or raise memory.max of the cgroup",
			    "event buffer of %u KiB", *bytes / 1024);
	if (*bytes < ring_bytes(wanted))
		note("the event buffer has %u KiB instead of %u: the cgroup has no more memory",
		     *bytes / 1024, ring_bytes(wanted) / 1024);
	if (fd < 0) /* another reason: the load meets it as well, and explains it */
		return bpf_map__set_max_entries(map, *bytes);
	err = bpf_map__reuse_fd(map, fd);
	close(fd);
	return err ? fail(err, NULL, NULL, "event buffer") : 0;
}

int loader_ring(struct loader *l, u64 wanted, u32 *bytes)
{
	struct bpf_map *map = loader_find_map(l, "events");

	*bytes = ring_bytes(wanted);
	return map ? loader_ring_map(map, wanted, bytes) : 0;
}
