// SPDX-License-Identifier: GPL-2.0-or-later
/* The interface of this room: rows by key (--by). README.md says where the parts of a key are. */
#ifndef NVT_GROUP_GROUP_H
#define NVT_GROUP_GROUP_H

#include "bpf/shared/keys.h"
#include "lib/event/view.h"
#include "lib/nvme/spec.h"
#include "lib/out/out.h"
#include "lib/session/lookup.h"

struct expr_row;
struct key_info;
struct session_request;

/* The key of a row. Members that --by does not name are 0, so equal keys have equal bytes. */
struct group_key {
	struct file_id file;
	u64 cgroup_id, owner_id;
	char syncer_comm[WIRE_COMM];
	char comm[WIRE_COMM];
	u32 pid;
	u32 flags; /* bits of enum req_flag */
	u32 nsid;
	s32 ctrl_id;
	u32 device; /* session_device() */
	u32 host; /* session_host(), for ctrl and host; live 0 */
	u16 qid, cpu, status;
	u16 during; /* wire_during() */
	u8 opcode, admin, fctype;
	u8 size_class; /* see key_size_class() */
	u8 fabrics; /* it is a fabrics command, for which nsid or status has another meaning */
	u8 other; /* the key of "(other)": the other members are 0 and mean nothing */
	u8 sched; /* session_sched() */
	u8 pad;
	u32 unknown; /* the keys, 1 << enum key, that the event does not tell: their members are 0 */
	u32 syncer_pid;
};
WIRE_SIZE(struct group_key, 112);

/* The data that all rows of a run share. */
struct group {
	struct session *s;
	u32 by; /* bits 1 << enum key */
	/*
	 * KEY_CGROUP is of the task that submitted, since KEY_OWNER stands beside it. Else it is the
	 * owner where that was seen.
	 */
	bool apart;
	const struct key_info *keys[KEY_MAX]; /* the same in the order of the columns, then NULL */
	const char *other; /* what the row "(other)" shows for names; NULL: null */
	/* For KEY_SIZE: bytes, ascending, ~0 behind the last. group_init() sets GROUP_SIZES. */
	u64 size_edge[KEY_SIZES];
	u64 start_ns, end_ns, wall_ns, seq; /* of the interval */
};

#define GROUP_SIZES	"16k,64k" /* as text */
#define GROUP_NO_NUMBER (-1) /* the number of a key that is not known: null */
#define GROUP_NO_FLAGS	(~0U) /* flags that are not known */

/* The head of every printed row. Keys that --by does not name are not shown. */
struct group_row {
	u64 wall_ns, interval_ns, seq;
	s64 ctrl_id, nsid, qid, cpu, opcode, pid, cgroup_id, owner_id, ino, ino_gen, syncer_pid,
		status;
	u32 flags; /* bits of enum req_flag */
	u8 admin; /* 0xff: not known */
	bool other;
	bool failed; /* the status is one of an error */
	const char *host, *ctrl, *dev, *op, *size, *comm, *cgroup, *owner, *sched, *during,
		*ino_dev, *file, *syncer, *sct_sc, *status_name;
	char ctrl_text[SESSION_CTRL_NAME], op_text[NVME_OPCODE_NAME_MAX], size_text[32],
		during_text[NVME_OPCODE_NAME_MAX], comm_text[WIRE_COMM + 1],
		syncer_text[WIRE_COMM + 1], sct_sc_text[NVME_SCT_SC_MAX],
		ino_dev_text[SESSION_DEV_NUMBER],
		file_text[SESSION_FILE_TEXT]; /* for text, also where the path is not known */
};

static inline bool group_has(const struct group *g, enum key key)
{
	return g->by >> key & 1;
}

/*
 * To be called in check(). Rows have the keys in @by, a set as OPT_SET_OF() gives it, and their
 * columns are shown. @other: see struct group. If KEY_HOST is in @by, the caller sets by_host of
 * its request.
 */
void group_init(struct group *g, struct session *s, u64 by, const char *other);
/* Shows or hides the columns of the keys, as out_show() does. */
void group_show(const struct group *g, bool visible);
/*
 * To be called in check(). 0, or a usage error if --fail-if names an opcode and the rows have none.
 */
int group_check_condition(const struct group *g);
/* For rows by cgroup: asks a recording for owners. To be called in start(). */
void group_ask_owners(const struct group *g, struct session_request *ask);
/* The bits of enum need that the keys require; those of a set 1 << enum key. */
u32 group_needs(const struct group *g);
u32 group_needs_of(u64 by);
/* The keys that programs have to tell, for group_key_of(). */
u32 group_kernel_by(const struct group *g);
/* To be called in tick(): from now on rows are of this interval. */
void group_interval(struct group *g, const struct tick *t);

/* Fills in the key of an event. Keys that the event does not tell are unknown. */
void group_key_fill(struct group_key *key, const struct group *g, const struct view *v);
/*
 * Fills in the key of a row that the kernel kept: the same as group_key_fill() of its commands. It
 * does not depend on this kernel or on queue numbers.
 */
void group_key_of(struct group_key *key, const struct group *g, const struct kernel_key *from);
/* Fills in the members of @ev that a key of the kernel tells; all but the size. */
void group_event_of(struct event *ev, const struct kernel_key *from);
/* Leaves of @key what a key of fewer keys, @by, has: rows by many keys are rows by some of them. */
void group_key_narrow(struct group_key *key, u32 by);
/*
 * Orders keys, and rows that begin with one: by devices first, by tasks last, "(other)" at the end.
 */
int group_compare(const void *x, const void *y, void *group);

/* Fills in interval and keys of a row. Strings lie in @row or in the session, or are constants. */
void group_row_fill(struct group_row *row, const struct group *g, const struct group_key *key);

/* A key of a row as text, label=value. Begins as zeroes. */
struct group_word {
	u32 at; /* in group.keys */
	const char *label, *value; /* value is "-" where it is not known */
	bool dash; /* "-" is the name of a process */
	char text[256];
};

/*
 * Moves on to the next key of --by, in the order of columns. False at the end, and for "(other)".
 */
bool group_word_next(struct group_word *w, const struct group *g, const struct group_row *row);

/*
 * Lets --fail-if see a row. @values comes with its figures, this adds the keys. values->name comes
 * with the name that the row has beside its keys, or NULL. @row NULL: an interval without rows.
 */
void group_check(const struct group *g, const struct group_row *row, struct expr_row *values);

/* The text of keys that are not plain numbers, for lib/group/fields.h. lib/group/key_text.c */
void group_text_cgroup(const struct out *o, const void *row, char *buf, size_t size);
void group_text_owner(const struct out *o, const void *row, char *buf, size_t size);
void group_text_file(const struct out *o, const void *p, char *buf, size_t size);
void group_text_flags(const struct out *o, const void *row, char *buf, size_t size);
void group_csv_flags(const void *p, char *buf, size_t size);
void group_emit_flags(struct json *j, const void *p);
void group_text_status(const struct out *o, const void *p, char *buf, size_t size);
bool group_bad_status(const void *row);

#endif
