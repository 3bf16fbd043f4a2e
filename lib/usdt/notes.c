// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads notes, symbols and constants of ELF files, piece by piece, with bounds. */
#include "lib/usdt/notes.h"

#include <elf.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/str.h"

/* Bounds; no program has more. */
#define SECTIONS     65536U
#define NOTES_BYTES  (16U << 20)
#define PROBES	     65536U
#define SYMBOL_BYTES (64U << 20)
#define STRING_BYTES (256U << 20)
#define CONST_BYTES  (64U << 20)
#define TEXT_BYTES   4096 /* of provider, name or arguments */

#define OWNER	     "stapsdt"
#define OWNER_BYTES  sizeof(OWNER)
#define TYPE	     3 /* NT_STAPSDT */

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif

struct usdt_sections {
	u32 n;
	Elf64_Shdr header[];
};

/* Reads @bytes at @offset of the file. False: the file does not have them. */
static bool read_at(const struct usdt_file *f, void *to, u64 bytes, u64 offset)
{
	if (offset > f->size || bytes > f->size - offset)
		return false;
	while (bytes) {
		ssize_t n = pread(f->fd, to, bytes, (off_t)offset);

		if (n <= 0)
			return false;
		to = (char *)to + n;
		bytes -= (u64)n;
		offset += (u64)n;
	}
	return true;
}

/*
 * Reads the contents of a section of at most @max bytes, with a NUL behind them. NULL: there are
 * none, or *@err.
 */
static char *read_section(const struct usdt_file *f, const Elf64_Shdr *section, u64 max, int *err)
{
	char *data;

	if (section->sh_type == SHT_NOBITS || !section->sh_size || section->sh_size > max ||
	    section->sh_size > f->size)
		return NULL;
	data = malloc(section->sh_size + 1);
	if (!data) {
		*err = -ENOMEM;
		return NULL;
	}
	data[section->sh_size] = '\0';
	if (read_at(f, data, section->sh_size, section->sh_offset))
		return data;
	free(data);
	return NULL;
}

static bool is_ours(const Elf64_Ehdr *head)
{
	return !memcmp(head->e_ident, ELFMAG, SELFMAG) && head->e_ident[EI_CLASS] == ELFCLASS64 &&
	       head->e_ident[EI_DATA] == ELFDATA2LSB && head->e_machine == MACHINE &&
	       head->e_shentsize == sizeof(Elf64_Shdr) && head->e_phentsize == sizeof(Elf64_Phdr);
}

static int read_segments(struct usdt_file *f, const Elf64_Ehdr *head)
{
	for (u32 i = 0; i < head->e_phnum && f->n_segments < USDT_SEGMENTS; i++) {
		Elf64_Phdr p;

		if (!read_at(f, &p, sizeof(p), head->e_phoff + i * sizeof(p)))
			return -ENOEXEC;
		if (p.p_type != PT_LOAD)
			continue;
		f->segment[f->n_segments++] = (struct usdt_segment){
			.address = p.p_vaddr,
			.offset = p.p_offset,
			.size = p.p_filesz,
			.executable = p.p_flags & PF_X,
		};
	}
	return 0;
}

/* Where the file's header has 0 as their number, section 0 has it. */
static int read_sections(struct usdt_file *f, const Elf64_Ehdr *head)
{
	Elf64_Shdr first;
	u64 n = head->e_shnum;

	if (!n && head->e_shoff) {
		if (!read_at(f, &first, sizeof(first), head->e_shoff))
			return -ENOEXEC;
		n = first.sh_size;
	}
	if (n > SECTIONS || n * sizeof(first) > f->size)
		return -ENOEXEC;
	f->sections = malloc(sizeof(*f->sections) + n * sizeof(first));
	if (!f->sections)
		return -ENOMEM;
	f->sections->n = (u32)n;
	return read_at(f, f->sections->header, n * sizeof(first), head->e_shoff) ? 0 : -ENOEXEC;
}

/* The section names of the file, *@bytes long; NULL: none. */
static char *read_names(const struct usdt_file *f, const Elf64_Ehdr *head, u64 *bytes, int *err)
{
	u32 i = head->e_shstrndx;

	if (i == SHN_XINDEX && f->sections->n)
		i = f->sections->header[0].sh_link;
	if (i >= f->sections->n)
		return NULL;
	*bytes = f->sections->header[i].sh_size;
	return read_section(f, &f->sections->header[i], STRING_BYTES, err);
}

/* Turns an address of the file into an offset; false: none of its segments has it. */
static bool offset_of(const struct usdt_file *f, u64 address, bool executable, u64 *offset)
{
	for (u32 i = 0; i < f->n_segments; i++) {
		const struct usdt_segment *s = &f->segment[i];

		if (s->executable == executable && address >= s->address &&
		    address - s->address < s->size) {
			*offset = s->offset + (address - s->address);
			return true;
		}
	}
	return false;
}

