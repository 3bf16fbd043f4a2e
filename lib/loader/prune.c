// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Goes through a program in order and follows what registers hold: a number, an address in an array
 * that is constant, or what we do not know. Where ways meet, what differs is unknown, and
 * everything is at entries of functions and where a way leads back to: so one round is enough, but
 * for what is reached from behind alone.
 */
#include "lib/loader/prune.h"

#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#define REGS	16 /* that an instruction can name; 11 there are */
#define CLOBBER 6 /* that a call leaves with other values: r0 to r5 */

struct value {
	enum { UNKNOWN, NUMBER, ADDRESS } kind;
	u32 array; /* of an ADDRESS */
	u64 bits; /* the number; how far from the beginning of the array */
};

struct regs {
	struct value reg[REGS];
};

enum mark {
	REACHED = 1 << 0,
	MEETING = 1 << 1, /* reached not only from the instruction before */
	LOOSE = 1 << 2, /* the same, and nothing is known there */
	JUMPS = 1 << 3, /* a conditional jump that may be taken */
	FALLS = 1 << 4, /* one that may not be taken */
};

struct pruning {
	struct bpf_insn *insns;
	u32 n;
	const struct prune_array *arrays;
	u32 n_arrays;
	u8 *marks; /* by instruction */
	u32 *left; /* by instruction: which of `states`, where MEETING; in the end how many are kept from there on */
	struct regs *states;
	u32 at; /* the instruction at hand */
	bool again; /* one before it is reached now */
};

static bool is_wide(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LD | BPF_IMM | BPF_DW);
}

static bool is_goto(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_JA);
}

static bool is_call(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_CALL);
}

static bool is_exit(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_EXIT);
}

static bool is_conditional(const struct bpf_insn *insn)
{
	u8 class = BPF_CLASS(insn->code);

	return (class == BPF_JMP || class == BPF_JMP32) && !is_goto(insn) && !is_call(insn) &&
	       !is_exit(insn);
}

/* Whether we know what it does; no loop of one instruction is among that. */
static bool is_known(const struct bpf_insn *insn)
{
	u8 op = BPF_OP(insn->code);

	if (is_goto(insn))
		return insn->off != -1;
	if (is_conditional(insn))
		return op != BPF_JA && op != BPF_CALL && op != BPF_EXIT && op <= BPF_JSLE &&
		       insn->off != -1;
	return BPF_CLASS(insn->code) != BPF_LD || is_wide(insn);
}

/* A function of the program is called, or its address taken. */
static bool names_function(const struct bpf_insn *insn)
{
	return (is_call(insn) && insn->src_reg == BPF_PSEUDO_CALL) ||
	       (is_wide(insn) && insn->src_reg == BPF_PSEUDO_FUNC);
}

/* Where instruction @i leads beside to the next; without such a place to itself. */
static u32 target_of(const struct pruning *p, u32 i)
{
	const struct bpf_insn *insn = &p->insns[i];

	if (names_function(insn))
		return i + 1 + (u32)insn->imm;
	return is_goto(insn) || is_conditional(insn) ? i + 1 + (u32)insn->off : i;
}

/* Finds where ways meet. How many such places there are, or -1: something is strange. */
static int mark_meetings(struct pruning *p)
{
	int n = 0;

	for (u32 i = 0; i < p->n; i++) {
		const struct bpf_insn *insn = &p->insns[i];
		u32 to = target_of(p, i);

		if (!is_known(insn) || to >= p->n || i + is_wide(insn) >= p->n)
			return -1;
		if (to != i)
			p->marks[to] |= MEETING;
		if (to < i || names_function(insn))
			p->marks[to] |= LOOSE;
		i += is_wide(insn);
	}
	for (u32 i = 0; i < p->n; i++)
		p->left[i] = p->marks[i] & MEETING ? (u32)n++ : 0;
	return n;
}

static void forget(struct regs *regs, u32 reg)
{
	regs->reg[reg] = (struct value){ .kind = UNKNOWN };
}

static bool same(const struct value *a, const struct value *b)
{
	return a->kind == b->kind && a->array == b->array && a->bits == b->bits;
}

/* A way leads to instruction @to, a MEETING one, with @regs. */
static void arrive(struct pruning *p, u32 to, const struct regs *regs)
{
	struct regs *there = &p->states[p->left[to]];

	if (!(p->marks[to] & (REACHED | LOOSE)))
		*there = *regs;
	if (!(p->marks[to] & REACHED) && to < p->at)
		p->again = true;
	p->marks[to] |= REACHED;
	for (u32 i = 0; i < REGS; i++) {
		if (!same(&there->reg[i], &regs->reg[i]))
			forget(there, i);
	}
}

/* What a wide instruction holds. */
static struct value wide_value(const struct pruning *p, const struct bpf_insn *insn)
{
	struct value value = { .kind = UNKNOWN, .bits = (u32)insn[1].imm };

