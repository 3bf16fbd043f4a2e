// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/ksyms and lib/symtab: functions by address from a kallsyms made up for the test. */
#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "lib/base/str.h"
#include "lib/event/view.h"
#include "lib/symbols/ksyms.h"
#include "tests/unit/test.h"

#define PATH "/tmp/test_ksyms.XXXXXX"

static struct ksyms *open_text(const char *text)
{
	char path[] = PATH;
	int fd = mkstemp(path);
	struct ksyms *k;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_int_equal(ksyms_open(&k, path), 0);
	unlink(path); /* it is read later, through the open file */
	return k;
}

static void check(struct ksyms *k, u64 addr, bool offsets, const char *want)
{
	struct sym sym;
	char buf[256];

	ksyms_find(k, addr, &sym);
	assert_string_equal(symtab_format(buf, sizeof(buf), addr, &sym, offsets), want);
}

/* Modules come behind the kernel's own symbols, in no order. */
static const char kallsyms[] = "ffffffff81000000 T _stext\n"
			       "ffffffff81000000 t local_alias\n"
			       "ffffffff81000100 t do_one\n"
			       "ffffffff81000200 D some_data\n"
			       "ffffffff81000300 W do_weak\n"
			       "ffffffffc0561230 t nvme_setup_cmd\t[nvme_core]\n"
			       "ffffffffc0561000 T nvme_init\t[nvme_core]\n"
			       "ffffffffc0400000 t nvme_irq\t[nvme]\n"
			       "ffffffffc0700000 t bpf_prog_abc\t[bpf]\n";

TEST(find)
{
	struct ksyms *k = open_text(kallsyms);

	assert_false(ksyms_hidden(k)); /* asked before it is read, and below after that */
	check(k, 0xffffffff81000000, true, "_stext+0x0");
	check(k, 0xffffffff810000ff, true, "_stext+0xff");
	check(k, 0xffffffff81000112, true, "do_one+0x12");
	check(k, 0xffffffff81000112, false, "do_one");
	check(k, 0xffffffff81000210, false, "do_one"); /* data names no code */
	check(k, 0xffffffff81000301, false, "do_weak");
	check(k, 0xffffffffc0561234, true, "nvme_setup_cmd+0x4 [nvme_core]");
	check(k, 0xffffffffc056122f, false, "nvme_init [nvme_core]");
	check(k, 0xffffffffc0400001, false, "nvme_irq [nvme]");
	check(k, 0xffffffffc0700001, false, "bpf_prog_abc [bpf]");
	assert_false(ksyms_hidden(k));
	ksyms_close(k);
}

TEST(addresses)
{
	static const char *const names[] = { "nvme_irq", "nosuch", "some_data",
					     "do_one",	 "two",	   "two" };
	char text[sizeof(kallsyms) + 128], path[] = PATH;
	int fd = mkstemp(path);
	u64 addr[6];

	/* A second function of the same name: neither is the one, unless two are asked for. */
	snprintf(text, sizeof(text),
		 "%sffffffffc0900000 t do_one\t[other]\n"
		 "ffffffffc0900010 t two\t[other]\nffffffffc0900020 t two\t[other]\n",
		 kallsyms);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_int_equal(ksyms_addresses(path, names, 6, addr), 0);
	assert_int_equal(addr[0], 0xffffffffc0400000);
	assert_int_equal(addr[1], 0);
	assert_int_equal(addr[2], 0);
	assert_int_equal(addr[3], 0);
	assert_int_equal(addr[4], 0xffffffffc0900010);
	assert_int_equal(addr[5], 0xffffffffc0900020);
	unlink(path);
	assert_int_equal(ksyms_addresses(path, names, 4, addr), -ENOENT);
}

TEST(addresses_hidden)
{
	static const char *const names[] = { "nvme_irq" };
	static const char text[] = "0000000000000000 T nvme_irq\t[nvme]\n";
	char path[] = PATH;
	int fd = mkstemp(path);
	u64 addr[1];

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_int_equal(ksyms_addresses(path, names, 1, addr), -EPERM);
	assert_int_equal(addr[0], 0);
	unlink(path);
}

