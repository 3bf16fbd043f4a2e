// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The map types and flags of linux/bpf.h that the programs use; a unit test compares the numbers.
 */
#ifndef NVT_SHARED_UAPI_H
#define NVT_SHARED_UAPI_H

#define UAPI(name, value) name = value,
enum {
#include "bpf/shared/uapi.def"
};
#undef UAPI

#endif
