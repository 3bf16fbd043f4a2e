// SPDX-License-Identifier: GPL-2.0-or-later
/* Parses the operands of x86-64 (AT&T syntax) and aarch64. */
#include "lib/usdt/args.h"

#include <ctype.h>
#include <errno.h>

#include "lib/base/str.h"

#define OPERAND_BYTES 512

/* The reasons why an argument cannot be read, for a person. */
#define WHY_SIZE    "size not known"
#define WHY_FLOAT   "floating point"
#define WHY_FORM    "form not known"
#define WHY_REG	    "register not known"
#define WHY_NARROW  "wider than its register"
#define WHY_SYMBOL  "symbol not found"
#define WHY_SEVERAL "symbol of several meanings"

/* A register by name: its word of struct pt_regs, its bits, and where these begin. */
struct reg {
	u8 word, bits, shift;
};

/* Takes a whole number, decimal or hexadecimal, signed. False: @at does not begin with one. */
static bool take_number(const char **at, u64 *value)
{
	const char *digits = *at + (**at == '-' || **at == '+');
	char *end;

	if (!isdigit((unsigned char)*digits))
		return false;
	errno = 0;
	*value = strtoull(digits, &end, 0);
	if (errno)
		return false;
	if (**at == '-')
		*value = 0 - *value;
	*at = end;
	return true;
}

#if defined(__x86_64__)

/* By number of the register, as names of 64 bits without "r": words of struct pt_regs. */
static const struct {
	char name[4]; /* behind "r" of 64 bits, "e" of 32; as it is of 16 */
	u8 word;
	char low[4], high[3]; /* bytes */
} old_regs[] = {
	{ "ax", 10, "al", "ah" }, { "bx", 5, "bl", "bh" }, { "cx", 11, "cl", "ch" },
	{ "dx", 12, "dl", "dh" }, { "si", 13, "sil", "" }, { "di", 14, "dil", "" },
	{ "bp", 4, "bpl", "" },	  { "sp", 19, "spl", "" },
};

/* r8 to r15 lie backwards, from word 9 and 3 on. */
static bool find_new_reg(const char *name, struct reg *reg)
{
	char *end;
	u64 n = strtoull(name + 1, &end, 10);

	if (name[0] != 'r' || !isdigit((unsigned char)name[1]) || n < 8 || n > 15 || end > name + 3)
		return false;
	reg->word = (u8)(n < 12 ? 9 - (n - 8) : 3 - (n - 12));
	reg->shift = 0;
	reg->bits = streq(end, "") ? 64 : streq(end, "d") ? 32 : streq(end, "w") ? 16 : 8;
	return reg->bits > 8 || streq(end, "b");
}

static bool find_reg(const char *name, struct reg *reg)
{
	for (u32 i = 0; i < ARRAY_SIZE(old_regs); i++) {
		bool high = old_regs[i].high[0] && streq(name, old_regs[i].high);
		u8 bits = 0;

		if (name[0] == 'r' && streq(name + 1, old_regs[i].name))
			bits = 64;
		else if (name[0] == 'e' && streq(name + 1, old_regs[i].name))
			bits = 32;
		else if (streq(name, old_regs[i].name))
			bits = 16;
		else if (high || streq(name, old_regs[i].low))
			bits = 8;
		if (bits) {
			*reg = (struct reg){ old_regs[i].word, bits, high ? 8 : 0 };
			return true;
		}
	}
	return find_new_reg(name, reg);
}

/* Takes "%NAME". */
static bool take_reg(const char **at, char name[8])
{
	const char *from = *at;
	u32 n = 0;

	if (*from++ != '%')
		return false;
	while (n < 7 && isalnum((unsigned char)from[n])) {
		name[n] = from[n];
		n++;
	}
	name[n] = '\0';
	*at = from + n;
	return n && !isalnum((unsigned char)from[n]);
}

/* A register of an address has 64 bits. */
static const char *take_address_reg(const char **at, u8 *word)
{
	struct reg reg = { 0 };
	char name[8] = "";

	if (!take_reg(at, name) || !find_reg(name, &reg) || reg.bits != 64)
		return WHY_REG;
	*word = reg.word;
	return NULL;
}

