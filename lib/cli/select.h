// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The selection as typed, turned into the filter that BPF and replay decide with
 * (bpf/shared/filter.h).
 */
#ifndef NVT_CLI_SELECT_H
#define NVT_CLI_SELECT_H

#include "lib/cli/common.h"
#include "lib/host/device.h"

/*
 * Fills @f from @sel. Names are resolved in @dir; a name, a controller or (live) a namespace or
 * process that does not exist, and options that exclude each other (-c 0 -d nvme1n1), end with
 * EXIT_AS(EXIT_NOTHING); what cannot be read, or more than FILTER_ITEMS items, with
 * EXIT_AS(EXIT_USAGE); both after a message. @dir NULL: only the words are looked at, whatever they
 * name is taken to exist. -g is counted in f->n_cgroups only: the caller opens sel->cgroup, see
 * lib/host/cgroup.h.
 */
int select_filter(struct filter *f, const struct selection *sel, const struct device_dir *dir);

/*
 * True when -d names a device in @dir (a path of a head, say) that was not there when @f was built.
 */
bool select_lacks(struct filter *f, const struct selection *sel, const struct device_dir *dir);

#endif
