// SPDX-License-Identifier: GPL-2.0-or-later
/* Parser and evaluation of --fail-if. */
#include "lib/cli/expr.h"

#include <ctype.h>

#include "lib/base/err.h"
#include "lib/base/fmt.h"
#include "lib/base/hist.h"
#include "lib/base/str.h"
#include "lib/base/suggest.h"
#include "lib/base/units.h"
#include "lib/nvme/spec.h"
#include "lib/out/out.h"

#define WORD_MAX 64

struct parser {
	struct expr *e;
	const char *text, *at;
};

#define NAME(name) (1U << EXPR_##name)
#define COUNTS	   (NAME(COUNT) | NAME(ERRORS) | NAME(LOST))
#define RATES	   (NAME(IOPS) | NAME(BYTES_PER_S))
#define MEANS	   (NAME(PERCENTILE) | NAME(AVG))
#define LATENCIES  (MEANS | NAME(MIN) | NAME(MAX))

/* The names that a kind of rows knows, and examples that each command with such rows accepts. */
static const struct {
	u32 names; /* bits 1 << enum expr_name */
	const char *like;
} kinds[] = {
	[EXPR_EVENTS] = { COUNTS, "'errors>0' or 'errors>5 or lost>0'" },
	[EXPR_LATENCIES] = { COUNTS | RATES | LATENCIES,
			     "'p99>500us' or 'read.p99.9>2ms or errors>0'" },
	[EXPR_STACKS] = { COUNTS | RATES | MEANS, "'count>1000' or 'avg>2ms or errors>0'" },
	[EXPR_PLACES] = { COUNTS | RATES, "'iops>5k' or 'count>1000 or bytes_per_s>500m'" },
	[EXPR_CHANGES] = { NAME(PERCENTILE), "'p99>+10%' or 'read.p50>+5% or read.p99.9>+20%'" },
	[EXPR_INFLIGHT] = { NAME(COUNT) | NAME(OLDEST) | NAME(LEFT) | NAME(OVERDUE),
			    "'oldest>5s' or 'count>100 or overdue>0'" },
	[EXPR_TRIGGER] = { COUNTS | RATES | LATENCIES | NAME(TIMEOUTS) | NAME(RESETS),
			   "'errors>0' or 'read.p99.9>2ms or lat>100ms'" },
};

static int refuse(const struct parser *p, const char *where, const char *why, const char *remedy)
{
	return fail_usage(why, remedy, "--%s '%s', at position %d",
			  p->e->rows == EXPR_TRIGGER ? "trigger" : "fail-if", p->text,
			  (int)(where - p->text) + 1);
}

static int wrong(const struct parser *p, const char *where, const char *why)
{
	char remedy[100];

	snprintf(remedy, sizeof(remedy), "write it like %s", kinds[p->e->rows].like);
	return refuse(p, where, why, remedy);
}

/* The same, where it is known what was meant: the @len bytes at @meant, and @unit. */
static int refuse_near(const struct parser *p, const char *where, const char *why,
		       const char *meant, size_t len, const char *unit)
{
	char remedy[WORD_MAX + 8];

	snprintf(remedy, sizeof(remedy), "%.*s%s?", (int)len, meant, unit);
	return refuse(p, where, why, remedy);
}

static void skip_blanks(struct parser *p)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
}

/* Copies the bytes at the parser that belong to names and values. Returns how many, 0 for none. */
static size_t take_word(struct parser *p, char *word)
{
	size_t n = 0;

	skip_blanks(p);
	while (isalnum((unsigned char)p->at[n]) || p->at[n] & 0x80 ||
	       (p->at[n] && strchr("._-:", p->at[n])))
		n++;
	if (n >= WORD_MAX)
		return 0;
	memcpy(word, p->at, n);
	word[n] = '\0';
	p->at += n;
	return n;
}

/*
 * The values by enum expr_name: the name, how a limit of it is written, and a u64 of the row, where
 * actual() finds it there.
 */
