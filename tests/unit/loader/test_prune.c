// SPDX-License-Identifier: GPL-2.0-or-later
/* Pruning: what constants rule out goes, what is left does as before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <linux/bpf.h>

#include "lib/base/str.h"
#include "lib/loader/prune.h"

#define MAX	64
#define ARRAY	7 /* a descriptor */
#define UNKNOWN 8 /* one of an array that is not constant */

#define INSN(c, d, s, o, i)                                                                        \
	{                                                                                          \
		.code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i)                \
	}
#define MOV(d, i)	    INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define ALU(op, d, i)	    INSN(BPF_ALU64 | (op) | BPF_K, d, 0, 0, i)
#define ALU32(op, d, i)	    INSN(BPF_ALU | (op) | BPF_K, d, 0, 0, i)
#define JUMP(op, d, i, o)   INSN(BPF_JMP | (op) | BPF_K, d, 0, o, i)
#define GOTO(o)		    INSN(BPF_JMP | BPF_JA, 0, 0, o, 0)
#define EXIT		    INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define HELPER(i)	    INSN(BPF_JMP | BPF_CALL, 0, 0, 0, i)
#define CALL(i)		    INSN(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, i)
#define LOAD(size, d, s, o) INSN(BPF_LDX | BPF_MEM | (size), d, s, o, 0)
#define FETCH_ADD(d, s)	    INSN(BPF_STX | BPF_ATOMIC | BPF_DW, d, s, 0, BPF_ADD | BPF_FETCH)
#define VALUE(d, fd, o)                                                                            \
	INSN(BPF_LD | BPF_IMM | BPF_DW, d, BPF_PSEUDO_MAP_VALUE, 0, fd), INSN(0, 0, 0, 0, o)
#define FUNCTION(d, i)                                                                             \
	INSN(BPF_LD | BPF_IMM | BPF_DW, d, BPF_PSEUDO_FUNC, 0, i), INSN(0, 0, 0, 0, 0)
#define NUMBER(d, low, high) INSN(BPF_LD | BPF_IMM | BPF_DW, d, 0, 0, low), INSN(0, 0, 0, 0, high)

static const u32 words[4] = { 0, 0x12345678, 0xffffffff, 9 };
static const struct prune_array constant = { ARRAY, sizeof(words), words };

/* Prunes @before and compares with @after. */
static void check(const struct bpf_insn *before, u32 n, const struct bpf_insn *after, u32 left)
{
	struct bpf_insn insns[MAX];
	u32 moved[MAX];

	memcpy(insns, before, n * sizeof(*insns));
	assert_int_equal(prune(insns, n, &constant, 1, moved), left);
	assert_memory_equal(insns, after, left * sizeof(*insns));
}

#define CHECK(before, after) check(before, ARRAY_SIZE(before), after, ARRAY_SIZE(after))

static void test_what_is_ruled_out_goes(void **state)
{
	static const struct bpf_insn before[] = {
		MOV(0, 1),
		VALUE(6, ARRAY, 4),
		LOAD(BPF_W, 6, 6, -4),
		JUMP(BPF_JNE, 6, 0, 2),
		ALU(BPF_ADD, 0, 2),
		JUMP(BPF_JEQ, 1, 5, 1),
		ALU(BPF_ADD, 0, 4),
		EXIT,
	};
	static const struct bpf_insn after[] = {
		MOV(0, 1),
		VALUE(6, ARRAY, 4),
		LOAD(BPF_W, 6, 6, -4),
		ALU(BPF_ADD, 0, 2),
		JUMP(BPF_JEQ, 1, 5, 1),
		ALU(BPF_ADD, 0, 4),
		EXIT,
	};

	(void)state;
	CHECK(before, after);
}

/* The jump that is always taken leads over nothing then. */
static void test_a_jump_that_is_always_taken(void **state)
{
	static const struct bpf_insn before[] = {
		VALUE(6, ARRAY, 12),
		LOAD(BPF_B, 6, 6, 0),
		JUMP(BPF_JSGT, 6, 8, 2),
		MOV(0, 1),
		EXIT,
		MOV(0, 2),
		EXIT,
	};
	static const struct bpf_insn after[] = {
		VALUE(6, ARRAY, 12),
		LOAD(BPF_B, 6, 6, 0),
		MOV(0, 2),
		EXIT,
	};

	(void)state;
	CHECK(before, after);
}

