// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads the symbol tables of ELF files, with libelf. */
#include "lib/symbols/elfsyms.h"

#include <errno.h>
#include <gelf.h>
#include <unistd.h>

#include "lib/base/str.h"

/*
 * Bounds on a file, which any user can choose: it may be large, sparse, and claim anything. No
 * program has tables beyond these bounds, and no more of a name is printed.
 */
#define TABLES	      2 /* .symtab and .dynsym */
#define SYMBOLS_BYTES (64U << 20) /* a table: 2.8 million symbols */
#define STRINGS_BYTES (256U << 20) /* its names */
#define NAME_BYTES    512

static void read_segments(struct elfsyms *e, Elf *elf)
{
	size_t n = 0;

	if (elf_getphdrnum(elf, &n) || n >= PN_XNUM)
		return;
	for (size_t i = 0; i < n && e->n_segments < ELFSYMS_SEGMENTS; i++) {
		GElf_Phdr phdr;

		if (!gelf_getphdr(elf, (int)i, &phdr) || phdr.p_type != PT_LOAD ||
		    !(phdr.p_flags & PF_X))
			continue;
		e->segment[e->n_segments].offset = phdr.p_offset;
		e->segment[e->n_segments].size = phdr.p_filesz;
		e->segment[e->n_segments].vaddr = phdr.p_vaddr;
		e->n_segments++;
	}
}

/* Weighs a name: of several at one address a global one that is no internal alias reads best. */
static u32 weight(const GElf_Sym *sym, const char *name)
{
	u32 underscores = (u32)strspn(name, "_");

	return (GELF_ST_BIND(sym->st_info) == STB_LOCAL) * 256U +
	       (underscores < 255 ? underscores : 255);
}

static int read_symbol(struct elfsyms *e, const GElf_Sym *sym, const Elf_Data *strings)
{
	u32 type = GELF_ST_TYPE(sym->st_info);
	struct symtab_entry entry = {
		.addr = sym->st_value,
		.size = sym->st_size > UINT32_MAX ? UINT32_MAX : (u32)sym->st_size,
	};
	const char *name;
	size_t len;

	if ((type != STT_FUNC && type != STT_GNU_IFUNC) || sym->st_shndx == SHN_UNDEF ||
	    sym->st_name >= strings->d_size)
		return 0;
	name = (const char *)strings->d_buf + sym->st_name;
	len = strings->d_size - sym->st_name;
	len = strnlen(name, len < NAME_BYTES ? len : NAME_BYTES);
	if (!len)
		return 0;
	entry.name = symtab_text(&e->table, name, len);
	if (!entry.name)
		return -ENOMEM;
	entry.weight = weight(sym, e->table.text + entry.name);
	return symtab_add(&e->table, &entry);
}

/*
 * Reads the strings of section @index once: elf_strptr() would search the section's end for each
 * name.
 */
static const Elf_Data *read_strings(struct elfsyms *e, Elf *elf, size_t index)
{
	Elf_Scn *section = elf_getscn(elf, index);
	GElf_Shdr header;

	if (!section || !gelf_getshdr(section, &header) || header.sh_type != SHT_STRTAB ||
	    header.sh_size > STRINGS_BYTES)
		return NULL;
	e->bytes += header.sh_size;
	return elf_getdata(section, NULL);
}

static int read_symbols(struct elfsyms *e, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	const Elf_Data *strings;
	Elf_Data *data;
	GElf_Sym sym;

	if (header->sh_size > SYMBOLS_BYTES)
		return 0;
	e->bytes += header->sh_size;
	data = elf_getdata(section, NULL);
	strings = data ? read_strings(e, elf, header->sh_link) : NULL;
	for (int i = 0; strings && gelf_getsym(data, i, &sym); i++) {
		int err = read_symbol(e, &sym, strings);

		if (err)
			return err;
	}
	return 0;
}

static int read_file(struct elfsyms *e, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	u32 tables = 0;
	int err = 0;

	if (elf_kind(elf) != ELF_K_ELF)
		return -ENOEXEC;
	read_segments(e, elf);
	while (!err && tables < TABLES && (section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) ||
		    (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
			continue;
		tables++;
		err = read_symbols(e, elf, section, &header);
	}
	symtab_sort(&e->table);
	e->bytes += e->table.n * sizeof(*e->table.entry) + e->table.text_len;
	return err;
}

/*
 * False for a file with 0 sections in its header: then their number is in the first section, may be
 * up to 2^32, and libelf takes memory for each.
 */
static bool has_sections(int fd)
{
	union {
		Elf64_Ehdr e64;
		Elf32_Ehdr e32;
	} head;

	if (pread(fd, &head, sizeof(head), 0) != sizeof(head))
		return false;
	return head.e32.e_ident[EI_CLASS] == ELFCLASS32 ? head.e32.e_shnum : head.e64.e_shnum;
}

int elfsyms_read(struct elfsyms *e, int fd)
{
	Elf *elf;
	int err;

	memset(e, 0, sizeof(*e));
	if (elf_version(EV_CURRENT) == EV_NONE || !has_sections(fd))
		return -ENOEXEC;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf)
		return -ENOEXEC;
	err = read_file(e, elf);
	elf_end(elf);
	return err;
}

bool elfsyms_find(const struct elfsyms *e, u64 offset, struct sym *sym)
{
	for (u32 i = 0; i < e->n_segments; i++) {
		u64 in = offset - e->segment[i].offset;

		if (offset >= e->segment[i].offset && in < e->segment[i].size)
			return symtab_find(&e->table, e->segment[i].vaddr + in, sym);
	}
	return false;
}

void elfsyms_free(struct elfsyms *e)
{
	symtab_free(&e->table);
	e->n_segments = 0;
}
