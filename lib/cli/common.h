// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The option groups that commands share: selection, output, run control, internals (cli.md, "Common
 * options"). The tables stand in lib/cli/common.c, checks across options in lib/cli/check.c; a
 * command takes a group by a bit of cmd.takes. -v, -h and -V are known to all.
 */
#ifndef NVT_CLI_COMMON_H
#define NVT_CLI_COMMON_H

#include "lib/cli/opt.h"
#include "lib/out/out.h"

/*
 * The selection as typed; lib/cli/select.h turns it into a struct filter once the devices are
 * known.
 */
struct selection {
	struct opt_list ctrl, nsid, device, qid, opcode, pid, comm, cgroup, size, lba, status, time;
	u64 min_lat_ns;
	bool admin; /* set by commands that take -A, and by -q admin, -O admin:X */
};

/* A run does this on a host without the NVMe driver. */
enum absent_driver { ABSENT_ERROR, ABSENT_OK, ABSENT_WAIT };

struct run_opts {
	u64 interval_ns; /* 0: none */
	u64 count; /* intervals, 0: no end */
	u64 duration_ns; /* 0: no end */
	u64 max_events; /* 0: no end */
	const char *fail_if;
	bool allow_none, strict;
	u32 absent; /* enum absent_driver */
	struct opt_list input; /* -i */
	char **program; /* behind --, or NULL */
};

enum attach_how { ATTACH_AUTO, ATTACH_TP_BTF, ATTACH_RAW_TP };

struct internal_opts {
	u32 attach; /* enum attach_how */
	const char *btf; /* directory, default /sys/kernel/btf */
	u64 buffer_bytes;
	bool self_stats, probe_only;
	u32 verbose;
	bool help, version;
};

struct common {
	struct selection selection;
	struct output_opts output;
	struct run_opts run;
	struct internal_opts internal;
};

struct cmd;
struct invocation;

/* Words of --format that every command with output knows; commands add theirs in cmd.formats. */
extern const struct opt_word common_formats[];

#define COMMON_GROUPS 20

/*
 * Fills @groups (room for COMMON_GROUPS) in the order of help: the command's own options, which
 * write into @cfg, then the shared groups that @cmd takes, which write into @c, then a NULL title.
 * Help joins neighbours of one title.
 */
void common_groups(const struct cmd *cmd, struct common *c, void *cfg, struct opt_group *groups);

/*
 * Checks options against each other, and takes INTERVAL COUNT and -- PROGRAM from inv->rest. 0 or a
 * usage error.
 */
int common_check(struct invocation *inv);

#endif
