// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of controllers, namespaces and paths. */
#include "lib/host/names.h"

#include "lib/base/str.h"

void names_of(struct names *names, const struct queue_info *queue)
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
