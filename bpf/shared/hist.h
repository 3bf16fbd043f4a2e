// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Latency buckets, for BPF and user space alike: which slot a value falls into, and a slot's edges.
 *
 * Log-linear: values below 2^(bits + 1) have a slot of their own; above, every power of two is cut
 * into 2^bits slots of equal width, so a slot is never wider than 1/2^bits of its lower edge. With
 * bits = 6 and nanoseconds these are the bins of fio's latency statistics. Offset (--lat-min-us,
 * --lat-shift): slot 0 holds what is below min_ns; the rest is log-linear in units of width_ns
 * counted from min_ns, so the finest slots lie just above min_ns. Both: the last slot holds
 * everything past the range, so that no value is dropped.
 *
 * BPF programs pass the address of a `const volatile` object in .rodata through barrier_var(): with
 * the volatile cast away, the compiler would otherwise fold in the zeroes the object file holds.
 */
#ifndef NVT_SHARED_HIST_H
#define NVT_SHARED_HIST_H

#include "bpf/shared/wire.h"
#ifndef __bpf__
#include "lib/base/sat.h"
#endif

#define NVT_INLINE	       static inline __attribute__((always_inline))

#define HIST_BITS_MAX	       6
#define HIST_RANGE_BITS	       41 /* log-linear: 2^41 ns is 36 minutes */
#define HIST_OFFSET_RANGE_BITS 31 /* offset: 2^31 units of a microsecond or more */
/* Slots of the finest histogram: log-linear with 6 bits and the overflow slot. */
#define HIST_SLOTS_MAX (((HIST_RANGE_BITS + 1 - HIST_BITS_MAX) << HIST_BITS_MAX) + 1)

enum hist_kind {
	HIST_LOG_LINEAR,
	HIST_OFFSET,
};

/*
 * The shape of a histogram. Lies in .rodata on the BPF side: the verifier drops what is not used.
 */
struct hist_cfg {
	u64 min_ns; /* HIST_OFFSET: upper edge of slot 0, else 0 */
	u64 width_ns; /* HIST_OFFSET: width of slot 1, else 1 */
	u32 slots; /* underflow and overflow included */
	u8 kind; /* enum hist_kind */
	u8 bits; /* 0 to HIST_BITS_MAX */
	u8 range_bits; /* values of 2^range_bits units and more overflow */
	u8 pad;
};
WIRE_SIZE(struct hist_cfg, 24);

/*
 * The sums of the commands of a row, beside its buckets: a row here is a member of struct
 * latency_cell and struct stacks_cell, and is added up wherever these are. HIST_SUMS_OF() is what
 * each of them is of one command. Where there seldom is something to add, that is looked at first.
 */
#define HIST_SUMS(SUM)                                                                             \
	SUM(errors, from->errors) /* completed with a status other than 0 */                       \
	SUM(bytes, true)                                                                           \
	SUM(sum_ns, true) /* of latencies */

#define HIST_SUMS_OF(lat_ns, bytes, error) (error), (bytes), (lat_ns)
#define HIST_SUM_MEMBER(m, when)	   u64 m;
#define HIST_SUM_ADD(m, when)                                                                      \
	if (when)                                                                                  \
		to->m = hist_sum(to->m, from->m);
#define HIST_SUM_ADD_ATOMIC(m, when)                                                               \
	if (when)                                                                                  \
		__sync_fetch_and_add(&to->m, from->m);

NVT_INLINE u64 hist_sum(u64 a, u64 b)
{
#ifdef __bpf__ /* no kernel runs for so long that a sum is too large, but a damaged recording does */
	return a + b;
#else
	return sat_add(a, b);
#endif
}

/* The smallest and the largest latency of a histogram. In zeroed memory it is empty. */
struct hist_extremes {
	u64 max_ns;
	u64 max_inv_ns; /* largest ~latency: the minimum is ~max_inv_ns */
};
WIRE_SIZE(struct hist_extremes, 16);

