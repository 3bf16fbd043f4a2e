// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The subject of a run, for `meta` and for the head of a recording: the controllers that were there
 * and the selection. As text it is one line: ASCII's unit separator between the fields of a record,
 * its record separator between records, its group separator between the selections of a recording
 * made of another one.
 */
#ifndef NVT_SESSION_ABOUT_H
#define NVT_SESSION_ABOUT_H

#include "lib/cli/common.h"
#include "lib/host/sysfs.h"
#include "lib/out/out.h"

/* A record per controller, one per kind of selection. The caller frees; NULL: no memory. */
char *about_ctrls(const struct sysfs *sysfs);
/* @before: the selection of the recording that is read, in front of ours; NULL: none. */
char *about_filters(const struct selection *sel, const char *before);

/*
 * Puts a text as above, whoever wrote it: elements of an open array of controllers. NULL: nothing
 * known.
 */
void about_put_ctrls(struct json *j, const char *text);
/* Elements of an open array of selections; none for a selection of everything. */
void about_put_filters(struct json *j, const char *text);
/* Members of an open object: the first selection of @text. */
void about_put_filter(struct json *j, const char *text);

#endif
