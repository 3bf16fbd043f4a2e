// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds BTF that the kernel has loaded. */
#ifndef NVT_BTF_FD_H
#define NVT_BTF_FD_H

/*
 * Returns a descriptor of the kernel's BTF named @name, "vmlinux" or a module, which the caller
 * closes; or -errno: -ENOENT when there is none (before 5.11 none has a name), -EPERM without
 * CAP_SYS_ADMIN.
 */
int btf_fd_of(const char *name);

#endif
