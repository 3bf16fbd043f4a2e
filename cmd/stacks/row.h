// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records of `stacks`: from a row of cmd/stacks/table.h to named keys, frames and figures; their
 * formats.
 */
#ifndef NVT_STACKS_ROW_H
#define NVT_STACKS_ROW_H

#include "cmd/stacks/table.h"
#include "cmd/stacks/texts.h"
#include "lib/nvme/spec.h"
#include "lib/out/hist.h"
#include "lib/out/out.h"
#include "lib/session/session.h"

struct session;

#define STACKS_NO_NUMBER  (-1) /* key of the lost row: null */
#define STACKS_FOLDED	  OUT_FORMAT_OWN
#define STACKS_FIELDS_MAX 32

/* One record as printed. Keys that --by does not name are not shown. */
struct stacks_row {
	u64 wall_ns, interval_ns, seq;
	u64 count, errors, bytes, lat_ns, weight; /* all ones: functions have none */
	s64 ctrl_id, opcode, admin, pid, cgroup_id;
	const char *host, *ctrl, *dev, *op, *comm, *cgroup;
	const char *kstack, *ustack; /* as of stacks_texts_at(); NULL: not asked for */
	bool worker, lost;
	struct hist hist;
	char ctrl_text[SESSION_CTRL_NAME], op_text[NVME_OPCODE_NAME_MAX], comm_text[WIRE_COMM + 1];
};

/* What the records of one run have in common. */
struct stacks_view {
	struct session *s;
	const struct stacks_cfg *cfg;
	struct stacks_texts *texts;
	enum stacks_weight weight;
	bool functions; /* --probe: no commands, so no bytes and latencies */
	u32 columns; /* width of the terminal */
	u64 start_ns, end_ns, wall_ns, seq; /* of the interval */
	u64 total; /* weight of all rows */
	struct field fields[STACKS_FIELDS_MAX]; /* of this run */
};

extern const struct schema stacks_schema;

/* Fits the columns of @o to the keys and stacks of view->cfg. */
void stacks_columns(struct stacks_view *view, struct out *o);

/* Fills in the record of @from; strings lie in @row, in the session, the texts or are constants. */
void stacks_row_fill(struct stacks_row *row, const struct stacks_view *view,
		     const struct stacks_sum *from);

/* Lets --fail-if see a row; NULL: an interval without any. */
void stacks_check_row(const struct stacks_view *view, const struct stacks_row *row);

/* Text: key line, frames, histogram, figures, and an empty line. cmd/stacks/draw.c */
void stacks_draw(struct out *o, const struct stacks_view *view, const struct stacks_row *row);

/* A line for flame graphs: keys and frames, the outermost first, and the weight. */
void stacks_fold(struct out *o, const struct stacks_view *view, const struct stacks_row *row);

#endif