/* Takes a string that ends before @end. NULL: it does not, or is too long. */
static const char *take_text(const char **at, const char *end)
{
	const char *text = *at;
	size_t len = strnlen(text, (size_t)(end - text));

	if (len == (size_t)(end - text) || len >= TEXT_BYTES)
		return NULL;
	*at = text + len + 1;
	return text;
}

/*
 * Reads a note's description. @base: address of section .stapsdt.base, which tells how far a
 * program was moved since its notes were made; 0: there is none.
 */
static bool read_probe(struct usdt_file *f, const char *at, const char *end, u64 base)
{
	struct usdt_probe p;
	u64 word[3], moved;

	if ((size_t)(end - at) < sizeof(word))
		return false;
	memcpy(word, at, sizeof(word));
	at += sizeof(word);
	moved = base ? base - word[1] : 0;
	p.address = word[0] + moved;
	p.semaphore = 0;
	p.provider = take_text(&at, end);
	p.name = p.provider ? take_text(&at, end) : NULL;
	p.args = p.name ? take_text(&at, end) : NULL;
	if (!p.args || !offset_of(f, p.address, true, &p.offset))
		return false;
	if (word[2] && !offset_of(f, word[2] + moved, false, &p.semaphore))
		return false;
	f->probe[f->n_probes++] = p;
	return true;
}

static u64 align4(u64 n)
{
	return (n + 3) & ~3ULL;
}

/* Reads the notes of a section, @bytes at @at, into f->probe, which has room. */
static void read_notes(struct usdt_file *f, const char *at, u64 bytes, u64 base)
{
	const char *end = at + bytes;

	while ((size_t)(end - at) >= sizeof(Elf64_Nhdr) && f->n_probes < PROBES) {
		Elf64_Nhdr note;
		u64 left;

		memcpy(&note, at, sizeof(note));
		at += sizeof(note);
		left = (u64)(end - at);
		if (align4(note.n_namesz) > left || note.n_descsz > left - align4(note.n_namesz)) {
			f->bad++;
			return;
		}
		if (note.n_type == TYPE && note.n_namesz == OWNER_BYTES &&
		    !memcmp(at, OWNER, OWNER_BYTES)) {
			const char *desc = at + align4(note.n_namesz);

			f->bad += !read_probe(f, desc, desc + note.n_descsz, base);
		}
		left -= align4(note.n_namesz);
		at += align4(note.n_namesz);
		at += align4(note.n_descsz) < left ? align4(note.n_descsz) : left;
	}
}

/* The smallest note of a probe: head, owner, three words, three empty strings. */
#define NOTE_LEAST (sizeof(Elf64_Nhdr) + OWNER_BYTES + 3 * sizeof(u64) + 3)

static int read_note_section(struct usdt_file *f, const Elf64_Shdr *section, u64 base)
{
	u64 room = section->sh_size / NOTE_LEAST;
	int err = 0;

	if (f->text) { /* a linker makes one of them */
		f->bad++;
		return 0;
	}
	f->text = read_section(f, section, NOTES_BYTES, &err);
	if (!f->text)
		return err;
	f->probe = calloc(room < PROBES ? room + 1 : PROBES, sizeof(*f->probe));
	if (!f->probe)
		return -ENOMEM;
	read_notes(f, f->text, section->sh_size, base);
	return 0;
}

static int read_named(struct usdt_file *f, const char *names, u64 bytes)
{
	const Elf64_Shdr *notes = NULL;
	u64 base = 0;

	for (u32 i = 0; i < f->sections->n; i++) {
		const Elf64_Shdr *s = &f->sections->header[i];
		const char *name = s->sh_name < bytes ? names + s->sh_name : "";

		if (s->sh_type == SHT_NOTE && streq(name, ".note.stapsdt"))
			notes = s;
		else if (streq(name, ".stapsdt.base"))
			base = s->sh_addr;
	}
	return notes ? read_note_section(f, notes, base) : 0;
}

int usdt_notes_read(struct usdt_file *f, int fd)
{
	Elf64_Ehdr head;
	struct stat st;
	char *names;
	u64 bytes = 0;
	int err;

	*f = (struct usdt_file){ .fd = fd };
	if (fstat(fd, &st) || st.st_size <= 0)
		return -ENOEXEC;
	f->size = (u64)st.st_size;
	if (!read_at(f, &head, sizeof(head), 0) || !is_ours(&head))
		return -ENOEXEC;
	err = read_segments(f, &head);
	if (!err)
		err = read_sections(f, &head);
	if (err)
		return err;
	names = read_names(f, &head, &bytes, &err);
	if (names)
		err = read_named(f, names, bytes);
	free(names);
	return err;
}

