// SPDX-License-Identifier: GPL-2.0-or-later
/* Option parsing: getopt_long() scans, tables say what each option means. */
#include "lib/cli/opt.h"

#include <getopt.h>
#include <inttypes.h>

#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/base/suggest.h"
#include "lib/base/units.h"

#define SLOTS_MAX      160
#define NAME_MAX_BYTES 32
#define LONG_BASE      256 /* getopt values of long options start above all letters */

/* An option with the struct it writes into. */
struct slot {
	const struct opt *opt;
	void *into;
	bool typed; /* its first word replaced the default of a list */
};

struct parser {
	struct slot slot[SLOTS_MAX];
	u32 n;
	char letters[2 + 4 * SLOTS_MAX]; /* getopt's short options */
	/*
	 * getopt's long options: only those that occur in argv, spelled as typed. That way "_"
	 * needs no second table, and getopt can abbreviate only a name that was typed in full; see
	 * typed_whole().
	 */
	struct option *longs;
	char (*names)[NAME_MAX_BYTES];
};

bool opt_takes_value(const struct opt *opt)
{
	switch (opt->type) {
	case OPT_END_OF_TABLE:
	case OPT_TYPE_FLAG:
	case OPT_TYPE_SET:
	case OPT_TYPE_COUNT:
	case OPT_TYPE_ALIAS:
		return false;
	case OPT_TYPE_CALL:
		return opt->arg != NULL;
	default:
		return true;
	}
}

/* True when @typed (@len bytes, "_" allowed for "-") is the name @name, which may be NULL. */
static bool same_name(const char *name, const char *typed, size_t len)
{
	if (!name || strlen(name) != len)
		return false;
	for (size_t i = 0; i < len; i++)
		if (name[i] != (typed[i] == '_' ? '-' : typed[i]))
			return false;
	return true;
}

static bool is_option(const struct opt *opt, const char *name, size_t len, char letter)
{
	if (name)
		return same_name(opt->name, name, len) || same_name(opt->other, name, len);
	return letter && (opt->letter == letter || opt->other_letter == letter);
}

const struct opt *opt_find(const struct opt_group *groups, const char *name, char letter)
{
	size_t len = name ? strlen(name) : 0;

	for (; groups->title; groups++)
		for (const struct opt *opt = groups->opts; opt->type; opt++)
			if (is_option(opt, name, len, letter))
				return opt;
	return NULL;
}

static struct slot *find_slot(struct parser *p, const char *name, size_t len, char letter)
{
	for (u32 i = 0; i < p->n; i++)
		if (is_option(p->slot[i].opt, name, len, letter))
			return &p->slot[i];
	return NULL;
}

static int bad_value(const char *what, const char *word, const char *want)
{
	return fail_usage(want, "", "bad value '%s' for %s", word, what);
}

static int bad_word(const char *what, const char *word, size_t len, const struct opt_word *words)
{
	char want[600] = "expected ", typed[64], remedy[80] = "";
	struct suggestion near = { .typed = typed };
	size_t used = strlen(want);

	snprintf(typed, sizeof(typed), "%.*s", (int)len, word);
	for (const struct opt_word *w = words; w->word && used < sizeof(want); w++) {
		used += (size_t)snprintf(want + used, sizeof(want) - used, "%s%s",
					 w == words ? "" : ", ", w->word);
		suggest_offer(&near, w->word);
	}
	if (near.best)
		snprintf(remedy, sizeof(remedy), "did you mean %s?", near.best);
	return fail_usage(want, remedy, "bad value '%s' for %s", typed, what);
}

static const struct opt_word *find_word(const struct opt_word *words, const char *word, size_t len)
{
	for (; words->word; words++)
		if (strlen(words->word) == len && !memcmp(words->word, word, len))
			return words;
	return NULL;
}

/* Other names that people know for words of a list, from other tools and from our own columns. */
static const char *const other_words[][2] = {
	{ "op", "opcode" },	  { "device", "dev" },	 { "disk", "dev" },
	{ "controller", "ctrl" }, { "namespace", "ns" }, { "queue", "qid" },
	{ "command", "comm" },	  { "process", "comm" }, { "container", "cgroup" },
};