#define AT(m) offsetof(struct expr_row, m)
static const struct {
	const char *name;
	enum { NUMBER, SIZE, LATENCY, TIME } is;
	u32 at;
} values[] = {
	[EXPR_PERCENTILE] = { "pNN", LATENCY, 0 },
	[EXPR_MIN] = { "min", LATENCY, AT(min_ns) },
	[EXPR_MAX] = { "max", LATENCY, AT(max_ns) },
	[EXPR_AVG] = { "avg", LATENCY, 0 },
	[EXPR_BYTES_PER_S] = { "bytes_per_s", SIZE, AT(bytes) },
	[EXPR_IOPS] = { "iops", NUMBER, AT(count) },
	[EXPR_COUNT] = { "count", NUMBER, AT(count) },
	[EXPR_ERRORS] = { "errors", NUMBER, AT(errors) },
	[EXPR_LOST] = { "lost", NUMBER, AT(lost) },
	[EXPR_OLDEST] = { "oldest", TIME, AT(oldest_ns) },
	[EXPR_LEFT] = { "left", TIME, 0 },
	[EXPR_OVERDUE] = { "overdue", NUMBER, AT(overdue) },
	[EXPR_TIMEOUTS] = { "timeouts", NUMBER, AT(timeouts) },
	[EXPR_RESETS] = { "resets", NUMBER, AT(resets) },
};

static const char *const relations[] = {
	[EXPR_LE] = "<=", [EXPR_GE] = ">=", [EXPR_EQ] = "==",
	[EXPR_NE] = "!=", [EXPR_LT] = "<",  [EXPR_GT] = ">",
};

/* Finds the value that a term compares by its name. -EINVAL for an unknown name. */
static int find_name(const struct parser *p, const char *word, struct expr_term *term)
{
	struct percentile pct;
	u32 i;

	if (p->e->rows == EXPR_TRIGGER && streq(word, "lat")) { /* the slowest command's, then */
		term->name = EXPR_MAX;
		term->lat = true;
		return 0;
	}
	if (word[0] == 'p' && !hist_parse_percentile(word + 1, strlen(word + 1), &pct)) {
		term->name = EXPR_PERCENTILE;
		term->millionths = pct.millionths;
		return 0;
	}
	for (i = EXPR_PERCENTILE + 1; i < ARRAY_SIZE(values); i++) {
		if (streq(values[i].name, word)) {
			term->name = (u8)i;
			return 0;
		}
	}
	return -EINVAL;
}

static bool is_time(const struct expr_term *term)
{
	return values[term->name].is >= LATENCY;
}

/* Writes the names that @rows know: "count, errors and lost". */
static size_t list_names(enum expr_rows rows, char *buf, size_t size)
{
	u32 left = kinds[rows].names;
	size_t used = 0;

	for (u32 i = 0; left && used < size; i++) {
		if (!(left & 1U << i))
			continue;
		left &= ~(1U << i);
		used += (size_t)snprintf(buf + used, size - used, "%s%s",
					 !used	? ""
					 : left ? ", "
						: " and ",
					 values[i].name);
	}
	return used;
}

size_t expr_help(enum expr_rows rows, char *buf, size_t size)
{
	size_t used = (size_t)snprintf(buf, size, "%s; it knows ", kinds[rows].like);

	return used < size ? used + list_names(rows, buf + used, size - used) : used;
}

void expr_example(enum expr_rows rows, char *buf, size_t size)
{
	const char *like = kinds[rows].like + 1;

	snprintf(buf, size, "%.*s", (int)strcspn(like, "'"), like);
}

/* Checks that the rows have the value that @term names, which begins at @start. */
static int check_known(const struct parser *p, const char *start, const struct expr_term *term)
{
	enum expr_rows rows = p->e->rows;
	char why[160];

	if (kinds[rows].names & 1U << term->name && !(term->op && rows == EXPR_INFLIGHT))
		return 0;
	list_names(rows, why + snprintf(why, sizeof(why), "this command has only "), 100);
	return wrong(p, start, rows == EXPR_CHANGES ? "only percentiles are compared" : why);
}

/* Reads [OP.]NAME. NULL, or what is wrong with it, and in *@at where in @word. */
static const char *read_name(const struct parser *p, const char *word, struct expr_term *term,
			     size_t *at)
{
	const char *dot = strchr(word, '.');
	struct nvme_opcode_match match;
	char op[WORD_MAX];

	*at = 0;
	if (!find_name(p, word, term))
		return NULL;
	if (!dot)
		return "no value has this name";
	snprintf(op, sizeof(op), "%.*s", (int)(dot - word), word);
	if (nvme_opcode_parse(op, &match))
		return "no such opcode";
	term->op = nvme_opcode_name(match.set, match.code);
	if (!term->op)
		return "this opcode has no name";
	term->admin = match.set != NVME_SET_IO;
	*at = (size_t)(dot + 1 - word);
	return find_name(p, dot + 1, term) ? "no value has this name" : NULL;
}

