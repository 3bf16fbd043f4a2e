// SPDX-License-Identifier: GPL-2.0-or-later
/* Decides when a file of the flight recorder begins and ends, and what it is called. */
#include "cmd/record/recorder.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/record/trigger.h"
#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/session/recording.h"

/* A file that was written, told by what stands for it in the file system. */
struct ring_file {
	char *name;
	dev_t dev;
	ino_t ino;
};

struct ring {
	const struct ring_opts *opts;
	struct session *s;
	struct record_writer *w;
	struct trigger *trigger; /* NULL: none */
	struct counters source; /* replay: of the recordings, whose losses are those of each file */
	struct record_head head, now; /* of all files; of the one that is open */
	s64 wall_offset_ns; /* of the last event */
	u64 close_ns; /* the open file has events until then; 0: none is open */
	u64 n_files, refused; /* files begun; triggers for which there could be none */
	struct ring_file *file; /* the last ones that are there: opts->max_files */
	u32 there;
	char name[PATH_MAX];
	int err; /* of the first file that could not be written */
};

int ring_check(const struct ring_opts *opts, const char *file, const struct opt_list *input)
{
	static const char needs[] = "it is for a flight recorder", add[] = "add --ring SIZE";

	if (!opts->bytes && opts->trigger)
		return fail_usage(needs, add, "--trigger");
	if (!opts->bytes)
		return 0;
	if (!strstr(file, "%t"))
		return fail_missing("each file needs a name of its own",
				    "put %t into it, which becomes the time: -w 'nvme-%t.nvt'",
				    "--ring and -w %s", file);
	for (u32 i = 0; i < input->n; i++)
		if (streq(input->word[i], "-"))
			return fail_usage("its losses are not known before its end, and it is read "
					  "only once",
					  "save it to a file first", "--ring and -i -");
	return 0;
}

/*
 * Refuses a directory in which no file could be made, before anything happens. Sets *foreign when
 * it takes a capability that a session drops.
 */
static int check_directory(const char *pattern, bool *foreign)
{
	char copy[PATH_MAX], *dir;
	struct stat st;

	snprintf(copy, sizeof(copy), "%s", pattern);
	dir = dirname(copy);
	if (access(dir, W_OK | X_OK) || stat(dir, &st))
		return fail(-errno, NULL, "name a directory that can be written",
			    "cannot write '%s'", pattern);
	*foreign = !(st.st_mode & S_IWOTH) && st.st_uid != geteuid();
	return 0;
}

int ring_open(struct ring **ring, const struct ring_opts *opts, struct session *s,
	      struct session_request *ask, struct record_writer **w)
{
	const struct counters *counters = session_counters(s);
	struct ring *r = calloc(1, sizeof(*r));
	int err;

	*ring = r;
	if (r)
		r->file = calloc(opts->max_files, sizeof(*r->file));
	if (!r || !r->file)
		return fail(-ENOMEM, NULL, NULL, "flight recorder");
	r->opts = opts;
	r->s = s;
	err = check_directory(session_common(s)->output.file, &ask->foreign_files);
	if (!err && opts->trigger)
		err = trigger_open(&r->trigger, opts->trigger, counters);
	if (!err && opts->trigger)
		ask->required |= trigger_needs(r->trigger);
	if (!err)
		err = record_create_ring(w, opts->bytes, &counters->lost);
	r->w = *w;
	return err;
}

/*
 * Reads the recordings of a replay once for their losses: nobody knows when they happened, so every
 * file has to have them.
 */
static int read_source(struct ring *r)
{
	struct replay *replay = NULL;
	struct view v;
	int err = replay_open(&replay, &session_common(r->s)->run.input, 0, NULL);

	while (!err && (err = replay_next(replay, &v)) > 0)
		err = 0;
	if (!err)
		replay_counters(replay, &r->source);
	replay_close(replay);
	return err;
}

int ring_ready(const struct ring *r)
{
	u32 needs = r->trigger ? trigger_needs(r->trigger) : 0;

	if (!(needs & session_lacks(r->s)))
		return 0;
	return fail(EXIT_AS(EXIT_KERNEL), "this kernel does not let them be traced",
		    "name errors or lat instead", "--trigger '%s'", r->opts->trigger);
}

int ring_begin(struct ring *r, const struct record_head *head)
{
	r->head = *head;
	r->wall_offset_ns = head->wall_offset_ns;
	return session_is_replay(r->s) ? read_source(r) : 0;
}

/* Forgets files that are gone, or are others by now: they make room. */
static void look_for_files(struct ring *r)
{
	u32 n = 0;

	for (u32 i = 0; i < r->there; i++) {
		struct ring_file *f = &r->file[i];
		struct stat st;

		if (lstat(f->name, &st) || st.st_dev != f->dev || st.st_ino != f->ino)
			free(f->name);
		else
			r->file[n++] = *f;
	}
	r->there = n;
}

