// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Keys of --by, with one number each in every program, and the key of a row as the programs keep
 * it. lib/group/ says what they mean, and turns a key of the kernel into one of its own.
 */
#ifndef NVT_SHARED_KEYS_H
#define NVT_SHARED_KEYS_H

#include "bpf/shared/hist.h"
#include "bpf/shared/slot.h"
#include "bpf/shared/wire.h"

/* A set of keys, such as latency_cfg.by, has the bits 1 << enum key. */
enum key {
	KEY_NONE,
	KEY_CTRL,
	KEY_NS,
	KEY_DEV,
	KEY_QID,
	KEY_CPU, /* the one that submitted */
	KEY_OPCODE,
	KEY_SIZE,
	KEY_FLAGS,
	KEY_PID,
	KEY_COMM,
	KEY_CGROUP,
	KEY_STATUS,
	KEY_OWNER,
	KEY_SCHED,
	KEY_DURING,
	KEY_FILE,
	KEY_SYNCER, /* who waits for a flush */
	KEY_HOST, /* user space alone */
	KEY_MAX,
};

#define KEY_SIZES 7 /* edges of size classes */

/*
 * Size class of @bytes: the first edge that is not smaller. Edges that are not in use are ~0, so
 * that they never count.
 */
NVT_INLINE u8 key_size_class(const u64 edge[KEY_SIZES], u32 bytes)
{
	u8 class = 0;

	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): there, if sizes are asked for */
	class += bytes > edge[0];
	class += bytes > edge[1];
	class += bytes > edge[2];
	class += bytes > edge[3];
	class += bytes > edge[4];
	class += bytes > edge[5];
	class += bytes > edge[6];
	return class;
}

/* Keys whose members come first in struct key_who: few users ask for one of them. */
#define KEYS_FIRST (1 << KEY_FILE | 1 << KEY_SYNCER)
/* Keys of the task that submitted. */
#define KEYS_TASK (1 << KEY_PID | 1 << KEY_COMM | 1 << KEY_CGROUP)
/*
 * Keys of struct key_who, with the owner and the file of the request. Few users ask for one of them; without,
 * the first words of a key are 0.
 */
#define KEYS_WHO (KEYS_TASK | 1 << KEY_OWNER | KEYS_FIRST)
#define KEYS_ALL ~0U
/* Keys that the queue decides, with the opcode. Not the namespace: each admin command names one. */
#define KEYS_QUEUE (1 << KEY_NONE | 1 << KEY_CTRL | 1 << KEY_DEV | 1 << KEY_QID | 1 << KEY_OPCODE)
/* Keys that most rows lack, see key_fill(). */
#define KEYS_RARE                                                                                  \
	(KEYS_WHO | 1 << KEY_NS | 1 << KEY_DEV | 1 << KEY_CPU | 1 << KEY_FLAGS | 1 << KEY_STATUS | \
	 1 << KEY_SCHED | 1 << KEY_DURING)

/* First the members of KEYS_FIRST. */
struct key_who {
	char syncer_comm[WIRE_COMM];
	u64 syncer_pid;
	struct file_id file;
	u64 cgroup_id, owner_id;
	char comm[WIRE_COMM];
	u32 pid, pad;
};
WIRE_SIZE(struct key_who, 80);

/* The key of a row. Members that --by does not name are 0, so equal keys are equal bytes. */
struct kernel_key {
	struct key_who who; /* must be first */
	u32 cmd_flags; /* masked with prog_cfg.cmd_flags_mask */
	u32 nsid;
	s32 ctrl_id;
	u32 queue; /* for dev: index of struct queue_info */
	u16 qid, cpu, status;
	u16 during; /* wire_during() */
	u8 opcode, admin, fctype;
	u8 size_class; /* see key_size_class() */
	u8 fabrics; /* of a fabrics command, where nsid or status is then something else */
	u8 own; /* of the program: latency has enum latency_phase here */
	u8 sched; /* see bpf/sched.h */
	u8 pad;
};
WIRE_SIZE(struct kernel_key, 112);

#define KEY_SYNCER_WORDS (__builtin_offsetof(struct key_who, file) / sizeof(u64))
#define KEY_FIRST_WORDS	 (__builtin_offsetof(struct key_who, cgroup_id) / sizeof(u64))
#define KEY_WHO_WORDS	 (sizeof(struct key_who) / sizeof(u64))
#define KEY_WORDS	 (sizeof(struct kernel_key) / sizeof(u64))

/* A key is made from these. Only the members that a key of the set needs have to be set. */
struct key_in {
	const struct queue_info *info;
	const struct command_slot *slot;
	const u64 *size_edge; /* KEY_SIZES of them */
	u32 cmd_flags_mask;
	u16 status;
};

/*
 * A status as a key: SCT << 8 | SC. DNR, MORE and CRD are flags of one completion, which share a row.
 * Where they are all there is it is an error nevertheless, and no success.
 */
#define KEY_STATUS_FLAGS 0x8000
NVT_INLINE u16 key_status(u16 status)
{
	u16 codes = status & 0x7ff;

	if (status == WIRE_UNKNOWN_STATUS || !status)
		return status;
	return codes ? codes : KEY_STATUS_FLAGS;
}

/* Fabrics commands have other names than I/O for the statuses 1/80 to 1/8f. */
NVT_INLINE int key_status_is_shared(u16 status)
{
	return (status & 0x7f0) == 0x180;
}

NVT_INLINE int key_in_set(u32 by, enum key key)
{
	return by >> key & 1;
}

