// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/elfsyms: files made to take the time and memory of whoever reads them. */
#include <elf.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/str.h"
#include "lib/symbols/elfsyms.h"
#include "lib/symbols/usyms.h"
#include "tests/unit/scratch.h"
#include "tests/unit/test.h"

#define CODE	0x1000 /* bytes of functions, at the beginning */
#define SYMBOLS 0x10000 /* where a table of symbols begins; what follows is a hole */
#define NAMES	(1U << 29)
#define MOST	0xff00 /* sections that the file's header can count */

static Elf64_Shdr section[MOST];

/* A program with @n sections in front and one executable segment; its functions begin at 0. */
static int make_file(u32 n, u16 said, const Elf64_Sym *first, const char *names, size_t names_len)
{
	Elf64_Ehdr head = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(head),
		.e_shoff = 1U << 30,
		.e_ehsize = sizeof(head),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = said,
	};
	Elf64_Phdr code = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = CODE };
	int fd = memfd_create("program", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 2LL << 30), 0);
	assert_int_equal(pwrite(fd, &head, sizeof(head), 0), sizeof(head));
	assert_int_equal(pwrite(fd, &code, sizeof(code), sizeof(head)), sizeof(code));
	assert_int_equal(pwrite(fd, names, names_len, NAMES), names_len);
	assert_int_equal(pwrite(fd, first, sizeof(*first), SYMBOLS), sizeof(*first));
	assert_int_equal(pwrite(fd, section, n * sizeof(*section), head.e_shoff),
			 n * sizeof(*section));
	return fd;
}

static const Elf64_Sym function = {
	.st_name = 1,
	.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
	.st_shndx = 1,
	.st_value = 16,
	.st_size = 16,
};

/* Section 1 holds names; the next @tables of them the symbols, @symbols bytes of the hole. */
static void fill_sections(u32 tables, u64 symbols, u64 names)
{
	memset(section, 0, sizeof(section));
	section[1] = (Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_offset = NAMES, .sh_size = names };
	for (u32 i = 2; i < tables + 2; i++)
		section[i] = (Elf64_Shdr){
			.sh_type = SHT_SYMTAB,
			.sh_offset = SYMBOLS,
			.sh_size = symbols,
			.sh_link = 1,
			.sh_entsize = sizeof(Elf64_Sym),
		};
}

TEST(sound)
{
	struct elfsyms e;
	struct sym sym;
	int fd;

	fill_sections(1, 1000 * sizeof(Elf64_Sym), 6);
	fd = make_file(3, 3, &function, "\0main\0", 6);
	assert_int_equal(elfsyms_read(&e, fd), 0);
	assert_true(elfsyms_find(&e, 20, &sym));
	assert_string_equal(sym.name, "main");
	assert_int_equal(sym.offset, 4);
	assert_false(elfsyms_find(&e, 32, &sym));
	elfsyms_free(&e);
	close(fd);
}

/*
 * Two million symbols and a megabyte of names without an end: to look for it each time takes
 * minutes.
 */
TEST(endless_names)
{
	static char names[1U << 20];
	struct elfsyms e;
	struct sym sym;
	int fd;

	memset(names + 1, 'A', sizeof(names) - 1);
	fill_sections(1, 48U << 20, sizeof(names));
	fd = make_file(3, 3, &function, names, sizeof(names));
	alarm(20);
	assert_int_equal(elfsyms_read(&e, fd), 0);
	alarm(0);
	assert_true(elfsyms_find(&e, 16, &sym));
	assert_in_range(strlen(sym.name), 64, 4096);
	elfsyms_free(&e);
	close(fd);
}

/* Tables larger than any program's are not read. */
TEST(huge_tables)
{
	struct elfsyms e;
	int fd;

	fill_sections(1, 24U << 24, 6);
	fd = make_file(3, 3, &function, "\0main\0", 6);
	assert_int_equal(elfsyms_read(&e, fd), 0);
	assert_int_equal(e.table.n, 0);
	elfsyms_free(&e);
	close(fd);
	fill_sections(1, 24, 1U << 29);
	fd = make_file(3, 3, &function, "\0main\0", 6);
	assert_int_equal(elfsyms_read(&e, fd), 0);
	assert_int_equal(e.table.n, 0);
	elfsyms_free(&e);
	close(fd);
}

/* More tables than the two that programs have. */
TEST(many_tables)
{
	struct elfsyms e;
	int fd;

	fill_sections(MOST - 2, 24000, 6);
	fd = make_file(MOST, MOST, &function, "\0main\0", 6);
	assert_int_equal(elfsyms_read(&e, fd), 0);
	assert_in_range(e.table.n, 1, 2);
	elfsyms_free(&e);
	close(fd);
}

/* Millions of sections, their number where the header has no room for it. */
TEST(many_sections)
{
	struct elfsyms e;
	int fd;

	fill_sections(1, 24, 6);
	section[0].sh_size = 4U << 20;
	fd = make_file(3, 0, &function, "\0main\0", 6);
	assert_int_equal(elfsyms_read(&e, fd), -ENOEXEC);
	elfsyms_free(&e);
	close(fd);
}

/* The room for names is counted in 32 bits. */
TEST(long_text)
{
	size_t size = 1U << 30;
	struct symtab t = { 0 };
	char *text;

	text = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_true(text != MAP_FAILED);
	assert_int_equal(symtab_text(&t, text, size - 3), 0);
	assert_true(symtab_text(&t, "name", 4) > 0);
	munmap(text, size);
	symtab_free(&t);
}

/* A process that maps one file after another takes no more than a bound of memory and time. */
TEST(many_files)
{
	char *proc = scratch_make(), maps[1024] = "", link[128], file[64];
	struct usyms *u;
	struct sym sym;
	int fd;

	fill_sections(1, 48U << 20, 256U << 20);
	fd = make_file(3, 3, &function, "\0main\0", 6);
	snprintf(file, sizeof(file), "/proc/%d/fd/%d", (int)getpid(), fd);
	scratch_put(proc, "7/map_files", NULL, NULL);
	scratch_put(proc, "1", "mountinfo", "26 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
	for (u32 i = 1; i <= 5; i++) {
		snprintf(link, sizeof(link), "%s/7/map_files/%x-%x", proc, i << 12, (i + 1) << 12);
		assert_int_equal(symlink(file, link), 0);
		snprintf(maps + strlen(maps), sizeof(maps) - strlen(maps),
			 "%x-%x r-xp 00000000 08:01 %u           /a\n", i << 12, (i + 1) << 12, i);
	}
	scratch_put(proc, "7", "maps", maps);
	assert_int_equal(usyms_open(&u, proc), 0);
	for (u32 i = 1; i <= 5; i++) {
		usyms_find(u, 7, (i << 12) + 16, &sym);
		assert_string_equal(sym.module, "a");
		assert_int_equal(sym.name != NULL, i < 5);
	}
	usyms_close(u);
	close(fd);
	assert_int_equal(scratch_remove(proc), 0);
}