	if (!insn->src_reg) {
		value.kind = NUMBER;
		value.bits = value.bits << 32 | (u32)insn->imm;
	}
	for (u32 i = 0; insn->src_reg == BPF_PSEUDO_MAP_VALUE && i < p->n_arrays; i++) {
		if (p->arrays[i].fd == insn->imm) {
			value.kind = ADDRESS;
			value.array = i;
		}
	}
	return value;
}

/* What a load from @from holds. */
static struct value loaded_value(const struct pruning *p, const struct bpf_insn *insn,
				 const struct value *from)
{
	static const u8 sizes[] = { 4, 2, 1, 8 }; /* BPF_W, BPF_H, BPF_B, BPF_DW */
	const struct prune_array *array = &p->arrays[from->array];
	struct value value = { .kind = UNKNOWN };
	u64 at = from->bits + (u64)insn->off;
	u8 size = sizes[BPF_SIZE(insn->code) >> 3];

	if (BPF_MODE(insn->code) != BPF_MEM || from->kind != ADDRESS || at > array->size ||
	    array->size - at < size)
		return value;
	value.kind = NUMBER;
	memcpy(&value.bits, (const u8 *)array->bytes + at, size); /* little-endian here and there */
	return value;
}

/* The second operand. */
static struct value operand(const struct bpf_insn *insn, const struct regs *regs)
{
	if (BPF_SRC(insn->code) == BPF_X)
		return regs->reg[insn->src_reg];
	return (struct value){ .kind = NUMBER, .bits = (u64)insn->imm };
}

/* a = a op b. False: not one that we know. */
static bool calculate(u64 *a, u8 op, u64 b, u32 shift_mask)
{
	switch (op) {
	case BPF_ADD:
		*a += b;
		break;
	case BPF_AND:
		*a &= b;
		break;
	case BPF_OR:
		*a |= b;
		break;
	case BPF_LSH:
		*a <<= b & shift_mask;
		break;
	case BPF_RSH:
		*a >>= b & shift_mask;
		break;
	default:
		return false;
	}
	return true;
}

/* The same of two numbers, or of their low halves. */
static bool calculate_insn(const struct bpf_insn *insn, u64 *a, u64 b)
{
	if (BPF_CLASS(insn->code) == BPF_ALU64)
		return calculate(a, BPF_OP(insn->code), b, 63);
	*a = (u32)*a;
	if (!calculate(a, BPF_OP(insn->code), (u32)b, 31))
		return false;
	*a = (u32)*a;
	return true;
}

static struct value moved_value(const struct bpf_insn *insn, struct value by)
{
	if (BPF_CLASS(insn->code) == BPF_ALU64 && !insn->off)
		return by;
	by.bits = (u32)by.bits;
	if (by.kind == ADDRESS || insn->off) /* newer ones, with a sign */
		by = (struct value){ .kind = UNKNOWN };
	return by;
}

static void do_alu(const struct bpf_insn *insn, struct regs *regs)
{
	struct value *to = &regs->reg[insn->dst_reg], by = operand(insn, regs);
	bool adds = insn->code == (BPF_ALU64 | BPF_ADD | BPF_SRC(insn->code));
	bool known = by.kind == NUMBER && (to->kind == NUMBER || (to->kind == ADDRESS && adds));

	if (BPF_OP(insn->code) == BPF_MOV)
		*to = moved_value(insn, by);
	else if (!known || !calculate_insn(insn, &to->bits, by.bits))
		forget(regs, insn->dst_reg);
}

/* Whether a comparison of two numbers holds; those with a sign are extended to it. */
static bool holds(u8 op, u64 a, u64 b)
{
	s64 sa = (s64)a, sb = (s64)b;

	switch (op) {
	case BPF_JEQ:
		return a == b;
	case BPF_JNE:
		return a != b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	case BPF_JLT:
		return a < b;
	case BPF_JLE:
		return a <= b;
	case BPF_JSET:
		return a & b;
	case BPF_JSGT:
		return sa > sb;
	case BPF_JSGE:
		return sa >= sb;
	case BPF_JSLT:
		return sa < sb;
	default: /* BPF_JSLE: is_known() */
		return sa <= sb;
	}
}

/* Which ways a conditional jump may go. */
static u8 ways(const struct bpf_insn *insn, const struct regs *regs)
{
	struct value a = regs->reg[insn->dst_reg], b = operand(insn, regs);

	if (a.kind != NUMBER || b.kind != NUMBER)
		return JUMPS | FALLS;
	if (BPF_CLASS(insn->code) == BPF_JMP32) { /* extended alike they compare alike */
		a.bits = (u64)(s32)a.bits;
		b.bits = (u64)(s32)b.bits;
	}
	return holds(BPF_OP(insn->code), a.bits, b.bits) ? JUMPS : FALLS;
}

