// SPDX-License-Identifier: GPL-2.0-or-later
/* Symbol tables of ELF files, through libelf. */
#include "lib/elfsyms.h"

#include <errno.h>
#include <gelf.h>

#include "lib/str.h"

static void read_segments(struct elfsyms *e, Elf *elf)
{
	size_t n = 0;

	if (elf_getphdrnum(elf, &n))
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

/* Of several names of a function a global one that is no internal alias reads best. */
static u32 weight(const GElf_Sym *sym, const char *name)
{
	u32 underscores = (u32)strspn(name, "_");

	return (GELF_ST_BIND(sym->st_info) == STB_LOCAL) * 256U +
	       (underscores < 255 ? underscores : 255);
}

static int read_symbol(struct elfsyms *e, const GElf_Sym *sym, const char *name)
{
	u32 type = GELF_ST_TYPE(sym->st_info);
	struct symtab_entry entry = {
		.addr = sym->st_value,
		.size = sym->st_size > UINT32_MAX ? UINT32_MAX : (u32)sym->st_size,
	};

	if ((type != STT_FUNC && type != STT_GNU_IFUNC) || sym->st_shndx == SHN_UNDEF || !name ||
	    !*name)
		return 0;
	entry.weight = weight(sym, name);
	entry.name = symtab_text(&e->table, name, strlen(name));
	return entry.name ? symtab_add(&e->table, &entry) : -ENOMEM;
}

static int read_symbols(struct elfsyms *e, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t n = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;

	for (size_t i = 0; data && i < n && i < INT32_MAX; i++) {
		GElf_Sym sym;
		int err;

		if (!gelf_getsym(data, (int)i, &sym))
			break;
		err = read_symbol(e, &sym, elf_strptr(elf, header->sh_link, sym.st_name));
		if (err)
			return err;
	}
	return 0;
}

static int read_file(struct elfsyms *e, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	int err = 0;

	if (elf_kind(elf) != ELF_K_ELF)
		return -ENOEXEC;
	read_segments(e, elf);
	while (!err && (section = elf_nextscn(elf, section))) {
		if (gelf_getshdr(section, &header) &&
		    (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
			err = read_symbols(e, elf, section, &header);
	}
	symtab_sort(&e->table);
	return err;
}

int elfsyms_read(struct elfsyms *e, int fd)
{
	Elf *elf;
	int err;

	memset(e, 0, sizeof(*e));
	if (elf_version(EV_CURRENT) == EV_NONE)
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