/* Refuses the name @word, which begins at @start, with the one that was meant, if that is clear. */
static int refuse_name(const struct parser *p, const char *start, const char *word, const char *why,
		       size_t at)
{
	struct suggestion near = { .typed = word + at };
	struct expr_term term = { 0 };
	char lower[WORD_MAX];
	size_t n = strlen(word), where;

	for (size_t i = 0; i <= n; i++)
		lower[i] = (char)tolower((unsigned char)word[i]);
	if (!read_name(p, lower, &term, &where))
		return refuse_near(p, start, "names have no capitals", lower, n, "");
	near.typed = lower + at;
	for (u32 i = EXPR_PERCENTILE + 1; i < ARRAY_SIZE(values); i++) {
		if (kinds[p->e->rows].names & 1U << i)
			suggest_offer(&near, values[i].name);
	}
	if (near.best && streq(why, "no value has this name"))
		return refuse_near(p, start + at, why, near.best, strlen(near.best), "");
	return wrong(p, start + at, why);
}

/* [OP.]NAME */
static int parse_name(struct parser *p, struct expr_term *term)
{
	char word[WORD_MAX];
	const char *start, *why;
	size_t at;
	int err;

	skip_blanks(p);
	start = p->at;
	if (!take_word(p, word))
		return wrong(p, start, "a name is missing here");
	why = read_name(p, word, term, &at);
	err = why ? refuse_name(p, start, word, why, at) : check_known(p, start, term);
	if (err)
		return err;
	if (term->op && term->name == EXPR_LOST)
		return wrong(p, start, "losses are not counted by opcode");
	if (term->op && term->name == EXPR_RESETS)
		return wrong(p, start, "resets are counted by controller, not by opcode");
	return 0;
}

static int parse_relation(struct parser *p, struct expr_term *term)
{
	static const char none[] = "one of < <= > >= == != is missing here";
	u32 i;

	skip_blanks(p);
	for (i = 0; i < ARRAY_SIZE(relations); i++) {
		if (!has_prefix(p->at, relations[i]))
			continue;
		term->relation = (u8)i;
		if (term->lat && term->relation != EXPR_GT && term->relation != EXPR_GE)
			return wrong(p, p->at, "lat is compared by > or >=");
		p->at += strlen(relations[i]);
		return 0;
	}
	if (*p->at == '=') /* => and =< are none, either */
		return refuse_near(p, p->at, none,
				   p->at[1] == '>' || p->at[1] == '<' ? p->at + 1 : "=", 1, "=");
	return wrong(p, p->at, none);
}

/* 1500, 10k, 2M: powers of ten. */
static int parse_count(char *word, u64 *value)
{
	static const char suffixes[] = "kMG";
	size_t n = strlen(word);
	const char *suffix = n ? strchr(suffixes, word[n - 1]) : NULL;
	u64 unit = 1;
	int err;

	if (suffix && n > 1) {
		for (; suffix >= suffixes; suffix--)
			unit *= 1000;
		word[n - 1] = '\0';
	}
	err = units_count(word, value);
	if (!err && __builtin_mul_overflow(*value, unit, value))
		err = -ERANGE;
	return err;
}

#define DIGITS "0123456789."

/* The word between two terms, as it is written; NULL: @word is none, however it is written. */
static const char *link_of(const char *word)
{
	static const char *const links[][3] = { { "and", "&&", "&" }, { "or", "||", "|" } };

	for (u32 i = 0; i < ARRAY_SIZE(links); i++)
		for (u32 k = 0; k < ARRAY_SIZE(links[i]); k++)
			if (strcasecmp(word, links[i][k]) == 0)
				return links[i][0];
	return NULL;
}

/* As take_word(), for a number with its unit: there may be blanks between. */
static size_t take_number(struct parser *p, char *word)
{
	size_t n = take_word(p, word), more;
	const char *behind = p->at;
	char unit[WORD_MAX];

	if (!n || word[strspn(word, DIGITS)])
		return n;
	more = take_word(p, unit);
	if (!more || strchr(DIGITS, unit[0]) || link_of(unit) || n + more >= WORD_MAX) {
		p->at = behind;
		return n;
	}
	memcpy(word + n, unit, more + 1);
	return n + more;
}

