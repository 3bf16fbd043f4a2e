// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A model of a drive, which makes recordings of which is known what is wrong with them: README.md here.
 *
 * A scene says what there is: drives and namespaces, who sends what when, and faults. kinds.c draws
 * one from a seed, drive.c plays it, label.c says who lost what by it and whether the scene is what
 * its kind promises, write.c writes the recording. Times are seconds in a scene, and nanoseconds
 * from the begin in what was played.
 */
#ifndef NVT_MODEL_H
#define NVT_MODEL_H

#include "bpf/shared/wire.h"
#include "tests/unit/draw.h"

#define PAGE_BYTES 4096 /* positions are counted in pages */
#define LONG_RUN   1e9 /* an end that never comes, in seconds */

/* What somebody is in the story; bits, so that a scene can be played without some of them. */
enum role {
	ROLE_LOAD = 1 << 0, /* is there anyway, and waits when something is wrong */
	ROLE_CULPRIT = 1 << 1, /* others wait because of it */
	ROLE_INNOCENT = 1 << 2, /* comes and goes, and does no harm */
};

/* A drive: channels that work side by side behind one bus; both serve in the order of submission. */
struct drive {
	u32 channels;
	double bus; /* bytes per ns */
	double read_ns, sigma; /* median of a piece of a read, and its spread (lognormal) */
	double channel; /* bytes per ns that a channel reads beside that */
	u32 stripe; /* bytes of a piece: a larger command goes to several channels */
	bool striped; /* the position decides on the channel; else the first that is free */
	double write_ns; /* into the cache */
	double program; /* bytes per ns that a channel takes out of the cache */
	double cache_ns; /* so much work of that kind may wait before writes wait as well */
	double flush_ns, flush_sigma, trim_ns; /* trim: of 1 MiB */
	bool flush_holds, trim_holds; /* the channels are busy with it */
};

struct space {
	u32 drive, nsid;
	u64 pages;
	const char *sched; /* NULL: none */
	double sched_from; /* it was none before */
	u32 tags; /* commands outstanding at once; 0: as many as are sent */
};

/* Who sends commands; a process whose load changes is several of these. */
struct sender {
	const char *comm, *cgroup, *owner; /* owner: of writeback; NULL: the cgroup itself */
	u32 pid, pids; /* the first one, and how many */
	enum role role;
	u32 space;
	double begin, end;
	double on, period; /* active for @on of each @period from @begin on; period 0: always */
	double rate,
		rate_end; /* commands per second at begin and at end; 0: the next when one is over */
	bool even; /* at even distances; else by chance */
	u32 depth; /* in flight at most */
	u32 batch; /* sent at once */
	double think; /* seconds between a completion and the next command; mean */
	double writes, flushes, trims; /* shares; the rest are reads */
	u32 bytes, more_bytes; /* sizes */
	double more; /* share of the second one */
	u64 first, pages; /* where */
	bool sequential;
	double wait, wait_sigma; /* seconds before it is sent: median and spread; 0: some us */
	u32 cpu, cpus;
	u32 flags; /* bits 1 << enum req_flag */
	bool worker; /* a worker of the kernel */
};

enum fault_kind {
	FAULT_SLOW, /* all that a channel does takes @factor times as long */
	FAULT_RAMP, /* the same, growing from 1 to @factor */
	FAULT_LATE, /* commands take @add ns more, and channels do not */
	FAULT_LONG, /* some commands take @factor times as long, @share of them */
	FAULT_WARM, /* as many at first and fewer and fewer, with a time constant of @period */
	FAULT_PLACE, /* as SLOW, for pages from @first on */
	FAULT_CPU, /* completions on @cpu come @add ns late; with @queue: on the queue of it */
	FAULT_HANG, /* the first @count commands of sender @sender from @from on take @add ns more */
	FAULT_ERROR, /* @share fail */
};

struct fault {
	enum fault_kind kind;
	double from, to; /* seconds */
	double on, period; /* as of a sender */
	double factor, share, add;
	u32 drive, cpu, count;
	bool queue;
	int opcode; /* -1: all */
	int sender; /* -1: all */
	u64 first, pages;
};

/* An admin command. */
struct admin {
	double at, seconds;
	const char *comm;
	u32 pid, drive;
	u8 opcode;
	bool stops; /* nothing else is served meanwhile */
};

#define SENDERS	 28
#define FAULTS	 8
#define ADMINS	 1500
#define SPACES	 4
#define DRIVES	 2
#define CPUS_MAX 16

/* What a kind says of its recordings; label.c adds who waited. Lists have blanks between words. */
struct truth {
	const char *kinds; /* of the finding that is right; NULL: the load is healthy */
	const char *
		events; /* that may be named beside; admin commands that stop the drive may be anyway */
	bool event_needed; /* one of all these must be */
	bool whole; /* all the time, without an edge */
	bool may_be_silent; /* about the culprits */
	bool any_device; /* the recording does not tell which */
	double from, to;
};

struct kind;

struct scene {
	u64 seed; /* of all that senders draw */
	u64 dice, names; /* of the kind: what comes next, and names that are taken */
	const struct kind *kind;
	double seconds;
	u32 cpus, queues;
	bool has_queued, has_owner;
	struct drive drive[DRIVES];
	struct space space[SPACES];
	struct sender sender[SENDERS];
	struct fault fault[FAULTS];
	struct admin admin[ADMINS];
	u32 drives, spaces, senders, faults, admins;
	struct truth truth;
};

struct kind {
	const char *name;
	void (*draw)(struct scene *s);
	u32 weight;
	bool sick;
	double steady; /* healthy: like commands wait at most so much longer at one time than at another */
};

/* kinds.c; the last one has no name. */
extern const struct kind kinds[];

/* A command as it went; ns from the begin. */
struct command {
	double queued_ns, submit_ns, done_ns;
	double alone_ns; /* what it takes on an idle drive without faults */
	u64 page;
	u32 bytes, number; /* the sender's @number-th */
	u16 sender, cpu, status;
	u8 opcode;
	bool hit; /* a fault of single commands made it longer, or fail */
};

struct played {
	struct command *command; /* in the order of submission */
	u32 n, room;
};

/* Plays @s with the senders of @roles, with its faults and what stops it or without. */
void play(struct played *p, const struct scene *s, u32 roles, bool faults);
void played_free(struct played *p);

/* A number between 0 and 1 that belongs to these two. */
double chance_of(u64 a, u64 b);

/*
 * Says whether the scene is what its kind promises, and with true prints its label, one line of
 * JSON, for @seed and @file.
 */
bool label(const struct scene *s, const struct played *p, u64 seed, const char *file);

/* Writes the recording. 0 or -errno after a message. */
int write_recording(const struct scene *s, const struct played *p, const char *file);

#endif