/* Finds a word by its own name or one of other_words. Help and completion offer its own alone. */
static const struct opt_word *find_known(const struct opt_word *words, const char *word, size_t len)
{
	const struct opt_word *found = find_word(words, word, len);

	for (u32 i = 0; !found && i < ARRAY_SIZE(other_words); i++) {
		const char *other = other_words[i][0], *ours = other_words[i][1];

		if (strlen(other) == len && !memcmp(other, word, len))
			found = find_word(words, ours, strlen(ours));
	}
	return found;
}

/* Parses one comma list of @words into *@set; 0 or a usage error naming @what ("--by"). */
static int parse_set(const char *what, const struct opt_word *words, const char *list, u64 *set)
{
	u64 found = 0;

	for (const char *item = list;; item++) {
		size_t len = strcspn(item, ",");
		const struct opt_word *w = find_known(words, item, len);
		if (!w)
			return bad_word(what, item, len, words);
		found |= 1ULL << w->value;
		item += len;
		if (!*item)
			break;
	}
	*set = found;
	return 0;
}

static const char *count_text(u64 value, char *buf)
{
	snprintf(buf, UNITS_TEXT, "%" PRIu64, value);
	return buf;
}

/* How the numbers of an option are read, shown, and asked for. */
struct number {
	units_parser *parse;
	const char *(*text)(u64 value, char *buf);
	const char *want;
};

static const struct number *number_of(enum opt_type type)
{
	static const struct number count = { units_count, count_text, "expected a number" };
	static const struct number time = { units_time, units_time_text,
					    "expected a time such as 500us, 2ms or 1.5 (seconds)" };
	static const struct number size = { units_size, units_size_text,
					    "expected a size such as 512, 64k or 8m" };

	return type == OPT_TYPE_TIME ? &time : type == OPT_TYPE_SIZE ? &size : &count;
}

static int parse_number(const struct opt *opt, const char *what, const char *word, u64 *value)
{
	const struct number *num = number_of(opt->type);
	u64 max = opt->max ? opt->max : opt->type == OPT_TYPE_U32 ? UINT32_MAX : UINT64_MAX;
	char want[168], from[UNITS_TEXT], to[UNITS_TEXT];
	bool size = opt->type == OPT_TYPE_SIZE && !num->parse(word, value);

	if (!num->parse(word, value) && *value >= opt->min && *value <= max)
		return 0;
	/* Where it is one, no examples: some of them could be out of range, too. */
	snprintf(want, sizeof(want), "%s, %s..%s", size ? "expected a size" : num->want,
		 num->text(opt->min, from), num->text(max, to));
	return bad_value(what, word, want);
}

/* The member that the option writes into. */
static void *member(const struct slot *s)
{
	return (char *)s->into + s->opt->at;
}

static int append(const struct slot *s, const char *what, const char *word)
{
	struct opt_list *list = member(s);

	if (!*word)
		return bad_value(what, word, "expected at least one item");
	if (list->n == ARRAY_SIZE(list->word))
		return fail_usage("it is given more than 64 times",
				  streq(s->opt->arg, "LIST") ? "give it one list: A,B,C" : "", "%s",
				  what);
	list->word[list->n++] = word;
	return 0;
}

static int parse_enum(const struct opt *opt, const char *what, const char *word, u32 *value)
{
	const struct opt_word *w = find_word(opt->words, word, strlen(word));

	if (!w)
		return bad_word(what, word, strlen(word), opt->words);
	*value = w->value;
	return 0;
}

static int add_set(const struct slot *s, const char *what, const char *word, u64 *set)
{
	u64 more = 0;
	int err = parse_set(what, s->opt->words, word, &more);

	if (!err)
		*set = (s->typed ? *set : 0) | more;
	return err;
}

static int apply_flag(const struct slot *s)
{
	switch (s->opt->type) {
	case OPT_TYPE_FLAG:
		*(bool *)member(s) = true;
		return 0;
	case OPT_TYPE_SET:
		*(bool *)member(s) = false;
		return 0;
	case OPT_TYPE_COUNT:
		++*(u32 *)member(s);
		return 0;
	default:
		return s->opt->parse(s->into, NULL);
	}
}