/* Fills in the keys of the task that are in @by; @who comes as zeroes. */
NVT_INLINE void key_fill_who(struct key_who *who, u32 by, const struct submitter *sub)
{
	if (key_in_set(by, KEY_PID))
		who->pid = sub->pid;
	if (key_in_set(by, KEY_COMM))
		__builtin_memcpy(who->comm, sub->comm, WIRE_COMM);
	if (key_in_set(by, KEY_CGROUP))
		who->cgroup_id = sub->cgroup_id;
}

/* Which I/O scheduler held the command: submissions note it where the queue has one. */
NVT_INLINE u8 command_sched(const struct queue_info *info, const struct command_slot *f)
{
	return info->sched_tags ? f->cause.sched : SCHED_NONE;
}

/* Fills in the keys of KEYS_RARE. */
NVT_INLINE void key_fill_rare(struct kernel_key *key, u32 by, const struct key_in *in)
{
	const struct command_slot *f = in->slot;

	if (key_in_set(by, KEY_NS)) {
		key->fabrics = f->opcode == OPCODE_FABRICS;
		key->nsid = key->fabrics ? 0 : f->nsid; /* its type is there */
	}
	if (key_in_set(by, KEY_DEV))
		key->queue = in->info->index;
	if (key_in_set(by, KEY_CPU))
		key->cpu = f->cpu;
	if (key_in_set(by, KEY_STATUS)) {
		key->status = key_status(in->status);
		if (key_status_is_shared(in->status))
			key->fabrics = f->opcode == OPCODE_FABRICS;
	}
	if (key_in_set(by, KEY_FLAGS))
		key->cmd_flags = f->cmd_flags & in->cmd_flags_mask;
	if (by & (1 << KEY_SCHED | 1 << KEY_DURING)) {
		if (key_in_set(by, KEY_SCHED))
			key->sched = command_sched(in->info, f);
		if (key_in_set(by, KEY_DURING))
			key->during = f->during;
	}
	if (!(by & KEYS_WHO))
		return;
	key_fill_who(&key->who, by, &f->sub);
	if (key_in_set(by, KEY_OWNER))
		key->who.owner_id = f->cause.owner_id;
	if (key_in_set(by, KEY_FILE))
		key->who.file = f->file;
	if (key_in_set(by, KEY_SYNCER)) {
		__builtin_memcpy(key->who.syncer_comm, f->syncer.comm, WIRE_COMM);
		key->who.syncer_pid = f->syncer.pid;
	}
}

/*
 * The key of a command under @by, a set of keys. The verifier knows how each test ends and drops
 * what follows from it, but the test itself stays in the program. So all that is rare shares one.
 */
NVT_INLINE void key_fill(struct kernel_key *key, u32 by, const struct key_in *in)
{
	const struct command_slot *f = in->slot;

	__builtin_memset(key, 0, sizeof(*key));
	if (key_in_set(by, KEY_CTRL))
		key->ctrl_id = in->info->ctrl_id;
	if (key_in_set(by, KEY_QID))
		key->qid = in->info->qid;
	if (key_in_set(by, KEY_OPCODE)) {
		key->opcode = f->opcode;
		key->admin = in->info->admin;
		key->fctype = f->opcode == OPCODE_FABRICS ? f->fctype : 0;
	}
	if (key_in_set(by, KEY_SIZE))
		key->size_class = key_size_class(in->size_edge, f->bytes);
	if (by & KEYS_RARE)
		key_fill_rare(key, by, in);
}

/* One word more. As long as they are all 0 so is the hash. */
NVT_INLINE u64 key_mix(u64 hash, u64 word)
{
	return (hash ^ hash >> 29) * 0x9e3779b97f4a7c15ULL + word;
}

/*
 * A hash of all bytes of @key, never 0; what @by lacks of KEYS_WHO is known to be 0 in its first
 * words, which gives the same. One CPU writes a row's key while others look at it, in whatever order its stores come:
 * half a key may equal another one, but its mark is not that one's.
 */
NVT_INLINE u64 key_mark(const struct kernel_key *key, u32 by)
{
	const u64 *word = (const u64 *)key;
	u64 h = 0;

	if (by & KEYS_WHO) {
		for (u32 i = 0; by & 1 << KEY_SYNCER && i < KEY_SYNCER_WORDS; i++)
			h = key_mix(h, word[i]);
		for (u32 i = KEY_SYNCER_WORDS; by & KEYS_FIRST && i < KEY_FIRST_WORDS; i++)
			h = key_mix(h, word[i]);
		for (u32 i = KEY_FIRST_WORDS; i < KEY_WHO_WORDS; i++)
			h = key_mix(h, word[i]);
	}
	for (u32 i = KEY_WHO_WORDS; i < KEY_WORDS; i++)
		h = key_mix(h, word[i]);
	return key_mix(h, 0) | 1;
}

/* @by: as for key_mark(), of both. */
NVT_INLINE int key_equal(const struct kernel_key *a, const struct kernel_key *b, u32 by)
{
	const u64 *x = (const u64 *)a, *y = (const u64 *)b;
	u64 differ = 0;

	if (by & KEYS_WHO) {
		for (u32 i = 0; by & 1 << KEY_SYNCER && i < KEY_SYNCER_WORDS; i++)
			differ |= x[i] ^ y[i];
		for (u32 i = KEY_SYNCER_WORDS; by & KEYS_FIRST && i < KEY_FIRST_WORDS; i++)
			differ |= x[i] ^ y[i];
		for (u32 i = KEY_FIRST_WORDS; i < KEY_WHO_WORDS; i++)
			differ |= x[i] ^ y[i];
	}
	for (u32 i = KEY_WHO_WORDS; i < KEY_WORDS; i++)
		differ |= x[i] ^ y[i];
	return !differ;
}

#endif
