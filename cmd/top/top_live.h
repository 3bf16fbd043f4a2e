// SPDX-License-Identifier: GPL-2.0-or-later
/* The screen of `top`: a picture of the rows, and the keys that change it. */
#ifndef NVT_TOP_TOP_LIVE_H
#define NVT_TOP_TOP_LIVE_H

#include "cmd/top/top_report.h"
#include "lib/out/screen.h"

struct top_live {
	bool wanted; /* there is a screen; else nothing of this is called but close */
	bool paused;
	bool help; /* the page about keys and columns is shown, not the rows */
	bool unknown; /* the key that was pressed last is none of ours */
	bool together; /* the operations of a key have one row */
	u32 by; /* the keys of the view, with opcode also while operations are together */
	u32 all, own; /* the keys that are counted; those of --by, or ~0 */
	u32 columns, lines; /* of the screen */
	u32 rows; /* that the user wants; 0: as many as there is room for */
	struct screen *screen;
	struct top_busy *busy;
	struct top_report report;
};

/* In start(): 0 or -errno, reported. */
int top_live_open(struct top_live *live, struct session_request *ask);
/* In begin(): takes the terminal. 0 or -errno, reported. */
int top_live_begin(struct top_live *live);
void top_live_close(struct top_live *live);

/* Draws the rows of the report. */
void top_live_draw(struct top_live *live);
/*
 * Does what the keys ask for that were pressed since the last call; @parts are those of the last
 * report. 0 or -errno, reported.
 */
int top_live_keys(struct top_live *live, const struct top_parts *parts);

#endif