/* Widens @e by a latency and its complement, or by the members of another one. Not atomic. */
NVT_INLINE void hist_widen(struct hist_extremes *e, u64 max_ns, u64 max_inv_ns)
{
	if (max_ns > e->max_ns)
		e->max_ns = max_ns;
	if (max_inv_ns > e->max_inv_ns)
		e->max_inv_ns = max_inv_ns;
}

/*
 * Position of the highest bit set in @v, which is not 0. Shifts only: BPF has no instruction for
 * it.
 */
NVT_INLINE u32 hist_msb(u64 v)
{
	u32 msb = 0, step;

	step = (v > 0xffffffff) << 5;
	v >>= step;
	msb |= step;
	step = (v > 0xffff) << 4;
	v >>= step;
	msb |= step;
	step = (v > 0xff) << 3;
	v >>= step;
	msb |= step;
	step = (v > 0xf) << 2;
	v >>= step;
	msb |= step;
	step = (v > 0x3) << 1;
	v >>= step;
	msb |= step;
	return msb | (u32)(v >> 1);
}

/* Log-linear slot of @v units: 2^@bits slots for each power of two. No bound. */
NVT_INLINE u32 hist_log_linear(u64 v, u32 bits)
{
	u32 shift;

	if (v < 2ULL << bits)
		return (u32)v;
	shift = hist_msb(v) - bits;
	return ((shift + 1) << bits) + ((u32)(v >> shift) & ((1U << bits) - 1));
}

/*
 * The slot of @ns, always below cfg->slots. In BPF the caller still clamps it right before use: the
 * verifier does not follow the arithmetic.
 */
NVT_INLINE u32 hist_slot(const struct hist_cfg *cfg, u64 ns)
{
	u32 base = 0;

	if (cfg->kind == HIST_OFFSET) {
		if (ns < cfg->min_ns)
			return 0;
		ns = (ns - cfg->min_ns) / cfg->width_ns;
		base = 1;
	}
	if (ns >> cfg->range_bits)
		return cfg->slots - 1;
	return base + hist_log_linear(ns, cfg->bits);
}

/* Lower edge of log-linear slot @slot in units; the inverse of hist_log_linear(). */
NVT_INLINE u64 hist_log_linear_lo(u32 slot, u32 bits)
{
	if (slot < 2U << bits)
		return slot;
	return (u64)((1U << bits) + (slot & ((1U << bits) - 1))) << ((slot >> bits) - 1);
}

/* Lower edge of @slot in nanoseconds, inclusive. @slot < cfg->slots. */
NVT_INLINE u64 hist_lo(const struct hist_cfg *cfg, u32 slot)
{
	if (cfg->kind == HIST_LOG_LINEAR)
		return hist_log_linear_lo(slot, cfg->bits);
	if (slot == 0)
		return 0;
	return cfg->min_ns + hist_log_linear_lo(slot - 1, cfg->bits) * cfg->width_ns;
}

/* Upper edge of @slot in nanoseconds, exclusive; ~0 for the overflow slot. */
NVT_INLINE u64 hist_hi(const struct hist_cfg *cfg, u32 slot)
{
	return slot + 1 >= cfg->slots ? ~0ULL : hist_lo(cfg, slot + 1);
}

/*
 * Fills in the shape: @bits from 0 to HIST_BITS_MAX; @min_us and @shift both 0 give a log-linear
 * histogram, else an offset one whose first slot is 2^@shift (0 to 20) microseconds wide.
 */
NVT_INLINE void hist_shape(struct hist_cfg *cfg, u32 bits, u64 min_us, u32 shift)
{
	int offset = min_us || shift;

	cfg->kind = offset ? HIST_OFFSET : HIST_LOG_LINEAR;
	cfg->bits = (u8)bits;
	cfg->range_bits = offset ? HIST_OFFSET_RANGE_BITS : HIST_RANGE_BITS;
	cfg->min_ns = min_us * 1000;
	cfg->width_ns = offset ? 1000ULL << shift : 1;
	cfg->slots = (((u32)cfg->range_bits + 1 - bits) << bits) + 1 + (offset ? 1 : 0);
	cfg->pad = 0;
}

#endif