/* A table of symbols and the names in it. */
struct symbols {
	const Elf64_Sym *sym;
	const char *strings;
	u64 n, bytes; /* of sym, of strings */
};

static bool is_named(const struct symbols *t, const Elf64_Sym *sym, const char *name)
{
	return sym->st_shndx != SHN_UNDEF && sym->st_name < t->bytes &&
	       ELF64_ST_TYPE(sym->st_info) != STT_TLS && ELF64_ST_TYPE(sym->st_info) != STT_FILE &&
	       streq(t->strings + sym->st_name, name);
}

/* Looks for @name in a table; *@found counts the values seen, 2 for more than one. */
static void find_symbol(const struct symbols *t, const char *name, u64 *value, u32 *found)
{
	for (u64 i = 0; i < t->n; i++) {
		if (!is_named(t, &t->sym[i], name))
			continue;
		if (*found && *value != t->sym[i].st_value)
			*found = 2;
		else if (!*found)
			*found = 1;
		*value = t->sym[i].st_value;
	}
}

static int search_table(const struct usdt_file *f, const Elf64_Shdr *table, const char *name,
			u64 *value, u32 *found)
{
	const Elf64_Shdr *names;
	char *symbols, *strings;
	int err = 0;

	if (table->sh_link >= f->sections->n)
		return 0;
	names = &f->sections->header[table->sh_link];
	symbols = read_section(f, table, SYMBOL_BYTES, &err);
	strings = symbols ? read_section(f, names, STRING_BYTES, &err) : NULL;
	if (strings) {
		const struct symbols t = {
			.sym = (const Elf64_Sym *)symbols,
			.strings = strings,
			.n = table->sh_size / sizeof(Elf64_Sym),
			.bytes = names->sh_size,
		};

		find_symbol(&t, name, value, found);
	}
	free(symbols);
	free(strings);
	return err;
}

int usdt_symbol(const struct usdt_file *f, const char *name, u64 *value)
{
	u32 found = 0;
	int err = 0;

	for (u32 i = 0; !err && i < f->sections->n; i++) {
		const Elf64_Shdr *s = &f->sections->header[i];

		if (s->sh_type == SHT_SYMTAB || s->sh_type == SHT_DYNSYM)
			err = search_table(f, s, name, value, &found);
	}
	if (err)
		return err;
	return found == 1 ? 0 : found ? -ENOTUNIQ : -ENOENT;
}

/* "SPDK v26.09-pre": 2609. 0: @at begins otherwise. */
static u32 parse_version(const char *at, bool *pre)
{
	static const char form[] = "SPDK v00.00";

	for (u32 i = 0; form[i]; i++) {
		if (form[i] == '0' ? at[i] < '0' || at[i] > '9' : at[i] != form[i])
			return 0;
	}
	at += strlen("SPDK v");
	*pre = has_prefix(at + strlen("00.00"), "-pre");
	return (u32)((at[0] - '0') * 1000 + (at[1] - '0') * 100 + (at[3] - '0') * 10 + at[4] - '0');
}

/* Looks through @bytes at @data, which have a NUL behind. False: it has another version, too. */
static bool search_version(const char *data, u64 bytes, u32 *version, bool *pre)
{
	const char *end = data + bytes;

	while ((data = memmem(data, (size_t)(end - data), "SPDK v", 6))) {
		bool its_pre = false;
		u32 its = parse_version(data, &its_pre);

		if (its && *version && (its != *version || its_pre != *pre))
			return false;
		if (its) {
			*version = its;
			*pre = its_pre;
		}
		data++;
	}
	return true;
}

u32 usdt_version(const struct usdt_file *f, bool *pre)
{
	const u64 flags = SHF_ALLOC | SHF_EXECINSTR | SHF_WRITE;
	u32 version = 0;
	bool one = true;
	int err = 0;

	for (u32 i = 0; one && f->sections && i < f->sections->n; i++) {
		const Elf64_Shdr *s = &f->sections->header[i];
		char *data;

		if (s->sh_type != SHT_PROGBITS || (s->sh_flags & flags) != SHF_ALLOC)
			continue;
		data = read_section(f, s, CONST_BYTES, &err);
		one = !data || search_version(data, s->sh_size, &version, pre);
		free(data);
	}
	return one ? version : 0;
}

void usdt_notes_free(struct usdt_file *f)
{
	free(f->probe);
	free(f->text);
	free(f->sections);
	f->probe = NULL;
	f->text = NULL;
	f->sections = NULL;
}
