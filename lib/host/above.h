// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Devices above NVMe namespaces, as sysfs shows them: md, device mapper, and what is built of
 * these.
 */
#ifndef NVT_HOST_ABOVE_H
#define NVT_HOST_ABOVE_H

#include "lib/host/device.h"
#include "lib/host/sysfs.h"

#define STACK_MEMBERS 256 /* bytes of names; what does not fit is left out */

struct stack {
	char name[SYSFS_NAME]; /* "md0", "dm-3" */
	char members[STACK_MEMBERS]; /* "nvme0n1 nvme1n1": namespaces below it, sorted; "" none */
	/*
	 * A namespace below has a volatile write cache that the kernel flushes, or may have: its
	 * queue/write_cache is not "write through".
	 */
	bool cached;
	bool beside; /* a device above has others below as well */
};

/*
 * Reads the device with these numbers below @root, NULL is SYSFS_DIR. 0, or -errno: there is no
 * such device. Nothing is printed.
 */
int stack_read(struct stack *st, const char *root, u32 major_nr, u32 minor_nr);

/*
 * Finds the entries of @dir, which is live, that lie below @word: /dev/dm-0, /dev/mapper/x, md0,
 * MAJ:MIN of such a device, or a mount point, of whose file system all devices are meant. As
 * device_find(); @names gets their names, each once: "nvme0n1 nvme1n1".
 */
u32 above_find(const struct device_dir *dir, const char *word, u32 *found, u32 max,
	       char names[STACK_MEMBERS]);

#endif
