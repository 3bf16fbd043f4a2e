// SPDX-License-Identifier: GPL-2.0-or-later
/* Notices of the kernel that a controller or disk came or went. */
#ifndef NVT_HOST_UEVENT_H
#define NVT_HOST_UEVENT_H

#include "lib/base/types.h"

/*
 * Returns a descriptor that is readable when devices change, or -errno where the kernel does not
 * tell us (another network namespace, no netlink). Then only the disk's pointer shows that another
 * device took a device's place.
 */
int uevent_open(void);

/*
 * Reads all notices that wait. True when one was about a controller or disk of NVMe, or some were
 * missed.
 */
bool uevent_read(int fd);

#endif