/* One that leads over what another way needs is no condition any more. */
static void test_a_jump_without_a_condition(void **state)
{
	static const struct bpf_insn before[] = {
		JUMP(BPF_JEQ, 1, 0, 3), NUMBER(2, 0, 1), JUMP(BPF_JNE, 2, 0, 1), MOV(0, 1), EXIT,
	};
	static const struct bpf_insn after[] = {
		JUMP(BPF_JEQ, 1, 0, 3), NUMBER(2, 0, 1), GOTO(1), MOV(0, 1), EXIT,
	};

	(void)state;
	CHECK(before, after);
}

/* What is not certain is left: each of these decides about instructions 5 and 6, or 4 and 5. */
static void test_what_is_not_certain_stays(void **state)
{
	static const struct bpf_insn programs[][8] = {
		/* two ways with different numbers meet */
		{ MOV(6, 0), JUMP(BPF_JEQ, 1, 0, 1), MOV(6, 1), JUMP(BPF_JEQ, 6, 0, 1), MOV(0, 1),
		  EXIT },
		/* an array that is written */
		{ VALUE(6, UNKNOWN, 0), LOAD(BPF_W, 6, 6, 0), JUMP(BPF_JEQ, 6, 0, 1), MOV(0, 1),
		  EXIT },
		/* what lies behind the end of one, or only half in it */
		{ VALUE(6, ARRAY, 12), LOAD(BPF_DW, 6, 6, 0), JUMP(BPF_JEQ, 6, 0, 1), MOV(0, 1),
		  EXIT },
		{ VALUE(6, ARRAY, 0), LOAD(BPF_W, 6, 6, -4), JUMP(BPF_JEQ, 6, 0, 1), MOV(0, 1),
		  EXIT },
		/* a call changes r1 */
		{ MOV(1, 0), HELPER(5), JUMP(BPF_JEQ, 1, 0, 1), MOV(0, 1), EXIT },
		/* an atomic instruction changes r2 */
		{ MOV(2, 0), FETCH_ADD(10, 2), JUMP(BPF_JEQ, 2, 0, 1), MOV(0, 1), EXIT },
		/* a loop: r6 is 0 in the first round alone */
		{ MOV(6, 0), JUMP(BPF_JNE, 6, 0, 2), ALU(BPF_ADD, 6, 1), GOTO(-3), EXIT },
	};
	static const u32 lengths[] = { 6, 6, 6, 6, 5, 5, 5 };

	(void)state;
	_Static_assert(ARRAY_SIZE(lengths) == ARRAY_SIZE(programs), "one each");
	for (u32 i = 0; i < ARRAY_SIZE(programs); i++)
		check(programs[i], lengths[i], programs[i], lengths[i]);
}

/* A call leaves r6; the function that is never called goes, also in what tells where it was. */
static void test_functions(void **state)
{
	static const struct bpf_insn before[] = {
		MOV(6, 0), CALL(7),	   JUMP(BPF_JEQ, 6, 0, 1),
		CALL(3),   FUNCTION(2, 6), EXIT, /* 4 and 5: the function */
		MOV(0, 1), EXIT,	   MOV(0, 2),
		EXIT,	   MOV(0, 3),	   EXIT,
	};
	static const struct bpf_insn after[] = {
		MOV(6, 0), CALL(3), FUNCTION(2, 4), EXIT, MOV(0, 2), EXIT, MOV(0, 3), EXIT,
	};
	struct bpf_insn insns[ARRAY_SIZE(before)];
	u32 moved[ARRAY_SIZE(before)];

	(void)state;
	CHECK(before, after);
	memcpy(insns, before, sizeof(insns));
	prune(insns, ARRAY_SIZE(insns), &constant, 1, moved);
	assert_int_equal(moved[0], 0);
	assert_int_equal(moved[2], 2); /* dropped, what followed is there */
	assert_int_equal(moved[7], PRUNE_GONE);
	assert_int_equal(moved[9], 5);
	assert_int_equal(moved[11], 7);
}

