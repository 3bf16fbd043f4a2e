// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The commands that findings look at, one by one: what each is, who sent it, when, for how long, and
 * how many others were outstanding then.
 *
 * At most LOG_MOST are kept. When there are more, about every second one is forgotten, again and
 * again: those that stay are a sample, and each stands for `every`.
 */
#ifndef NVT_REPORT_FIND_LOG_H
#define NVT_REPORT_FIND_LOG_H

#include "lib/group/table.h"
#include "lib/group/group.h"

#define LOG_MOST    (1U << 18)
#define LOG_KINDS   1024
#define LOG_SENDERS 1024
#define LOG_PIDS    2 /* processes of a name that are senders of their own; with more, all are one */
#define LOG_CTRLS   64

/* Bits of a kind's key.flags. */
enum log_flag {
	LOG_WAITED =
		1, /* somebody waits for it: not for writes into the page cache that are written back */
	LOG_FUA = 2,
	LOG_WORKER = 4, /* a worker of the kernel sends it */
};

/* What a command is; only commands of one kind are compared. A row of lib/group/table.h. */
struct log_kind {
	struct group_key
		key; /* device, ctrl_id, host, opcode, admin, fctype, size class, flags: enum log_flag */
	bool known; /* it has an index */
	/* All commands count, also those that find no room in the log. Retried: they succeeded when tried again. */
	u64 count, retried;
	u64 first_ns, last_ns; /* their completions */
	u32 index; /* into log.kind */
	u32 ctrl; /* number of the controller, below LOG_CTRLS */
	bool waited; /* LOG_WAITED */
	u64 least_bytes, most_bytes;
};

/* On whose behalf a worker of the kernel sends commands. */
enum log_work { WORK_OWN, WORK_WRITEBACK, WORK_RESYNC, WORK_SWAP };

/*
 * Who sends commands: a process, all processes of a name, or what a worker works for. A row of
 * lib/group/table.h.
 */
struct log_sender {
	struct group_key
		key; /* comm and pid; pid 0: all of the name; of writeback the owner's cgroup */
	u64 count; /* 0: new */
	u32 index;
	u32 pid; /* the first one's */
	bool several; /* processes, more than are senders of their own */
	u32 name; /* the index of all of the name */
	u32 pids[LOG_PIDS], n_pids; /* of all of the name: those that are senders of their own */
	enum log_work work;
	char comm[WIRE_COMM + 1]; /* as it was first seen */
};

struct log_command {
	u64 submit_ns;
	float lat_ns, wait_ns; /* wait: in the block layer before that; below 0: not known */
	float lba; /* below 0: none */
	u32 bytes;
	u16 kind, sender;
	u16 waiter; /* a sender: who waits for the flush; LOG_NOBODY: none is known */
	u16 qid, cpu;
	u8 sched; /* of reads and writes; LOG_NO_SCHED: not known */
};
#define LOG_NO_SCHED 0xff
#define LOG_NOBODY   0xffff

/* The scheduler of a device. */
struct log_sched {
	bool known;
	u8 now, was; /* before the last change */
	u64 changed_ns; /* 0: it did not change */
};

struct log {
	struct log_command *at; /* in the order of completion */
	u32 n, every;
	u64 seen, unlogged; /* commands; those of kinds that found no room */
	struct group_table *kinds, *senders;
	const struct log_kind *kind[LOG_KINDS + 1];
	const struct log_sender *sender[LOG_SENDERS + 1];
	u32 n_kinds, n_senders, n_ctrls;
	struct {
		u32 host;
		s32 id;
	} ctrl[LOG_CTRLS];
	/* log_settle() makes these. */
	u32 *by_submit; /* all commands in the order of their submission */
	float *excess; /* logarithm of the latency above the quiet level of its class; NAN: not known */
	u8 *apart; /* it was in flight during an episode: log_set_apart() */
	u16 *own, *all; /* others outstanding then: of the sender, and of all, on the controller */
};

int log_open(struct log *l); /* 0 or -ENOMEM */
void log_close(struct log *l);
/* Adds a completed command. @lacks: bits of enum need that are not known. */
void log_add(struct log *l, struct session *s, const struct view *v, u32 lacks);
/* The kind and the sender of a command. */
void log_class(struct log *l, struct session *s, const struct view *v, u32 lacks, u32 *kind,
	       u32 *sender);
/* Once all were added: orders them, and counts the outstanding ones. 0 or -ENOMEM. */
int log_settle(struct log *l);

/* The scheduler of session_device() @device, by reads and writes. */
struct log_sched log_sched(const struct log *l, u32 device);

/* Marks the commands of a controller that were in flight between two times. */
void log_set_apart(struct log *l, u32 ctrl, double from_ns, double to_ns);

static inline u64 log_end_ns(const struct log_command *c)
{
	return c->submit_ns + (u64)c->lat_ns;
}

/* Whether a command is of that kind and that sender. */
static inline bool log_is(const struct log_command *c, u32 kind, u32 sender)
{
	return c->kind == kind && c->sender == sender;
}

/* Its process ID; -1: it is several processes. */
static inline s64 log_sender_pid(const struct log_sender *s)
{
	return s->several || s->n_pids > 1 ? -1 : (s64)s->pid;
}

/* The name of a sender: "tar (3406)", "postgres", "writeback of /db". */
#define LOG_NAME 320
const char *log_sender_name(const struct log *l, struct session *s, u32 sender, char buf[LOG_NAME]);

#endif
