// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Turns the selection as typed into the filter that BPF and replay decide with
 * (bpf/shared/filter.h).
 */
#ifndef NVT_CLI_SELECT_H
#define NVT_CLI_SELECT_H

#include "lib/cli/common.h"
#include "lib/event/view.h"
#include "lib/host/device.h"

/*
 * Fills @f from @sel. Names are looked up in @dir; with @dir NULL only the words are checked, and
 * every name is taken to exist. EXIT_AS(EXIT_NOTHING) for a name, a controller or (live) a
 * namespace or process that does not exist, and for options that exclude each other (-c 0 -d
 * nvme1n1). EXIT_AS(EXIT_USAGE) for what cannot be read, and for more than FILTER_ITEMS items. Both
 * after a message. -g only counts in f->n_cgroups: the caller opens sel->cgroup, see
 * lib/host/cgroup.h.
 */
int select_filter(struct filter *f, const struct selection *sel, const struct device_dir *dir);

/*
 * The same for the commands of one host, an index of dir->hosts. Sets *none if nothing of it is
 * selected: then @f is not to be asked. An item of another host is none of this one.
 */
int select_host_filter(struct filter *f, const struct selection *sel, const struct device_dir *dir,
		       u32 host, bool *none);
/* Reports that options exclude each other. EXIT_AS(EXIT_NOTHING). */
int select_nothing(void);

/*
 * Ranges of time since the start of a recording, without their ends, in ascending order; hi U64_MAX:
 * to the end.
 */
#define TIME_RANGES 64
struct time_ranges {
	struct range64 range[TIME_RANGES];
	u32 n;
};

/* Reads --time into @times, of which there are none without it. 0 or a usage error after a message. */
int select_times(struct time_ranges *times, const struct selection *sel);

/* True when one of the groups that -g names, or one above it, is the submitter's; also without -g. */
bool select_cgroups(const struct opt_list *cgroups, const struct view *v);

/*
 * Outside of BPF: true when @f and @cgroups select the command of @v by what is known when it is
 * submitted.
 */
bool select_command(const struct filter *f, const struct opt_list *cgroups, const struct view *v);

/*
 * True when -d names a device in @dir, such as a path of a head, that was not there when @f was
 * built.
 */
bool select_lacks(struct filter *f, const struct selection *sel, const struct device_dir *dir);

/* True when -c, -n or -d names something that is not in @dir; the words were checked before. */
bool select_misses(const struct selection *sel, const struct device_dir *dir);

#endif