/* Laid out so that only a jump back reaches the second instruction. */
static void test_reached_from_behind(void **state)
{
	static const struct bpf_insn program[] = {
		GOTO(2), MOV(0, 1), EXIT, JUMP(BPF_JEQ, 1, 0, -3), MOV(0, 2), EXIT,
	};

	(void)state;
	CHECK(program, program);
}

/* One more instruction than we know: everything stays. */
static void test_unknown_instructions(void **state)
{
	static const struct bpf_insn strange[] = {
		INSN(BPF_JMP | 0xe0, 0, 0, 0, 0), /* BPF_JCOND */
		INSN(BPF_JMP32 | BPF_JA, 0, 0, 0, 0), /* further than 16 bits */
		INSN(BPF_LD | BPF_ABS | BPF_W, 0, 0, 0, 0),
		GOTO(-1),
		GOTO(9),
		JUMP(BPF_JEQ, 0, 0, -9),
	};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(strange); i++) {
		struct bpf_insn program[] = {
			MOV(6, 0), JUMP(BPF_JEQ, 6, 0, 1), MOV(0, 1), strange[i], EXIT,
		};

		CHECK(program, program);
	}
}

static u64 calculated(u8 op, u64 a, u64 b, u32 shift_mask)
{
	switch (op) {
	case BPF_MOV:
		return b;
	case BPF_ADD:
		return a + b;
	case BPF_AND:
		return a & b;
	case BPF_OR:
		return a | b;
	case BPF_LSH:
		return a << (b & shift_mask);
	case BPF_RSH:
		return a >> (b & shift_mask);
	default: /* BPF_XOR */
		return a ^ b;
	}
}

/* @sign: the bit of it; with that turned numbers with a sign compare as others do. */
static bool jumps(u8 op, u64 a, u64 b, u64 sign)
{
	switch (op) {
	case BPF_JA:
		return true;
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
		return (a ^ sign) > (b ^ sign);
	case BPF_JSGE:
		return (a ^ sign) >= (b ^ sign);
	case BPF_JSLT:
		return (a ^ sign) < (b ^ sign);
	default: /* BPF_JSLE */
		return (a ^ sign) <= (b ^ sign);
	}
}

static u64 loaded(const struct bpf_insn *in, u64 from)
{
	static const u8 sizes[] = { 4, 2, 1 }; /* BPF_W, BPF_H, BPF_B */
	u64 to = 0;

	memcpy(&to, (const u8 *)words + from + in->off, sizes[BPF_SIZE(in->code) >> 3]);
	return to;
}

/* Runs a program made by make_program(). What it returns. */
static u64 run(const struct bpf_insn *insns, u32 n, u64 argument)
{
	u64 r[16] = { [1] = argument };

	for (u32 i = 0; i < n; i++) {
		const struct bpf_insn *in = &insns[i];
		u8 class = BPF_CLASS(in->code), op = BPF_OP(in->code);
		bool wide = class == BPF_ALU64 || class == BPF_JMP;
		u64 b = BPF_SRC(in->code) == BPF_X ? r[in->src_reg] : (u64)in->imm;
		u64 a = wide ? r[in->dst_reg] : (u32)r[in->dst_reg];

		b = wide ? b : (u32)b;
		if (class == BPF_LD)
			r[in->dst_reg] = (u32)insns[++i].imm;
		else if (class == BPF_LDX)
			r[in->dst_reg] = loaded(in, r[in->src_reg]);
		else if (class == BPF_ALU64)
			r[in->dst_reg] = calculated(op, a, b, 63);
		else if (class == BPF_ALU)
			r[in->dst_reg] = (u32)calculated(op, a, b, 31);
		else if (op == BPF_EXIT)
			return r[0];
		else if (jumps(op, a, b, wide ? 1ULL << 63 : 1ULL << 31))
			i += in->off;
	}
	return ~0ULL;
}

