// SPDX-License-Identifier: GPL-2.0-or-later
/* Where libbpf finds the types of the running kernel. */
#ifndef NVT_LIVE_BTF_H
#define NVT_LIVE_BTF_H

/* From now on DIR/vmlinux is it; NULL: /sys/kernel/btf. @dir must stay. Types of modules come by their ids. */
void live_btf_set(const char *dir);

#endif
