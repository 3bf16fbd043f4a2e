// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's word that a controller or disk came or went. */
#ifndef NVT_HOST_UEVENT_H
#define NVT_HOST_UEVENT_H

#include "lib/base/types.h"

/*
 * A descriptor that is readable when devices change; -errno where the kernel does not tell us
 * (another network namespace, no netlink): then a device that takes another's place is told by the
 * disk alone.
 */
int uevent_open(void);

/*
 * Takes all that is waiting. True when a controller or a disk of NVMe was among it, or some were
 * missed.
 */
bool uevent_read(int fd);

#endif
