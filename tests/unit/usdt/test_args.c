// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/usdt/args: operands as compilers write them for x86-64, and what is refused rather than guessed. */
#include <errno.h>

#include "lib/base/str.h"
#include "lib/usdt/args.h"
#include "tests/unit/test.h"

#if defined(__x86_64__)
/* Words of struct pt_regs. */
enum { R15, R14, R13, R12, RBP, RBX, R11, R10, R9, R8, RAX, RCX, RDX, RSI, RDI, RSP = 19 };

#define NONE USDT_NO_REG

/* The process has one name, "g_state", at 0x1000. */
static int find(const void *ctx, const char *name, u64 *address)
{
	(void)ctx;
	if (!streq(name, "g_state"))
		return -ENOENT;
	*address = 0x1000;
	return 0;
}

static const struct usdt_names names = { .find = find };

static const struct {
	const char *text;
	struct usdt_arg arg;
} forms[] = {
	{ "-4@$0", { .kind = USDT_CONST, .base = NONE, .index = NONE, .size = 4, .is_signed = 1 } },
	{ "-8@$-5",
	  { .kind = USDT_CONST,
	    .base = NONE,
	    .index = NONE,
	    .size = 8,
	    .is_signed = 1,
	    .value = -5ULL } },
	{ "8@%r14", { .kind = USDT_REG, .base = R14, .index = NONE, .size = 8 } },
	{ "2@%r12w", { .kind = USDT_REG, .base = R12, .index = NONE, .size = 2 } },
	{ "4@%eax", { .kind = USDT_REG, .base = RAX, .index = NONE, .size = 4 } },
	{ "1@%ah", { .kind = USDT_REG, .base = RAX, .index = NONE, .size = 1, .shift = 8 } },
	{ "1@%sil", { .kind = USDT_REG, .base = RSI, .index = NONE, .size = 1 } },
	{ "8@(%rbx)", { .kind = USDT_MEMORY, .base = RBX, .index = NONE, .size = 8 } },
	{ "4@576(%rdi)",
	  { .kind = USDT_MEMORY, .base = RDI, .index = NONE, .size = 4, .value = 576 } },
	{ "8@-16(%rsp)",
	  { .kind = USDT_MEMORY, .base = RSP, .index = NONE, .size = 8, .value = -16ULL } },
	{ "8@(%rdi,%rsi,8)",
	  { .kind = USDT_MEMORY, .base = RDI, .index = RSI, .scale = 3, .size = 8 } },
	{ "2@4(%r8,%rcx)",
	  { .kind = USDT_MEMORY, .base = R8, .index = RCX, .size = 2, .value = 4 } },
	{ "8@32(,%rdx,4)",
	  { .kind = USDT_MEMORY, .base = NONE, .index = RDX, .scale = 2, .size = 8, .value = 32 } },
	{ "4@g_state(%rip)",
	  { .kind = USDT_MEMORY, .base = NONE, .index = NONE, .size = 4, .value = 0x1000 } },
	{ "-4@g_state+8(%rip)",
	  { .kind = USDT_MEMORY,
	    .base = NONE,
	    .index = NONE,
	    .size = 4,
	    .is_signed = 1,
	    .value = 0x1008 } },
};

static const char *const refused[] = {
	"4f@%xmm0", "3@%rax",	       "16@%rax", "8@%foo",	   "8@%eax(",
	"8@(%eax)", "8@(%rax,%rcx,3)", "8@(%rax", "8@other(%rip)", "8@(%rip,%rax)",
	"@%rax",    "8%rax",	       "8@",	  "8@$",	   "8@$1x",
};

TEST(forms)
{
	for (u32 i = 0; i < ARRAY_SIZE(forms); i++) {
		const char *why[USDT_ARGS] = { NULL };
		struct usdt_spec spec;

		assert_int_equal(usdt_args(&spec, forms[i].text, &names, why), 0);
		if (spec.n_args != 1 || why[0] ||
		    memcmp(&spec.arg[0], &forms[i].arg, sizeof(spec.arg[0])) != 0)
			fail_msg("%s: %s", forms[i].text,
				 why[0] ? why[0] : "read as something else");
	}
}

TEST(refused)
{
	for (u32 i = 0; i < ARRAY_SIZE(refused); i++) {
		const char *why[USDT_ARGS] = { NULL };
		struct usdt_spec spec;

		assert_int_equal(usdt_args(&spec, refused[i], &names, why), 0);
		if (spec.n_args != 1 || !why[0] || spec.arg[0].kind != USDT_UNREADABLE)
			fail_msg("%s was read", refused[i]);
	}
}

/* One that cannot be read leaves the others as they are. */
TEST(several)
{
	const char *why[USDT_ARGS] = { NULL };
	struct usdt_spec spec;

	assert_int_equal(usdt_args(&spec, "-4@$0 8@%nothing  2@%bx", &names, why), 0);
	assert_int_equal(spec.n_args, 3);
	assert_true(!why[0] && why[1] && !why[2]);
	assert_int_equal(spec.arg[2].base, RBX);
	assert_int_equal(usdt_args(&spec, "", &names, why), 0);
	assert_int_equal(spec.n_args, 0);
	assert_int_equal(
		usdt_args(&spec, "1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1",
			  &names, why),
		-E2BIG);
}
#endif

TEST(value)
{
	assert_int_equal(usdt_value(4, false, 0xfffffffe12345678ULL), 0x12345678);
	assert_true(usdt_value(4, true, 0x80000000) == 0xffffffff80000000ULL);
	assert_true(usdt_value(1, true, 0xff) == ~0ULL);
	assert_int_equal(usdt_value(2, false, ~0ULL), 0xffff);
	assert_true(usdt_value(8, true, 1ULL << 63) == 1ULL << 63);
}
