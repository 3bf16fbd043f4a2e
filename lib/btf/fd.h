// SPDX-License-Identifier: GPL-2.0-or-later
/* BTF that the kernel has loaded. */
#ifndef NVT_BTF_FD_H
#define NVT_BTF_FD_H

/*
 * A descriptor of the kernel's BTF called @name, "vmlinux" or a module, the caller's to close; or
 * -errno: -ENOENT, there is none (before 5.11 none has a name), -EPERM without CAP_SYS_ADMIN.
 */
int btf_fd_of(const char *name);

#endif