/* True when @sign comes next, behind blanks. */
static bool at_sign(struct parser *p, char sign)
{
	skip_blanks(p);
	return *p->at == sign;
}

/* +10%, -5.5%: a change in percent. */
static int parse_change(struct parser *p, struct expr_term *term)
{
	const char *start;
	char word[WORD_MAX];
	u64 billionths; /* of a percent, as units_time() has them of a second */
	bool less;

	skip_blanks(p);
	start = p->at;
	less = *start == '-';
	p->at += less || *start == '+';
	if (!take_word(p, word) || word[strspn(word, DIGITS)] || units_time(word, &billionths) ||
	    !at_sign(p, '%') || (less && billionths > 100 * NSEC_PER_SEC))
		return wrong(p, start, "a change in percent is missing here, from -100%");
	if (term->relation == EXPR_EQ || term->relation == EXPR_NE)
		return wrong(p, start, "a change is known within bounds only: use > or <");
	p->at++;
	term->change_pct = (double)billionths / (less ? -1e9 : 1e9);
	return 0;
}

/* What is written for the unit, which some write otherwise: they begin like this. */
struct slip {
	const char *typed, *meant;
};

static const struct slip time_slips[] = {
	{ "ns", "ns" }, { "nano", "ns" },     { "us", "us" }, { "micro", "us" },
	{ "ms", "ms" }, { "milli", "ms" },    { "s", "s" },   { "\xc2\xb5", "us" },
	{ "m", "ms" },	{ "\xce\xbc", "us" }, { NULL, NULL },
};
static const struct slip size_slips[] = {
	{ "k", "k" }, { "m", "m" }, { "g", "g" }, { "t", "t" }, { NULL, NULL },
};
static const struct slip count_slips[] = {
	{ "k", "k" },
	{ "m", "M" },
	{ "g", "G" },
	{ NULL, NULL },
};

/*
 * Rejects a latency in minutes or hours: 'p99>2m' would always pass, where 2ms was meant. @digits
 * of the value are a number.
 */
static bool is_too_long(const struct expr_term *term, const char *word, size_t digits)
{
	const char *unit = word + digits;

	return digits && values[term->name].is == LATENCY &&
	       (strcasecmp(unit, "m") == 0 || strcasecmp(unit, "h") == 0);
}

/* Refuses the value @word, which begins at @start, with the one that was meant, if that is clear. */
static int refuse_value(const struct parser *p, const char *start, const struct expr_term *term,
			const char *word)
{
	static const struct {
		const char *why;
		const struct slip *slips;
	} by[] = {
		[NUMBER] = { "a number may end in k, M or G", count_slips },
		[SIZE] = { "a size is in k, m, g or t, powers of 1024", size_slips },
		[LATENCY] = { "a latency is in s, ms, us or ns", time_slips },
		[TIME] = { "a time is in h, m, s, ms, us or ns", time_slips },
	};
	const char *why = by[values[term->name].is].why;
	const struct slip *slip = by[values[term->name].is].slips;
	size_t digits = strspn(word, DIGITS);

	while (slip->typed && strncasecmp(word + digits, slip->typed, strlen(slip->typed)) != 0)
		slip++;
	if (digits && slip->typed)
		return refuse_near(p, start, why, word, digits, slip->meant);
	return wrong(p, start, digits && word[digits] ? why : "the number does not fit this name");
}

static int parse_value(struct parser *p, struct expr_term *term)
{
	char word[WORD_MAX], typed[WORD_MAX];
	const char *start;
	size_t digits;
	int err;

	skip_blanks(p);
	start = p->at;
	if (!take_number(p, word))
		return wrong(p, start, "a number is missing here");
	digits = strspn(word, DIGITS);
	if (is_time(term) && !word[digits] && !streq(word, "0"))
		return wrong(p, start, "a time needs a unit: ns, us, ms or s");
	snprintf(typed, sizeof(typed), "%s", word);
	if (is_time(term))
		err = is_too_long(term, word, digits) ? -EINVAL : units_time(word, &term->value);
	else if (values[term->name].is == SIZE)
		err = units_size(word, &term->value);
	else
		err = parse_count(word, &term->value);
	return err ? refuse_value(p, start, term, typed) : 0;
}

