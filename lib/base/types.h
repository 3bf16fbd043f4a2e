// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's short names of fixed-width integers, for user space. */
#ifndef NVT_BASE_TYPES_H
#define NVT_BASE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

/* A number that is not known: all bits set. Printed as null by fields with FIELD_NULL_ONES. */
#define UNKNOWN8  0xff
#define UNKNOWN32 0xffffffffU
#define UNKNOWN64 (~0ULL)

#endif
