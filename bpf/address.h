// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Addresses that are read of memory which the kernel may have freed meanwhile. */
#ifndef NVT_ADDRESS_H
#define NVT_ADDRESS_H

#include "bpf/kern.h"

/* Where the kernel's addresses begin on x86 with page tables of four levels. */
#define KERNEL_4_LEVELS 0xffff800000000000

/* The bits of an address from this one up are ones if it is the kernel's. */
static __always_inline u32 kernel_bit(void)
{
	return bpf_get_current_task() < KERNEL_4_LEVELS ? 56 : 47;
}

/*
 * @addr if it is the kernel's, by kernel_bit(), else 0, which no read follows: memory that was freed
 * meanwhile may hold anything in the place of a pointer. A kernel that uses four levels, on a CPU with
 * five, takes an address that only five levels have for its own, and warns of the fault
 * (copy_from_kernel_nofault_allowed() of 6.1). A branch would cost the verifier two ways each time.
 */
static __always_inline u64 kernel_address(u64 addr, u32 bit)
{
	u64 ours;

	bit &= 63;
	ours = ((addr >> bit) + 1) >> (64 - bit); /* 1 if the bits are ones, else 0 */
	return addr & -ours;
}

#endif
