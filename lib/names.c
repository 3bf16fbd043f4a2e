// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of controllers, namespaces and paths. */
#include "lib/names.h"

#include "lib/str.h"

void names_of(struct names *names, const struct queue_facts *queue)
{
	char disk[SYSFS_NAME];

	memset(names, 0, sizeof(*names));
	snprintf(disk, sizeof(disk), "%.*s", (int)sizeof(queue->disk) - 1, queue->disk);
	if (queue->ctrl_id >= 0)
		snprintf(names->ctrl, sizeof(names->ctrl), "nvme%d", queue->ctrl_id);
	if (!disk[0])
		memcpy(names->dev, names->ctrl, sizeof(names->dev));
	else if (sysfs_head_of(disk, names->dev))
		memcpy(names->path, disk, sizeof(names->path));
	else
		memcpy(names->dev, disk, sizeof(names->dev));
}

bool names_find_disk(const struct sysfs *sysfs, const char *disk, s32 *ctrl_id, u32 *nsid)
{
	for (u32 i = 0; i < sysfs->n_ns; i++) {
		if (!streq(sysfs->ns[i].name, disk))
			continue;
		*ctrl_id = sysfs->ns[i].ctrl_id;
		*nsid = sysfs->ns[i].nsid;
		return true;
	}
	return false;
}
