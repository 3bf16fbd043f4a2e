// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads a BTF file and checks once where each type begins and ends. The ids and names in a type are
 * checked when they are followed.
 */
#include "lib/btf/btf_types.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/str.h"
#include "lib/btf/fd.h"

#define TYPE_BYTES sizeof(struct btf_type)

/* Size of a type by kind: of the type itself, and of each member, value or parameter. */
static const struct {
	u8 bytes, each; /* bytes 0: no such kind */
} kinds[] = {
	[BTF_KIND_INT] = { TYPE_BYTES + sizeof(u32) },
	[BTF_KIND_PTR] = { TYPE_BYTES },
	[BTF_KIND_ARRAY] = { TYPE_BYTES + sizeof(struct btf_array) },
	[BTF_KIND_STRUCT] = { TYPE_BYTES, sizeof(struct btf_member) },
	[BTF_KIND_UNION] = { TYPE_BYTES, sizeof(struct btf_member) },
	[BTF_KIND_ENUM] = { TYPE_BYTES, sizeof(struct btf_enum) },
	[BTF_KIND_FWD] = { TYPE_BYTES },
	[BTF_KIND_TYPEDEF] = { TYPE_BYTES },
	[BTF_KIND_VOLATILE] = { TYPE_BYTES },
	[BTF_KIND_CONST] = { TYPE_BYTES },
	[BTF_KIND_RESTRICT] = { TYPE_BYTES },
	[BTF_KIND_FUNC] = { TYPE_BYTES },
	[BTF_KIND_FUNC_PROTO] = { TYPE_BYTES, sizeof(struct btf_param) },
	[BTF_KIND_VAR] = { TYPE_BYTES + sizeof(struct btf_var) },
	[BTF_KIND_DATASEC] = { TYPE_BYTES, sizeof(struct btf_var_secinfo) },
	[BTF_KIND_FLOAT] = { TYPE_BYTES },
	[BTF_KIND_DECL_TAG] = { TYPE_BYTES + sizeof(struct btf_decl_tag) },
	[BTF_KIND_TYPE_TAG] = { TYPE_BYTES },
	[BTF_KIND_ENUM64] = { TYPE_BYTES, sizeof(struct btf_enum64) },
};

/*
 * Takes memory for the file, with all its pages mapped at once: page by page it would take half as
 * long again. 0 or -errno.
 */
static int make_room(struct btf_types *types, off_t bytes)
{
	void *room;

	if (bytes < (off_t)sizeof(struct btf_header) || bytes > INT32_MAX)
		return -EINVAL;
	room = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (room == MAP_FAILED)
		return -errno;
	types->data = room;
	types->n_data = (size_t)bytes;
	return 0;
}

static int fill_room(const struct btf_types *types, int fd)
{
	size_t done = 0;
	ssize_t n;

	while (done < types->n_data) {
		n = read(fd, types->data + done, types->n_data - done);
		if (n < 0)
			return -errno;
		if (!n)
			return -EINVAL;
		done += (size_t)n;
	}
	return 0;
}

static int read_file(struct btf_types *types, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;
	struct stat st;

	if (fd < 0)
		return -errno;
	err = fstat(fd, &st) ? -errno : make_room(types, st.st_size);
	if (!err)
		err = fill_room(types, fd);
	close(fd);
	return err;
}

/* Maps the kernel's own copy, which it allows since 6.16. False: it does not. */
static bool map_kernel(struct btf_types *types, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *file = MAP_FAILED;
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && st.st_size >= (off_t)sizeof(struct btf_header))
		file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (file == MAP_FAILED)
		return false;
	types->data = file;
	types->n_data = (size_t)st.st_size;
	return true;
}

/* Reads the BTF of vmlinux or of a module with BPF_OBJ_GET_INFO_BY_FD. */
static int ask_kernel(struct btf_types *types, const char *name)
{
	int fd = btf_fd_of(name), err;
	struct bpf_btf_info info = { 0 };
	u32 size = sizeof(info);

	if (fd < 0)
		return fd;
	err = bpf_obj_get_info_by_fd(fd, &info, &size);
	if (!err)
		err = make_room(types, info.btf_size);
	if (!err) {
		info = (struct bpf_btf_info){ .btf = (uintptr_t)types->data,
					      .btf_size = (u32)types->n_data };
		err = bpf_obj_get_info_by_fd(fd, &info, &size);
	}
	close(fd);
	return err;
}

