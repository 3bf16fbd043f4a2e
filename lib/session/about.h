// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The subject of a run, for `meta` and for the head of a recording: the controllers at the start,
 * and the selection. As text it is one line. ASCII's unit separator stands between the fields of a
 * record, its record separator between records, its group separator between the selections of a
 * recording that was made from another one.
 */
#ifndef NVT_SESSION_ABOUT_H
#define NVT_SESSION_ABOUT_H

#include "lib/cli/common.h"
#include "lib/host/sysfs.h"
#include "lib/out/out.h"

/* One record per controller, or one per kind of selection. The caller frees; NULL: no memory. */
char *about_ctrls(const struct sysfs *sysfs);
/* @before: the selection of the recording that is replayed, which comes first; NULL: none. */
char *about_filters(const struct selection *sel, const char *before);

/*
 * Writes such a text, even a damaged one, as elements of an open array of controllers. NULL: not
 * known.
 */
void about_put_ctrls(struct json *j, const char *text);
/* Writes elements of an open array of selections, none if everything is selected. */
void about_put_filters(struct json *j, const char *text);
/* Writes the first selection of @text as members of an open object. */
void about_put_filter(struct json *j, const char *text);

/*
 * Copies the next controller of @text: number, name, transport, model, serial, firmware; what is not
 * there is empty. Returns the rest of the text; NULL, and nothing copied, at its end.
 */
#define ABOUT_CTRL_FIELDS 6
#define ABOUT_FIELD	  256
const char *about_ctrl_fields(const char *text, char fields[ABOUT_CTRL_FIELDS][ABOUT_FIELD]);

/*
 * Writes the next controller of @text as "nvme0  pcie  MODEL  SERIAL  FIRMWARE", or the next
 * selection as "opcode=read,write size=4k". Returns the rest of the text; NULL, and nothing
 * written, at its end.
 */
const char *about_ctrl_line(const char *text, char *buf, size_t size);
const char *about_filter_line(const char *text, char *buf, size_t size);

/*
 * Hands out each line that @next, one of these two, makes of @text, which may be NULL; or else @none.
 * The first line has @label, others "".
 */
void about_lines(const char *text, const char *(*next)(const char *text, char *buf, size_t size),
		 const char *label, const char *none,
		 void (*put)(void *ctx, const char *label, const char *text), void *ctx);

#endif