static int apply_value(const struct slot *s, const char *what, const char *word)
{
	u64 value = 0;
	int err;

	switch (s->opt->type) {
	case OPT_TYPE_STR:
		if (!*word)
			return bad_value(what, word, "expected a word");
		*(const char **)member(s) = word;
		return 0;
	case OPT_TYPE_ENUM:
		return parse_enum(s->opt, what, word, member(s));
	case OPT_TYPE_SET_OF:
		return add_set(s, what, word, member(s));
	case OPT_TYPE_LIST:
		if (!s->typed)
			((struct opt_list *)member(s))->n = 0;
		return append(s, what, word);
	case OPT_TYPE_CALL:
		return s->opt->parse(s->into, word);
	default:
		err = parse_number(s->opt, what, word, &value);
		if (!err && s->opt->type == OPT_TYPE_U32)
			*(u32 *)member(s) = (u32)value;
		else if (!err)
			*(u64 *)member(s) = value;
		return err;
	}
}

/* Applies the option with the value @word (NULL: none). An alias has been resolved before. */
static int apply(const struct slot *s, const char *word)
{
	char what[NAME_MAX_BYTES + 2];

	if (!opt_takes_value(s->opt))
		return apply_flag(s);
	snprintf(what, sizeof(what), "--%s", s->opt->name);
	if (!word)
		word = s->opt->def_absent;
	return word ? apply_value(s, what, word)
		    : fail_usage("its value is missing", "", "%s", what);
}

/* Applies what the user typed: an option, or an alias, whose text is split here. */
static int take(struct parser *p, struct slot *s, const char *word)
{
	if (s->opt->type != OPT_TYPE_ALIAS) {
		int err = apply(s, word);
		s->typed = true;
		return err;
	}
	for (const char *text = s->opt->alias; *text;) {
		size_t len = strcspn(text, " ");
		struct slot *to = find_slot(p, text + 2, len - 2, 0);
		text += len + strspn(text + len, " ");
		bool has_value = *text && !has_prefix(text, "--");
		int err = apply(to, has_value ? text : NULL);
		to->typed = true;
		if (err || has_value)
			return err;
	}
	return 0;
}

static int set_defaults(struct parser *p)
{
	for (u32 i = 0; i < p->n; i++) {
		struct slot *s = &p->slot[i];
		if (s->opt->type == OPT_TYPE_SET)
			*(bool *)member(s) = true;
		int err = s->opt->def ? apply(s, s->opt->def) : 0;
		if (err)
			return err;
	}
	return 0;
}

static void add_letter(struct parser *p, char letter, const struct opt *opt)
{
	size_t used = strlen(p->letters);

	if (letter)
		snprintf(p->letters + used, sizeof(p->letters) - used, "%c%s", letter,
			 !opt_takes_value(opt) ? ""
			 : opt->optional       ? "::"
					       : ":");
}

static void add_slots(struct parser *p, const struct opt_group *groups)
{
	/*
	 * "-": getopt returns operands in order; ":": it tells a missing value from an unknown
	 * option.
	 */
	snprintf(p->letters, sizeof(p->letters), "-:");
	for (; groups->title; groups++) {
		for (const struct opt *opt = groups->opts; opt->type && p->n < SLOTS_MAX; opt++) {
			p->slot[p->n++] = (struct slot){ .opt = opt, .into = groups->into };
			add_letter(p, opt->letter, opt);
			add_letter(p, opt->other_letter, opt);
		}
	}
}

static int add_typed_longs(struct parser *p, int argc, char **argv)
{
	u32 n = 0;

	p->longs = calloc((size_t)argc + 1, sizeof(*p->longs));
	p->names = calloc((size_t)argc + 1, sizeof(*p->names));
	if (!p->longs || !p->names) {
		fail(-ENOMEM, NULL, NULL, "cannot read the command line");
		return -ENOMEM;
	}
	for (int i = 1; i < argc; i++) {
		size_t len = strcspn(argv[i], "=");
		if (!has_prefix(argv[i], "--") || len < 3 || len - 2 >= NAME_MAX_BYTES)
			continue;
		struct slot *s = find_slot(p, argv[i] + 2, len - 2, 0);
		if (!s)
			continue;
		memcpy(p->names[n], argv[i] + 2, len - 2);
		p->longs[n] = (struct option){
			.name = p->names[n],
			.has_arg = !opt_takes_value(s->opt) ? no_argument
				   : s->opt->optional	    ? optional_argument
							    : required_argument,
			.val = LONG_BASE + (int)(s - p->slot),
		};
		n++;
	}
	return 0;
}

