// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernel uevents: `action@/devices/...`, then NUL-terminated KEY=VALUE. */
#include "lib/host/uevent.h"

#include <errno.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/base/str.h"

#define KERNEL_GROUP 1

int uevent_open(void)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP };
	int fd =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);

	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr))) {
		int err = -errno;

		close(fd);
		return err;
	}
	return fd;
}

bool uevent_read(int fd)
{
	bool changed = false;
	char text[4096];
	ssize_t n;

	while ((n = recv(fd, text, sizeof(text) - 1, 0)) > 0) {
		text[n] = '\0';
		/*
		 * "change" is ignored: udev causes one whenever a disk that was open for writing is
		 * closed.
		 */
		changed |= (has_prefix(text, "add@") || has_prefix(text, "remove@")) &&
			   strstr(text, "/nvme");
	}
	return changed || (n < 0 && errno == ENOBUFS);
}