static unsigned int seed;

static int any(int n)
{
	return rand_r(&seed) % n;
}

static const s32 numbers[] = { 0, 1, 2, -1, 9, 0x12345678, 31, 40 };

/* Calculates with constants and its argument, and jumps forward. */
static u32 make_program(struct bpf_insn *to)
{
	static const u8 ops[] = { BPF_MOV, BPF_ADD, BPF_AND, BPF_OR, BPF_LSH, BPF_RSH, BPF_XOR };
	static const u8 jumps[] = { BPF_JEQ,  BPF_JNE,	BPF_JGT,  BPF_JGE,  BPF_JLT, BPF_JLE,
				    BPF_JSET, BPF_JSGT, BPF_JSGE, BPF_JSLT, BPF_JSLE };
	static const u8 sizes[] = { BPF_W, BPF_H, BPF_B };
	u32 n = 0, body = 8 + (u32)any(24);

	for (u32 r = 2; r < 6; r++)
		to[n++] = (struct bpf_insn)MOV(r, numbers[any(ARRAY_SIZE(numbers))]);
	to[n++] = (struct bpf_insn)MOV(0, 0);
	while (n < body) {
		u8 dst = (u8)any(6), src = (u8)any(6), source = any(2) ? BPF_X : BPF_K;
		s32 imm = source == BPF_X ? 0 : numbers[any(ARRAY_SIZE(numbers))];

		src = source == BPF_X ? src : 0;
		switch (any(3)) {
		case 0:
			to[n++] = (struct bpf_insn)INSN((any(2) ? BPF_ALU : BPF_ALU64) |
								ops[any(ARRAY_SIZE(ops))] | source,
							dst, src, 0, imm);
			break;
		case 1:
			to[n++] = (struct bpf_insn)INSN((any(2) ? BPF_JMP : BPF_JMP32) |
								jumps[any(ARRAY_SIZE(jumps))] |
								source,
							dst, src, (s16)any(4), imm);
			break;
		default:
			to[n++] = (struct bpf_insn)INSN(BPF_LD | BPF_IMM | BPF_DW, 6,
							BPF_PSEUDO_MAP_VALUE, 0, ARRAY);
			to[n++] = (struct bpf_insn)INSN(0, 0, 0, 0, any(8));
			to[n++] = (struct bpf_insn)LOAD(sizes[any(3)], dst, 6, (s16)any(4));
		}
	}
	/* Jumps may lead into what is wide: those are made to lead one further. */
	for (u32 i = 0; i < n; i++) {
		u8 class = BPF_CLASS(to[i].code);

		if ((class == BPF_JMP || class == BPF_JMP32) &&
		    to[i + 1 + (u32)to[i].off].code == 0)
			to[i].off++;
	}
	for (u32 i = 0; i < 6; i++)
		to[n++] = (struct bpf_insn)ALU(BPF_ADD, 0, 3);
	to[n++] = (struct bpf_insn)EXIT;
	return n;
}

static void test_programs_do_as_before(void **state)
{
	u32 dropped = 0;

	(void)state;
	seed = 1;
	for (u32 i = 0; i < 20000; i++) {
		struct bpf_insn before[MAX] = { 0 }, after[MAX];
		u32 moved[MAX], n = make_program(before), left;

		memcpy(after, before, sizeof(after));
		left = prune(after, n, &constant, 1, moved);
		dropped += n - left;
		for (u32 j = 0; j < ARRAY_SIZE(numbers); j++)
			assert_int_equal(run(before, n, (u64)numbers[j]),
					 run(after, left, (u64)numbers[j]));
	}
	assert_true(dropped > 20000); /* else this test says nothing */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_ruled_out_goes),
		cmocka_unit_test(test_a_jump_that_is_always_taken),
		cmocka_unit_test(test_a_jump_without_a_condition),
		cmocka_unit_test(test_what_is_not_certain_stays),
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_reached_from_behind),
		cmocka_unit_test(test_unknown_instructions),
		cmocka_unit_test(test_programs_do_as_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