/* True when @len bytes at @off behind the header lie in the file. */
static bool lies_within(const struct btf_header *h, u64 bytes, u32 off, u32 len)
{
	return (u64)h->hdr_len + off + len <= bytes;
}

static bool is_sound(const struct btf_header *h, u64 bytes)
{
	return h->magic == BTF_MAGIC && h->hdr_len >= sizeof(*h) &&
	       lies_within(h, bytes, h->type_off, h->type_len) &&
	       lies_within(h, bytes, h->str_off, h->str_len) && h->type_off % sizeof(u32) == 0 &&
	       h->hdr_len % sizeof(u32) == 0;
}

static int take_names(struct btf_types *types, const struct btf_header *h)
{
	types->names = (const char *)types->data + h->hdr_len + h->str_off;
	types->names_from = types->base ? types->base->names_end : 0;
	types->names_end = types->names_from + h->str_len;
	return h->str_len && types->names[h->str_len - 1] ? -EINVAL : 0;
}

u32 btf_types_bytes(const struct btf_type *type)
{
	u32 kind = btf_kind(type);

	if (kind >= ARRAY_SIZE(kinds) || !kinds[kind].bytes)
		return 0;
	return kinds[kind].bytes + (u32)btf_vlen(type) * kinds[kind].each;
}

/* Notes where each type begins. */
static int index_types(struct btf_types *types, u32 at, u32 end)
{
	u32 n = 0;

	while (at < end) {
		const struct btf_type *t = (const void *)(types->data + at);
		u32 bytes = end - at < TYPE_BYTES ? 0 : btf_types_bytes(t);

		if (!bytes || end - at < bytes)
			return -EINVAL;
		types->at[n++] = at;
		at += bytes;
	}
	types->first = types->base ? types->base->end : 1;
	types->end = types->first + n;
	return 0;
}

/* Checks the header of types->data, and sets up all members from it. */
static int take(struct btf_types *types)
{
	const struct btf_header *h = (const void *)types->data;
	int err;

	if (!is_sound(h, types->n_data))
		return -EINVAL;
	err = take_names(types, h);
	if (err)
		return err;
	types->at = malloc((h->type_len / TYPE_BYTES + 1) * sizeof(*types->at));
	if (!types->at)
		return -ENOMEM;
	return index_types(types, h->hdr_len + h->type_off, h->hdr_len + h->type_off + h->type_len);
}

int btf_types_read(struct btf_types *types, const char *path, const struct btf_types *base)
{
	int err;

	memset(types, 0, sizeof(*types));
	types->base = base;
	err = read_file(types, path);
	if (!err)
		err = take(types);
	if (err)
		btf_types_free(types);
	return err;
}

int btf_types_read_kernel(struct btf_types *types, const char *path)
{
	memset(types, 0, sizeof(*types));
	if (!access(path, R_OK) && (map_kernel(types, path) || !ask_kernel(types, "vmlinux")) &&
	    !take(types))
		return 0;
	btf_types_free(types);
	return btf_types_read(types, path, NULL);
}

enum btf_origin btf_types_origin(const struct btf_types *types, const char *name)
{
	enum btf_origin origin = BTF_UNKNOWN;
	struct btf_types own = { 0 };
	char path[64];

	snprintf(path, sizeof(path), "/sys/kernel/btf/%s", name);
	if (!read_file(&own, path) || !ask_kernel(&own, name))
		origin = own.data && own.n_data == types->n_data &&
					 !memcmp(own.data, types->data, own.n_data)
				 ? BTF_OWN
				 : BTF_FOREIGN;
	btf_types_free(&own);
	return origin;
}

void btf_types_free(struct btf_types *types)
{
	if (types->data)
		munmap(types->data, types->n_data);
	free(types->at);
	memset(types, 0, sizeof(*types));
}