/* Writes the name of a file that begins at @wall_ns: %t becomes 20261125T103311.412Z. */
static void make_name(struct ring *r, u64 wall_ns)
{
	const char *from = session_common(r->s)->output.file;
	time_t seconds = (time_t)(wall_ns / NSEC_PER_SEC);
	char text[32] = "", *to = r->name, *end = r->name + sizeof(r->name) - sizeof(text);
	struct tm tm;

	if (gmtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%Y%m%dT%H%M%S", &tm);
	snprintf(text + strlen(text), 8, ".%03uZ", (u32)(wall_ns % NSEC_PER_SEC / NSEC_PER_MSEC));
	while (*from && to < end) {
		if (has_prefix(from, "%t")) {
			to = stpcpy(to, text);
			from += 2;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
}

static void remember_file(struct ring *r)
{
	struct ring_file *f = &r->file[r->there];
	struct stat st;

	if (lstat(r->name, &st))
		return;
	f->name = strdup(r->name);
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	r->there += f->name != NULL;
}

/* Says what is written and why, and when it begins later than @from_ns, as was asked for. */
static void tell_begin(const struct ring *r, u64 at_ns, u64 from_ns)
{
	char before[FMT_NUMBER], asked[FMT_NUMBER];

	note("%s: writing '%s'%s", r->now.trigger, r->name,
	     r->n_files > 1 ? "" : ", which only its owner may read (mode 0600)");
	if (r->opts->before_ns && r->now.start_ns > from_ns)
		note("only %s s before that are in memory, not %s s; use a larger --ring",
		     fmt_number(before, (double)(at_ns - r->now.start_ns) / 1e9, 1),
		     fmt_number(asked, (double)r->opts->before_ns / 1e9, 1));
}

/* Begins a file for what happened at @at_ns, unless one is open. */
static void fire(struct ring *r, u64 at_ns, const char *why)
{
	u64 from_ns = r->head.start_ns;
	int err;

	if (r->close_ns)
		return;
	look_for_files(r);
	if (r->there == r->opts->max_files) {
		if (!r->refused++)
			note("%s, but there are %u files (--max-files): move one away to make room",
			     why, r->there);
		return;
	}
	if (r->opts->before_ns && at_ns - from_ns > r->opts->before_ns)
		from_ns = at_ns - r->opts->before_ns;
	r->now = r->head;
	r->now.start_ns = from_ns;
	r->now.wall_offset_ns = r->wall_offset_ns;
	r->now.trigger = why;
	r->now.trigger_ns = at_ns;
	make_name(r, at_ns + (u64)r->wall_offset_ns);
	r->n_files++;
	r->close_ns = at_ns + r->opts->after_ns;
	err = record_dump_begin(r->w, r->name, &r->now);
	if (!err)
		tell_begin(r, at_ns, from_ns);
	if (err != -EEXIST) /* that one is not ours */
		remember_file(r);
}

/* Ends the file that is open. */
static void end_file(struct ring *r)
{
	struct counters now = r->source;
	int err;

	if (!r->close_ns)
		return;
	if (!session_is_replay(r->s))
		now = *session_losses(r->s);
	err = record_dump_end(r->w, &now);
	r->close_ns = 0;
	r->err = r->err ? r->err : err;
	if (!err)
		note("recorded %" PRIu64 " event%s (%" PRIu64 " bytes) in '%s'",
		     record_written(r->w), plural(record_written(r->w)), record_bytes(r->w),
		     r->name);
}

void ring_until(struct ring *r, u64 now_ns)
{
	if (r->close_ns && now_ns > r->close_ns)
		end_file(r);
	if (r->trigger && trigger_until(r->trigger, now_ns))
		fire(r, now_ns, trigger_text(r->trigger));
}

int ring_event(struct ring *r, const struct view *v)
{
	char why[300];
	int err;

	ring_until(r, v->ev->ts_ns);
	r->wall_offset_ns = (s64)(v->wall_ns - v->ev->ts_ns);
	err = record_add(r->w, v);
	if (err || !r->trigger || !trigger_event(r->trigger, v))
		return err;
	snprintf(why, sizeof(why), "%s, %s", trigger_text(r->trigger), v->dev);
	fire(r, v->ev->ts_ns, why);
	return 0;
}

void ring_signal(struct ring *r, u64 now_ns)
{
	fire(r, now_ns, "SIGUSR1");
}

int ring_end(struct ring *r)
{
	end_file(r);
	if (r->refused)
		note("not written: %" PRIu64 " more, because there were %u files (--max-files)",
		     r->refused, r->opts->max_files);
	if (!r->n_files)
		note("nothing was written: %s",
		     r->trigger ? "the condition was never true" : "no SIGUSR1 came");
	return r->err;
}

u64 ring_files(const struct ring *r)
{
	return r->n_files;
}

void ring_close(struct ring *r)
{
	if (!r)
		return;
	for (u32 i = 0; r->file && i < r->there; i++)
		free(r->file[i].name);
	free(r->file);
	trigger_close(r->trigger);
	free(r);
}
