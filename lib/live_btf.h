// SPDX-License-Identifier: GPL-2.0-or-later
/* Where libbpf finds the types of the running kernel. */
#ifndef NVT_LIVE_BTF_H
#define NVT_LIVE_BTF_H

struct btf;

/*
 * From now on DIR/vmlinux is it; NULL: /sys/kernel/btf. @dir must stay. Types of modules come by their ids.
 * @types: what was read there already, or NULL. The next load takes it, which spares it 1200 reads of a page each and
 * the parsing; until then it is ours, and the next call frees it.
 */
void live_btf_set(const char *dir, struct btf *types);

#endif