static int unknown_long(const struct parser *p, const char *word)
{
	struct suggestion near = { .typed = word + 2, .len = strcspn(word + 2, "=") };
	char remedy[80];

	for (u32 i = 0; i < p->n; i++) {
		suggest_offer(&near, p->slot[i].opt->name);
		if (p->slot[i].opt->other)
			suggest_offer(&near, p->slot[i].opt->other);
	}
	snprintf(remedy, sizeof(remedy), "did you mean --%s?", near.best ? near.best : "");
	return fail_usage("no such option", near.best ? remedy : NULL, "%.*s",
			  (int)strcspn(word, "="), word);
}

static int unknown_letter(struct parser *p, const char *word, int letter)
{
	size_t len = strcspn(word + 1, "=");
	struct slot *s = len > 1 ? find_slot(p, word + 1, len, 0) : NULL;
	char remedy[80];

	if (!s)
		return fail_usage("no such option", NULL, "-%c", letter);
	snprintf(remedy, sizeof(remedy), "did you mean --%s?", s->opt->name);
	return fail_usage("no such option", remedy, "%s", word);
}

/* Reports what getopt_long() refused; @word is the argument that it was reading. */
static int refused(struct parser *p, int c, const char *word, int option)
{
	struct slot *s = option >= LONG_BASE ? &p->slot[option - LONG_BASE]
					     : find_slot(p, NULL, 0, (char)option);

	if (has_prefix(word, "--") && (option < LONG_BASE || !s))
		return unknown_long(p, word);
	if (!s)
		return unknown_letter(p, word, option);
	if (c == ':')
		return fail_usage("its value is missing", "", "--%s %s", s->opt->name, s->opt->arg);
	return fail_usage("it takes no value", "", "--%s", s->opt->name);
}

/*
 * True when the name was typed in full: getopt_long() of musl and glibc also accepts a beginning.
 */
static bool typed_whole(struct parser *p, const char *word, const struct slot *s)
{
	return find_slot(p, word + 2, strcspn(word + 2, "="), 0) == s;
}

static int add_operand(struct opt_rest *rest, const char *word)
{
	if (rest->n == ARRAY_SIZE(rest->word))
		return fail_usage("there are too many words", NULL, "%s", word);
	rest->word[rest->n++] = word;
	return 0;
}

static int scan(struct parser *p, int argc, char **argv, struct opt_rest *rest)
{
	int err = 0;

	optind = 0; /* both libcs start afresh */
	opterr = 0;
	while (!err) {
		int at = optind ? optind : 1;
		int c = getopt_long(argc, argv, p->letters, p->longs, NULL);
		if (c == -1 && at < argc && streq(argv[at], "-")) {
			optind = at + 1; /* musl's stops at it, glibc's does not */
			err = add_operand(rest, argv[at]);
		} else if (c == -1) {
			if (at < argc)
				rest->program = argv + optind;
			break;
		} else if (c == 1) {
			err = add_operand(rest, optarg);
		} else if (c == '?' || c == ':') {
			err = refused(p, c, argv[at], optopt);
		} else if (c >= LONG_BASE) {
			struct slot *s = &p->slot[c - LONG_BASE];
			err = typed_whole(p, argv[at], s) ? take(p, s, optarg)
							  : unknown_long(p, argv[at]);
		} else {
			err = take(p, find_slot(p, NULL, 0, (char)c), optarg);
		}
	}
	return err;
}

int opt_parse(const struct opt_group *groups, int argc, char **argv, struct opt_rest *rest)
{
	struct parser p = { 0 };

	*rest = (struct opt_rest){ 0 };
	add_slots(&p, groups);
	int err = set_defaults(&p);
	if (!err)
		err = add_typed_longs(&p, argc, argv);
	if (!err)
		err = scan(&p, argc, argv, rest);
	free(p.longs);
	free(p.names);
	return err;
}
