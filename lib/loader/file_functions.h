// SPDX-License-Identifier: GPL-2.0-or-later
/* The functions by which programs know whose data a bio moves: bpf/file_walk.h. */
#ifndef NVT_LOADER_FILE_FUNCTIONS_H
#define NVT_LOADER_FILE_FUNCTIONS_H

struct bpf_object;
struct kernel_features;

/*
 * Fills in the addresses before the object is loaded. 0; 1: the kernel hides them, so no file will
 * be known; or -errno after a message.
 */
int file_functions_configure(struct bpf_object *object, const struct kernel_features *btf);

#endif
