// SPDX-License-Identifier: GPL-2.0-or-later
/* Says where and when the commands of a picture were. */
#include "lib/view/picture.h"

#include <stdarg.h>
#include <stdio.h>

#include "lib/base/escape.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/record/record.h"
#include "lib/session/about.h"
#include "lib/session/recording.h"

#define DRIVES 3 /* that are named; more are counted */

/* Text that grows, and is cut where the buffer ends. */
struct text {
	char *buf;
	size_t used;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(t->buf + t->used, PICTURE_WHERE - t->used, fmt, args);
	va_end(args);
	if (n > 0)
		t->used += (size_t)n;
	if (t->used >= PICTURE_WHERE)
		t->used = PICTURE_WHERE - 1;
}

/*
 * Adds the controllers of @ctrls, in the form of lib/session/about.h; NULL: not known. @n: how many
 * there were before. Returns how many there are now.
 */
static u32 add_ctrls(struct text *t, const char *ctrls, u32 n)
{
	char fields[ABOUT_CTRL_FIELDS][ABOUT_FIELD];

	while (ctrls && (ctrls = about_ctrl_fields(ctrls, fields))) {
		if (fields[1][0] && n++ < DRIVES)
			add(t, ", %.40s%s%.60s%s", fields[1], fields[3][0] ? " (" : "", fields[3],
			    fields[3][0] ? ")" : "");
	}
	return n;
}

static void add_drives(struct text *t, struct session *s)
{
	struct counters c;
	u32 n = 0;

	for (u32 i = 0; i < session_recordings(s); i++)
		n = add_ctrls(t, session_recording(s, i, &c)->ctrls, n);
	if (n > DRIVES)
		add(t, " and %u more", n - DRIVES);
}

/* Adds from when to when; the date again where the run ended on another day. */
static void add_period(struct text *t, struct session *s, u64 end_ns)
{
	bool utc = session_common(s)->output.utc, same;
	u32 decimals = end_ns - session_from_ns(s) < 10 * NSEC_PER_SEC ? 3 : 0;
	struct out_stamp from, to;

	out_stamp(&from, session_wall_ns(s, session_from_ns(s)), utc, decimals);
	out_stamp(&to, session_wall_ns(s, end_ns), utc, decimals);
	same = streq(from.date, to.date);
	add(t, ", %s %s to %s%s%s %s", from.date, from.time, same ? "" : to.date, same ? "" : " ",
	    to.time, to.zone);
}

static const char *host_of(struct session *s, u32 file)
{
	struct counters c;
	const char *host = session_recording(s, file, &c)->host;

	return host ? host : "unknown host";
}

/* Adds the host; of recordings each host once. */
static void add_hosts(struct text *t, struct session *s)
{
	u32 k;

	for (u32 i = 0; i < session_recordings(s); i++) {
		for (k = 0; k < i && !streq(host_of(s, k), host_of(s, i)); k++)
			;
		if (k == i)
			add(t, "%s%.60s", i ? ", " : "", host_of(s, i));
	}
}

const char *picture_where(struct session *s, u64 end_ns, char buf[PICTURE_WHERE])
{
	char raw[PICTURE_WHERE] = "";
	struct text t = { raw, 0 };

	add_hosts(&t, s);
	add_drives(&t, s);
	add_period(&t, s, end_ns);
	escape_text(raw, buf, PICTURE_WHERE);
	return buf;
}