/* True when a single event can make the term true, and later ones not false again. */
static bool is_at_once(const struct expr_term *term)
{
	return (term->name == EXPR_MAX || term->name == EXPR_ERRORS ||
		term->name >= EXPR_TIMEOUTS) &&
	       (term->relation == EXPR_GT || term->relation == EXPR_GE);
}

static int parse_term(struct parser *p, struct expr_condition *c)
{
	struct expr_term *term = &p->e->terms[p->e->n_terms];
	const char *start = p->at;
	u32 i;
	int err;

	if (p->e->n_terms == EXPR_TERMS)
		return wrong(p, p->at, "there are too many terms");
	err = parse_name(p, term);
	if (!err)
		err = parse_relation(p, term);
	if (!err)
		err = p->e->rows == EXPR_CHANGES ? parse_change(p, term) : parse_value(p, term);
	if (err)
		return err;
	for (i = c->first; i < p->e->n_terms; i++) {
		if (term->op && p->e->terms[i].op && !streq(term->op, p->e->terms[i].op))
			return wrong(p, start, "no row has two opcodes, so this is never true");
	}
	if (!is_at_once(term))
		c->at_once = 0;
	else if (p->e->n_terms == c->first || c->at_once)
		c->at_once |= 1U << term->name;
	c->end = ++p->e->n_terms;
	c->text_len = (u32)(p->at - c->text);
	return 0;
}

/* As take_word(), also for the signs of C. */
static void take_link(struct parser *p, char *word)
{
	size_t n = strspn(p->at, "&|");

	if (!n || n >= WORD_MAX) {
		take_word(p, word);
		return;
	}
	memcpy(word, p->at, n);
	word[n] = '\0';
	p->at += n;
}

static int refuse_link(const struct parser *p, const char *where, const char *word)
{
	static const char why[] = "'and' or 'or' is missing here";
	const char *meant = link_of(word);

	if (!meant || streq(meant, word)) /* one `or` too many */
		return wrong(p, where, why);
	return refuse_near(p, where, why, meant, strlen(meant), "");
}

int expr_parse(struct expr *e, const char *text, enum expr_rows rows)
{
	struct parser p = { .e = e, .text = text, .at = text };
	struct expr_condition *c = NULL;
	const char *start;
	char word[WORD_MAX];
	int err;

	*e = (struct expr){ .rows = (u8)rows };
	for (;;) {
		if (!c) {
			skip_blanks(&p);
			c = &e->conditions[e->n_conditions++];
			*c = (struct expr_condition){ .text = p.at, .first = e->n_terms };
		}
		err = parse_term(&p, c);
		if (err)
			return err;
		skip_blanks(&p);
		start = p.at;
		if (!*start)
			return 0;
		take_link(&p, word);
		if (streq(word, "or") && e->n_conditions < EXPR_TERMS)
			c = NULL;
		else if (!streq(word, "and"))
			return refuse_link(&p, start, word);
	}
}

bool expr_names(const struct expr *e, enum expr_name name)
{
	u32 i;

	for (i = 0; i < e->n_terms && e->terms[i].name != name; i++)
		;
	return i < e->n_terms;
}

bool expr_names_op(const struct expr *e)
{
	u32 i;

	for (i = 0; i < e->n_terms; i++) {
		if (e->terms[i].op)
			return true;
	}
	return false;
}

int expr_selected(const struct expr *e, bool io, bool admin)
{
	u32 i;

	for (i = 0; i < e->n_terms; i++) {
		if (e->terms[i].op && !(e->terms[i].admin ? admin : io))
			return fail_usage(
				"the selection leaves out such commands, so this is never true",
				e->terms[i].admin ? "select them with -q 0-" : "",
				"--fail-if '%s.'", e->terms[i].op);
	}
	return 0;
}

/* Gives the number of the row that a term compares. False when the row has none. */
static bool actual(const struct expr_term *term, const struct expr_row *row, double *v)
{
	bool rate = term->name == EXPR_IOPS || term->name == EXPR_BYTES_PER_S;

	if (term->name <= EXPR_AVG && (!row->count || !row->percentile))
		return false;
	if (rate && !row->duration_ns)
		return false;
	if (term->name == EXPR_OLDEST && !row->count)
		return false;
	if (term->name == EXPR_LEFT && (!row->count || row->left_ns == INT64_MAX))
		return false;
	if (term->name == EXPR_PERCENTILE)
		*v = (double)row->percentile(row->ctx, term->millionths);
	else if (term->name == EXPR_AVG)
		*v = row->avg_ns;
	else if (term->name == EXPR_LEFT)
		*v = (double)row->left_ns;
	else
		*v = (double)*(const u64 *)((const char *)row + values[term->name].at);
	if (rate)
		*v /= (double)row->duration_ns / 1e9;
	return true;
}