/* Behind "(BASE": ",INDEX,SCALE". */
static const char *take_index(const char **at, struct usdt_arg *arg)
{
	const char *why;
	u64 scale = 1;

	++*at;
	why = take_address_reg(at, &arg->index);
	if (why)
		return why;
	if (**at == ',') {
		++*at;
		if (!take_number(at, &scale))
			return WHY_FORM;
	}
	if (scale != 1 && scale != 2 && scale != 4 && scale != 8)
		return WHY_FORM;
	arg->scale = (u8)__builtin_ctzll(scale);
	return NULL;
}

/* "(%rax)", "(%rdi,%rsi,8)", "(,%rsi,8)", "(%rip)": then *@relative. */
static const char *take_base(const char **at, struct usdt_arg *arg, bool *relative)
{
	const char *why = NULL;

	++*at;
	if (has_prefix(*at, "%rip")) {
		*at += strlen("%rip");
		*relative = true;
	} else if (**at != ',') {
		why = take_address_reg(at, &arg->base);
	}
	if (!why && **at == ',')
		why = *relative ? WHY_FORM : take_index(at, arg);
	if (!why && *(*at)++ != ')')
		why = WHY_FORM;
	return why;
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

/* Takes a name, and adds its address to @value. */
static const char *take_symbol(const char **at, const struct usdt_names *names, u64 *value)
{
	char name[OPERAND_BYTES] = "";
	u64 address = 0;
	u32 n = 0;
	int err;

	while (n < sizeof(name) - 1 && is_name((*at)[n])) {
		name[n] = (*at)[n];
		n++;
	}
	name[n] = '\0';
	if (!n)
		return WHY_FORM;
	*at += n;
	err = names->find(names->ctx, name, &address);
	if (err)
		return err == -ENOTUNIQ ? WHY_SEVERAL : WHY_SYMBOL;
	*value += address;
	return NULL;
}

/* The sum of numbers, and of one name, in front of "(BASE)": "16", "table+8", "8+table". */
static const char *take_sum(const char **at, const struct usdt_names *names, u64 *value,
			    bool *symbol)
{
	const char *why = NULL;
	u64 number;

	while (!why && **at && **at != '(') {
		if (take_number(at, &number)) {
			*value += number;
			continue;
		}
		if (**at == '+')
			++*at;
		if (*symbol)
			return WHY_FORM;
		*symbol = true;
		why = take_symbol(at, names, value);
	}
	return why;
}

/*
 * "16(%rax)", "table(,%rax,8)", "global+4(%rip)", "global". A number alone with %rip would count
 * from the next instruction, whose address nobody tells.
 */
static const char *parse_memory(const char *at, struct usdt_arg *arg,
				const struct usdt_names *names)
{
	bool relative = false, symbol = false;
	const char *why;

	if (!*at)
		return WHY_FORM;
	arg->kind = USDT_MEMORY;
	why = take_sum(&at, names, &arg->value, &symbol);
	if (!why && *at == '(')
		why = take_base(&at, arg, &relative);
	if (!why && (*at || (relative && !symbol)))
		why = WHY_FORM;
	return why;
}

static const char *parse_reg(const char *at, struct usdt_arg *arg)
{
	struct reg reg = { 0 };
	char name[8] = "";

	if (!take_reg(&at, name) || *at)
		return WHY_FORM;
	if (!find_reg(name, &reg))
		return WHY_REG;
	if (arg->size * 8 > reg.bits)
		return WHY_NARROW;
	arg->kind = USDT_REG;
	arg->base = reg.word;
	arg->shift = reg.shift;
	return NULL;
}

static const char *parse_operand(const char *at, struct usdt_arg *arg,
				 const struct usdt_names *names)
{
	if (*at == '%')
		return parse_reg(at, arg);
	if (*at != '$')
		return parse_memory(at, arg, names);
	at++;
	arg->kind = USDT_CONST;
	return take_number(&at, &arg->value) && !*at ? NULL : WHY_FORM;
}

#else

/* x0 to x30, their halves w0 to w30, and sp: words of struct user_pt_regs. */
static bool take_reg(const char **at, struct reg *reg)
{
	const char *from = *at;
	char *end;
	u64 n;

	if (has_prefix(from, "sp") && !isalnum((unsigned char)from[2])) {
		*reg = (struct reg){ 31, 64, 0 };
		*at = from + 2;
		return true;
	}
	if ((from[0] != 'x' && from[0] != 'w') || !isdigit((unsigned char)from[1]))
		return false;
	n = strtoull(from + 1, &end, 10);
	if (n > 30 || isalnum((unsigned char)*end))
		return false;
	*reg = (struct reg){ (u8)n, from[0] == 'x' ? 64 : 32, 0 };
	*at = end;
	return true;
}

/* "[sp, 16]", "[x0]". */
static const char *parse_memory(const char *at, struct usdt_arg *arg)
{
	struct reg reg;

	at++;
	if (!take_reg(&at, &reg) || reg.bits != 64)
		return WHY_REG;
	arg->kind = USDT_MEMORY;
	arg->base = reg.word;
	if (*at == ',') {
		at++;
		at += *at == ' ';
		at += *at == '#';
		if (!take_number(&at, &arg->value))
			return WHY_FORM;
	}
	return streq(at, "]") ? NULL : WHY_FORM;
}

/* GCC writes the x register of a smaller argument, too. */
static const char *parse_operand(const char *at, struct usdt_arg *arg,
				 const struct usdt_names *names)
{
	struct reg reg;

	(void)names;
	if (*at == '[')
		return parse_memory(at, arg);
	if (take_reg(&at, &reg)) {
		if (arg->size * 8 > reg.bits)
			return WHY_NARROW;
		arg->kind = USDT_REG;
		arg->base = reg.word;
		return *at ? WHY_FORM : NULL;
	}
	at += *at == '#';
	arg->kind = USDT_CONST;
	return take_number(&at, &arg->value) && !*at ? NULL : WHY_FORM;
}

#endif

/* "-4@OPERAND": a size, negative if signed, and what follows. */
static const char *parse_arg(const char *at, struct usdt_arg *arg, const struct usdt_names *names)
{
	arg->is_signed = *at == '-';
	at += arg->is_signed;
	if (!isdigit((unsigned char)*at))
		return WHY_SIZE;
	if (at[1] == 'f')
		return WHY_FLOAT;
	if (at[1] != '@' || !strchr("1248", *at))
		return WHY_SIZE;
	arg->size = (u8)(*at - '0');
	return parse_operand(at + 2, arg, names);
}

/* Takes the next argument: blanks within brackets are part of it. False: there is none. */
static bool take_arg(const char **at, char word[OPERAND_BYTES])
{
	u32 n = 0, depth = 0;

	*at += strspn(*at, " ");
	for (; **at && (**at != ' ' || depth); ++*at) {
		depth += **at == '[';
		depth -= **at == ']' && depth;
		if (n < OPERAND_BYTES - 1)
			word[n++] = **at;
	}
	word[n] = '\0';
	return n;
}

int usdt_args(struct usdt_spec *spec, const char *text, const struct usdt_names *names,
	      const char *why[USDT_ARGS])
{
	char word[OPERAND_BYTES] = "";

	*spec = (struct usdt_spec){ 0 };
	while (take_arg(&text, word)) {
		struct usdt_arg *arg = &spec->arg[spec->n_args];

		if (spec->n_args == USDT_ARGS)
			return -E2BIG;
		*arg = (struct usdt_arg){ .base = USDT_NO_REG, .index = USDT_NO_REG };
		why[spec->n_args] =
			strlen(word) == OPERAND_BYTES - 1 ? WHY_FORM : parse_arg(word, arg, names);
		if (why[spec->n_args])
			arg->kind = USDT_UNREADABLE;
		spec->n_args++;
	}
	return 0;
}

u64 usdt_value(u8 size, bool is_signed, u64 read)
{
	u32 unused = 64 - 8 * size;

	if (!size)
		return 0;
	return is_signed ? (u64)((s64)(read << unused) >> unused) : read << unused >> unused;
}