TEST(outside)
{
	struct ksyms *k = open_text(kallsyms);

	check(k, 0, true, "0x0");
	check(k, 0xffffffff80ffffff, true, "0xffffffff80ffffff");
	check(k, 0xffffffff90000000, true, "0xffffffff90000000"); /* far behind the last function */
	check(k, ~0ULL, false, "0xffffffffffffffff");
	ksyms_close(k);
}

/* The names were read before another module came to lie behind. */
TEST(loaded_since)
{
	struct ksyms *k = open_text(kallsyms);

	check(k, 0xffffffffc0400fff, true, "nvme_irq+0xfff [nvme]");
	check(k, 0xffffffffc0402010, true, "0xffffffffc0402010");
	check(k, 0xffffffffc0563000, true, "0xffffffffc0563000");
	check(k, 0xffffffffc0702000, true, "0xffffffffc0702000");
	check(k, 0xffffffff81010000, true, "do_weak+0xfd00");
	ksyms_close(k);
}

TEST(hidden)
{
	struct ksyms *k = open_text("0000000000000000 T _stext\n0000000000000000 t do_one\n");

	assert_true(ksyms_hidden(k));
	check(k, 0xffffffff81000112, true, "0xffffffff81000112");
	ksyms_close(k);
}

TEST(damaged)
{
	struct ksyms *k = open_text("rubbish\n\nffffffff81000000\nffffffff81000000 T\n"
				    "ffffffff81000000 T \nffffffff81000000 T x\t[\n"
				    "ffffffff81000010 T last");

	check(k, 0xffffffff81000000, false, "x");
	check(k, 0xffffffff81000010, false, "last");
	ksyms_close(k);
}

TEST(absent)
{
	struct ksyms *k;

	assert_int_equal(ksyms_open(&k, "/nonexistent"), -ENOENT);
	assert_null(k);
	ksyms_close(k);
}

TEST(many)
{
	struct symtab t = { 0 };
	struct sym sym;
	char name[16];

	for (u32 i = 0; i < 100000; i++) {
		u64 addr = (u64)(i * 7919 % 100000) * 64 + 4096;

		snprintf(name, sizeof(name), "f%llu", (unsigned long long)addr);
		assert_int_equal(symtab_add(&t,
					    &(struct symtab_entry){
						    .addr = addr,
						    .size = 32,
						    .name = symtab_text(&t, name, strlen(name)),
					    }),
				 0);
	}
	symtab_sort(&t);
	for (u64 addr = 4096; addr < 4096 + 100000 * 64; addr += 32) {
		bool inside = addr % 64 < 32;

		assert_true(symtab_find(&t, addr + 5, &sym) == inside);
		if (!inside)
			continue;
		snprintf(name, sizeof(name), "f%llu", (unsigned long long)addr);
		assert_string_equal(sym.name, name);
		assert_int_equal(sym.offset, 5);
	}
	assert_false(symtab_find(&t, 4095, &sym));
	symtab_free(&t);
}

TEST(format_cuts)
{
	const struct sym sym = { "a_long_name", "a_module", 1 };
	char buf[8];

	assert_string_equal(symtab_format(buf, sizeof(buf), 1, &sym, true), "a_long_");
}

/* C++ has names of any length: those that differ in one byte, anywhere, are written differently. */
TEST(long_names_stay_different)
{
	char module[NAME_MAX + sizeof(" (deleted)")], name[2][3000], text[2][VIEW_FRAME];
	struct sym sym = { name[0], module, ~0ULL };

	memset(module, 'm', sizeof(module) - 1);
	module[sizeof(module) - 1] = '\0';
	for (u32 len = SYM_NAME_MAX - 1; len < sizeof(name[0]); len += 61) {
		for (u32 i = 0; i < 2; i++) {
			memset(name[i], 'n', len);
			name[i][len] = '\0';
			name[i][len - 1] = (char)('0' + i);
			sym.name = name[i];
			symtab_format(text[i], sizeof(text[i]), 1, &sym, true);
			assert_true(strlen(text[i]) < sizeof(text[i]) - 1);
			assert_int_equal(text[i][strlen(text[i]) - 1], ']');
			assert_int_equal(!!strchr(text[i], '~'), len > SYM_NAME_MAX);
		}
		assert_string_not_equal(text[0], text[1]);
	}
	assert_non_null(strstr(text[0], "+0xffffffffffffffff [mmm"));
}