/* The change is surely more than the limit if its lower bound is, and less if its upper bound is. */
static bool bound(const struct expr_term *term, const struct expr_row *row, double *v)
{
	double low, high;

	row->change(row->ctx, term->millionths, &low, &high);
	*v = term->relation == EXPR_GT || term->relation == EXPR_GE ? low : high;
	return !__builtin_isnan(*v);
}

static bool holds(const struct expr_term *term, const struct expr_row *row, double *found)
{
	double v = 0, limit = row->change ? term->change_pct : (double)term->value;

	if (term->op && (!row->op || !streq(term->op, row->op)))
		return false;
	if (!(row->change ? bound(term, row, &v) : actual(term, row, &v)))
		return false;
	*found = v;
	switch ((enum expr_relation)term->relation) {
	case EXPR_LT:
		return v < limit;
	case EXPR_LE:
		return v <= limit;
	case EXPR_GT:
		return v > limit;
	case EXPR_GE:
		return v >= limit;
	case EXPR_EQ:
		return v == limit;
	case EXPR_NE:
		return v != limit;
	}
	return false;
}

/* Keeps the values and the row for which @c was true first. */
static void keep(struct expr *e, struct expr_condition *c, const struct expr_row *row,
		 const double *found)
{
	for (u32 t = c->first; t < c->end; t++)
		e->terms[t].found = found[t];
	c->failed = true;
	c->wall_ns = row->wall_ns;
	snprintf(c->op, sizeof(c->op), "%s", row->op ? row->op : "");
	snprintf(c->row, sizeof(c->row), "%s", row->name ? row->name : "");
}

/* Notes which opcodes occurred. */
static void see(struct expr *e, const struct expr_row *row)
{
	e->some_op |= row->some_op;
	for (u32 t = 0; row->op && row->count && t < e->n_terms; t++)
		if (e->terms[t].op && streq(e->terms[t].op, row->op))
			e->terms[t].seen = true;
}

static bool is_due(const struct expr_condition *c, const struct expr_row *row)
{
	if (row->when == EXPR_AT_ONCE)
		return c->at_once & row->changed;
	return row->when == EXPR_ALWAYS || !c->at_once;
}

void expr_reset(struct expr *e)
{
	e->none = NULL;
	for (u32 i = 0; i < e->n_conditions; i++)
		e->conditions[i].failed = false;
}

bool expr_check(struct expr *e, const struct expr_row *row)
{
	double found[EXPR_TERMS];
	bool any = false;

	see(e, row);
	for (u32 i = 0; i < e->n_conditions; i++) {
		struct expr_condition *c = &e->conditions[i];
		u32 t = c->first;

		if (!is_due(c, row))
			continue;
		while (t < c->end && holds(&e->terms[t], row, &found[t]))
			t++;
		if (t < c->end)
			continue;
		any = true;
		if (!c->failed)
			keep(e, c, row, found);
	}
	return any;
}

/* Writes the value that was found, with as many digits as it takes to differ from the limit. */
static void found_text(const struct expr_term *term, char *buf, size_t size)
{
	double limit = (double)term->value;
	char other[FMT_NUMBER], number[FMT_NUMBER];

	for (u32 more = 0; more < 7; more++) {
		if (is_time(term)) {
			snprintf(buf, size, "%s", fmt_ns(number, term->found, " ", more));
			fmt_ns(other, limit, " ", more);
		} else {
			*fmt_double(number, term->found, 2 + more, true) = '\0';
			snprintf(buf, size, "%s", number);
			*fmt_double(other, limit, 2 + more, true) = '\0';
		}
		if (!streq(buf, other) || term->found == limit)
			return;
	}
}

static void limit_text(const struct expr_term *term, char *buf, size_t size)
{
	char text[UNITS_TEXT];

	if (is_time(term))
		snprintf(buf, size, "%s", units_time_apart(term->value, text));
	else
		snprintf(buf, size, "%llu", (unsigned long long)term->value);
}

