// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --by: rows by key, for every command that sums commands up. key.c has the table of keys: a key is
 * a row there, its words and columns in fields.h, a member of struct group_key and of struct
 * group_row, its number in bpf/shared/keys.h, and the place in BPF that reads it. table.c finds the
 * rows, text.c draws their keys. A command lists the keys it takes, translates the kernel's key into
 * a struct group_key, and has figures of its own.
 */
#ifndef NVT_GROUP_GROUP_H
#define NVT_GROUP_GROUP_H

#include "bpf/shared/keys.h"
#include "lib/event/view.h"
#include "lib/nvme/spec.h"
#include "lib/out/out.h"
#include "lib/session/session.h"

struct expr_row;
struct key_info;

/* The key of a row. Members that --by does not name are 0, so equal keys are equal bytes. */
struct group_key {
	u64 cgroup_id;
	char comm[WIRE_COMM];
	u32 pid;
	u32 flags; /* bits of enum req_flag */
	u32 nsid;
	s32 ctrl_id;
	u32 device; /* session_device() */
	u32 host; /* session_host(), for ctrl and host; 0 live */
	u16 qid, cpu, status;
	u8 opcode, admin, fctype;
	u8 size_class; /* see key_size_class() */
	u8 fabrics; /* of a fabrics command, where nsid or status is then something else */
	u8 other; /* "(other)": the rest is 0, and says nothing */
	u32 pad;
};
WIRE_SIZE(struct group_key, 64);

/* What the rows of one run have in common. */
struct group {
	struct session *s;
	u32 by; /* bits 1 << enum key */
	const struct key_info *keys[KEY_MAX]; /* the same in the order of the columns, then NULL */
	const char *other; /* what the row "(other)" has for names; NULL: null */
	u64 size_edge[KEY_SIZES]; /* for KEY_SIZE: bytes, ascending, ~0 behind the last */
	u64 start_ns, end_ns, wall_ns, seq; /* of the interval */
};

#define GROUP_NO_NUMBER (-1) /* of a key that is not known: null */

/* A row as it is printed begins with this. Keys that --by does not name are not shown. */
struct group_row {
	u64 wall_ns, interval_ns, seq;
	s64 ctrl_id, nsid, qid, cpu, opcode, pid, cgroup_id, status;
	u32 flags; /* bits of enum req_flag */
	u8 admin; /* 0xff: not known */
	bool other;
	const char *host, *ctrl, *dev, *op, *size, *comm, *cgroup, *sct_sc, *status_name;
	char ctrl_text[SESSION_CTRL_NAME], op_text[NVME_OPCODE_NAME_MAX], size_text[32],
		comm_text[WIRE_COMM + 1], sct_sc_text[NVME_SCT_SC_MAX];
};

static inline bool group_has(const struct group *g, enum key key)
{
	return g->by >> key & 1;
}

/*
 * In check(): rows by @by, a set of keys as OPT_SET_OF() gives it. Shows their columns. @other: see
 * above. The caller sets by_host of its request if KEY_HOST is among them.
 */
void group_init(struct group *g, struct session *s, u64 by, const char *other);
/* In check(): 0, or a usage error: --fail-if names an opcode, and the rows have none. */
int group_check_condition(const struct group *g);
/* What the keys need of the programs, bits of enum need. */
u32 group_needs(const struct group *g);
/* In tick(): the interval that rows are of from now on. */
void group_interval(struct group *g, const struct tick *t);

/* In replay: the key of a command. */
void group_key_fill(struct group_key *key, const struct group *g, const struct view *v);
/* The order of keys, and of rows that begin with one: devices first, tasks last, "(other)" behind. */
int group_compare(const void *x, const void *y, void *group);

/* Interval and keys of a row. Strings lie in @row, in the session or are constants. */
void group_row_fill(struct group_row *row, const struct group *g, const struct group_key *key);

/* A key of a row as text: label=value. Zeroed before the first. */
struct group_word {
	u32 at; /* in group.keys */
	const char *label, *value; /* value is "-" where it is not known */
	char text[256];
};

/* The next key of --by, in the order of columns; false: there is none. Nothing of "(other)". */
bool group_word_next(struct group_word *w, const struct group *g, const struct group_row *row);

/*
 * Lets --fail-if see a row: @values has its figures, the rest is filled in here. values->name: what
 * names the row beside its keys, or NULL. @row NULL: an interval without rows.
 */
void group_check(const struct group *g, const struct group_row *row, struct expr_row *values);

/* lib/group/text.c, for lib/group/fields.h: how keys that are no plain numbers are printed. */
void group_text_flags(const struct out *o, const void *row, char *buf, size_t size);
void group_csv_flags(const void *p, char *buf, size_t size);
void group_emit_flags(struct json *j, const void *p);
void group_text_status(const struct out *o, const void *p, char *buf, size_t size);
bool group_bad_status(const void *row);

#endif
