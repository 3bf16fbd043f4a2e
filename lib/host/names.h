// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The names that users know for the controller, the namespace and the path behind a request queue.
 */
#ifndef NVT_HOST_NAMES_H
#define NVT_HOST_NAMES_H

#include "bpf/shared/wire.h"
#include "lib/host/sysfs.h"

struct names {
	char ctrl[SYSFS_NAME]; /* "nvme3"; "" when the controller is not known */
	char dev[SYSFS_NAME]; /* "nvme3n1", of a multipath the head; without a namespace as ctrl */
	char path[SYSFS_NAME]; /* the hidden disk "nvme1c0n1"; "" when there is none */
};

/* Derives the names from the queue info alone. */
void names_of(struct names *names, const struct queue_info *queue);

#endif