/* Whether it may go on with the next instruction. */
static bool do_jump(struct pruning *p, const struct bpf_insn *insn, struct regs *regs)
{
	u8 may = is_goto(insn) ? JUMPS : FALLS;

	if (is_conditional(insn)) {
		may = ways(insn, regs);
		p->marks[p->at] |= may;
	}
	if (may & JUMPS)
		arrive(p, target_of(p, p->at), regs);
	if (is_call(insn)) {
		for (u32 i = 0; i < CLOBBER; i++)
			forget(regs, i);
	}
	return may & FALLS && !is_exit(insn);
}

/* What instruction p->at does with @regs. Whether it may go on with the next one. */
static bool follow(struct pruning *p, struct regs *regs)
{
	const struct bpf_insn *insn = &p->insns[p->at];

	if (names_function(insn))
		arrive(p, target_of(p, p->at), regs);
	switch (BPF_CLASS(insn->code)) {
	case BPF_LD:
		regs->reg[insn->dst_reg] = wide_value(p, insn);
		return true;
	case BPF_LDX:
		regs->reg[insn->dst_reg] = loaded_value(p, insn, &regs->reg[insn->src_reg]);
		return true;
	case BPF_STX: /* an atomic one may fetch, to either */
		if (BPF_MODE(insn->code) != BPF_MEM) {
			forget(regs, insn->src_reg);
			forget(regs, 0);
		}
		return true;
	case BPF_ST:
		return true;
	case BPF_ALU:
	case BPF_ALU64:
		do_alu(insn, regs);
		return true;
	default:
		return do_jump(p, insn, regs);
	}
}

static void go_through(struct pruning *p)
{
	struct regs regs = { 0 };
	bool falls = true;

	p->again = false;
	for (p->at = 0; p->at < p->n; p->at++) {
		u8 *marks = &p->marks[p->at];

		if (falls && *marks & MEETING)
			arrive(p, p->at, &regs);
		if (falls)
			*marks |= REACHED;
		if (*marks & REACHED) {
			if (*marks & MEETING)
				regs = p->states[p->left[p->at]];
			falls = follow(p, &regs);
		}
		if (is_wide(&p->insns[p->at])) {
			p->marks[p->at + 1] |= *marks & REACHED;
			p->at++;
		}
	}
}

/*
 * Whether instruction @i is kept, of which all behind it are decided. One that always jumps needs
 * no condition.
 */
static bool is_kept(struct pruning *p, u32 i)
{
	struct bpf_insn *insn = &p->insns[i];
	u8 may = p->marks[i] & (JUMPS | FALLS);
	u32 to;

	if (!(p->marks[i] & REACHED) || may == FALLS)
		return false;
	if (may == JUMPS)
		*insn = (struct bpf_insn){ .code = BPF_JMP | BPF_JA, .off = insn->off };
	to = target_of(p, i);
	return !is_goto(insn) || to <= i || p->left[to] != p->left[i + 1];
}

/* Instruction @i, to be the one at @place. */
static struct bpf_insn placed(const struct pruning *p, u32 i, u32 place)
{
	struct bpf_insn insn = p->insns[i];
	u32 to = target_of(p, i), off = p->left[0] - p->left[to] - place - 1;

	if (names_function(&insn))
		insn.imm = (s32)off;
	else if (to != i)
		insn.off = (s16)off;
	return insn;
}

/* How many are left. */
static u32 drop(struct pruning *p, u32 *moved)
{
	p->left[p->n] = 0;
	for (u32 i = p->n; i-- > 0;)
		p->left[i] = p->left[i + 1] + is_kept(p, i);
	for (u32 i = 0; i < p->n; i++) {
		u32 place = p->left[0] - p->left[i];

		moved[i] = p->marks[i] & REACHED ? place : PRUNE_GONE;
		if (p->left[i] != p->left[i + 1])
			p->insns[place] = placed(p, i, place);
	}
	return p->left[0];
}

/* Of @p, whose arrays are there, if there was memory for them. */
static u32 prune_all(struct pruning *p, u32 *moved)
{
	int meetings = p->marks && p->left ? mark_meetings(p) : -1;

	if (meetings >= 0)
		p->states = calloc((u32)meetings + 1, sizeof(*p->states));
	if (p->states) {
		do
			go_through(p);
		while (p->again);
		return drop(p, moved);
	}
	for (u32 i = 0; i < p->n; i++)
		moved[i] = i;
	return p->n;
}

u32 prune(struct bpf_insn *insns, u32 n, const struct prune_array *arrays, u32 n_arrays, u32 *moved)
{
	struct pruning p = {
		.insns = insns,
		.n = n,
		.arrays = arrays,
		.n_arrays = n_arrays,
		.marks = calloc(n, sizeof(*p.marks)),
		.left = calloc(n + 1UL, sizeof(*p.left)),
	};
	u32 left = prune_all(&p, moved);

	free(p.marks);
	free(p.left);
	free(p.states);
	return left;
}