static void name_text(const struct expr_term *term, const char *op, char *buf, size_t size)
{
	char number[FMT_NUMBER];
	bool pct = term->name == EXPR_PERCENTILE;

	*fmt_double(number, (double)term->millionths / 1e6, 6, true) = '\0';
	snprintf(buf, size, "%s%s%s%s", op, *op ? "." : "",
		 pct	     ? "p"
		 : term->lat ? "lat"
			     : values[term->name].name,
		 pct ? number : "");
}

/* "read.p99 changed by at least +12.3 % > +10 %" */
static size_t change_text(const struct expr_term *term, const char *name, char *buf, size_t size)
{
	bool more = term->relation == EXPR_GT || term->relation == EXPR_GE;
	char found[FMT_NUMBER], limit[FMT_NUMBER];

	*fmt_double(found, term->found, 2, true) = '\0';
	*fmt_double(limit, term->change_pct, 6, true) = '\0';
	return (size_t)snprintf(buf, size, "%s changed by at %s %s%s %% %s %s%s %%", name,
				more ? "least" : "most", term->found < 0 ? "" : "+", found,
				relations[term->relation], term->change_pct < 0 ? "" : "+", limit);
}

void expr_text(const struct expr *e, const struct expr_condition *c, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (u32 t = c->first; t < c->end && used < size; t++) {
		const struct expr_term *term = &e->terms[t];
		char name[64], found[64], limit[64];

		name_text(term, term->name == EXPR_LOST ? "" : c->op, name, sizeof(name));
		if (t > c->first)
			used += (size_t)snprintf(buf + used, size - used, " and ");
		if (used < size && e->rows == EXPR_CHANGES) {
			used += change_text(term, name, buf + used, size - used);
			continue;
		}
		found_text(term, found, sizeof(found));
		limit_text(term, limit, sizeof(limit));
		if (used < size)
			used += (size_t)snprintf(buf + used, size - used, "%s = %s %s %s", name,
						 found, relations[term->relation], limit);
	}
}

static void tell(const struct expr *e, const struct expr_condition *c, bool utc)
{
	struct out_stamp stamp;
	char found[512];

	expr_text(e, c, found, sizeof(found));
	out_stamp(&stamp, c->wall_ns, utc, 0);
	tell_failed("%s%s%s, %s", found, c->row[0] ? ", " : "", c->row, stamp.time);
}

bool expr_none(struct expr *e, const char *none, u64 wall_ns)
{
	if (!e->n_terms || e->rows == EXPR_INFLIGHT || expr_names(e, EXPR_COUNT))
		return false;
	e->none = none;
	e->none_ns = wall_ns;
	tell_failed("%s", none);
	return true;
}

/* True when a term before @t, or with @counts any, has its opcode; with @counts it asks for the count. */
static bool has_op(const struct expr *e, u32 t, bool counts)
{
	for (u32 i = 0; i < (counts ? e->n_terms : t); i++)
		if (e->terms[i].op && streq(e->terms[i].op, e->terms[t].op) &&
		    (!counts || e->terms[i].name == EXPR_COUNT))
			return true;
	return false;
}

void expr_none_text(const struct expr *e, const struct expr_term *term, char *buf, size_t size)
{
	snprintf(buf, size, "no %s completed%s", term->op,
		 e->rows == EXPR_CHANGES ? " in at least one of the recordings" : "");
}

bool expr_none_of(struct expr *e, u64 wall_ns, bool utc)
{
	char text[128];
	bool any = false;

	for (u32 t = 0; !e->some_op && t < e->n_terms; t++) {
		struct expr_term *term = &e->terms[t];
		const struct expr_row none = { .op = term->op, .wall_ns = wall_ns };

		if (!term->op || term->seen || has_op(e, t, false))
			continue;
		if (has_op(e, t, true)) {
			any |= expr_check_and_tell(e, &none, utc);
			continue;
		}
		term->none = any = true;
		e->none_ns = wall_ns;
		expr_none_text(e, term, text, sizeof(text));
		tell_failed("%s", text);
	}
	return any;
}

bool expr_check_and_tell(struct expr *e, const struct expr_row *row, bool utc)
{
	bool before[EXPR_TERMS] = { 0 };

	for (u32 i = 0; i < e->n_conditions; i++)
		before[i] = e->conditions[i].failed;
	if (!e->n_terms || !expr_check(e, row))
		return false;
	for (u32 i = 0; i < e->n_conditions; i++)
		if (e->conditions[i].failed && !before[i])
			tell(e, &e->conditions[i], utc);
	return true;
}
