// SPDX-License-Identifier: GPL-2.0-or-later
/* Percentiles and rows of latency histograms. */
#include "lib/base/hist.h"

#include <errno.h>

#include "lib/base/str.h"

#define DECIMALS 6

/* As hist_shape() makes it of HIST_BITS_MAX; a unit test compares them. */
const struct hist_cfg hist_finest = {
	.width_ns = 1,
	.slots = HIST_SLOTS_MAX,
	.kind = HIST_LOG_LINEAR,
	.bits = HIST_BITS_MAX,
	.range_bits = HIST_RANGE_BITS,
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

int hist_parse_percentile(const char *word, size_t len, struct percentile *p)
{
	u64 value = 0;
	u32 decimals = 0;
	bool point = false;
	size_t i;

	if (!len || !is_digit(word[0]) || !is_digit(word[len - 1]))
		return -EINVAL;
	for (i = 0; i < len; i++) {
		if (word[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (!is_digit(word[i]))
			return -EINVAL;
		value = value * 10 + (u64)(word[i] - '0');
		decimals += point;
		if (decimals > DECIMALS || value > 100ULL * HIST_PERCENT)
			return -ERANGE;
	}
	for (; decimals < DECIMALS; decimals++)
		value *= 10;
	if (value > 100ULL * HIST_PERCENT)
		return -ERANGE;
	*p = (struct percentile){ word, (u32)len, (u32)value };
	return 0;
}

int hist_parse_percentiles(const char *text, struct percentile *list, u32 *n)
{
	size_t len;
	u32 i;
	int err;

	for (*n = 0;; (*n)++, text += len + 1) {
		len = strcspn(text, ",");
		if (*n == HIST_PERCENTILES)
			return -E2BIG;
		err = hist_parse_percentile(text, len, &list[*n]);
		if (err)
			return err;
		for (i = 0; i < *n; i++) {
			if (list[i].millionths == list[*n].millionths)
				return -EEXIST;
		}
		if (!text[len]) {
			(*n)++;
			return 0;
		}
	}
}

static u64 clamp(u64 v, u64 lo, u64 hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

u64 hist_percentile(const struct hist *h, u32 millionths)
{
	const unsigned __int128 whole = (unsigned __int128)100 * HIST_PERCENT;
	unsigned __int128 share = (unsigned __int128)h->count * millionths;
	u64 rank, seen = 0;
	u32 slot;

	if (!h->count)
		return 0;
	rank = (u64)((share + whole - 1) / whole);
	if (!rank)
		rank = 1;
	for (slot = 0; slot < h->cfg->slots; slot++) {
		seen += h->buckets[slot];
		if (seen >= rank)
			return clamp(hist_hi(h->cfg, slot), h->min_ns, h->max_ns);
	}
	return h->max_ns; /* buckets that BPF still writes can be behind the count */
}

u64 hist_percentile_of(const void *hist, u32 millionths)
{
	return hist_percentile(hist, millionths);
}

/* Returns the slot behind the row of 2^@bits per power of two that @slot belongs to. */
static u32 row_end(const struct hist_cfg *cfg, u32 bits, u32 slot)
{
	u32 base = cfg->kind == HIST_OFFSET, joined;

	if (slot < base || slot + 1 >= cfg->slots)
		return slot + 1;
	joined = hist_log_linear(hist_log_linear_lo(slot - base, cfg->bits), bits);
	do
		slot++;
	while (slot + 1 < cfg->slots &&
	       hist_log_linear(hist_log_linear_lo(slot - base, cfg->bits), bits) == joined);
	return slot;
}

/* The slots that hold samples: the first, and the one behind the last. */
static void used_slots(const struct hist *h, u32 *first, u32 *end)
{
	*first = 0;
	*end = h->cfg->slots;
	while (*first < *end && !h->buckets[*first])
		(*first)++;
	while (*end > *first && !h->buckets[*end - 1])
		(*end)--;
}

bool hist_next_row(const struct hist *h, u32 bits, u32 *slot, struct hist_row *row)
{
	u32 first, end, next;

	used_slots(h, &first, &end);
	/* The row that holds the first sample may begin before it. */
	while (*slot < end && row_end(h->cfg, bits, *slot) <= first)
		*slot = row_end(h->cfg, bits, *slot);
	if (*slot >= end)
		return false;
	next = row_end(h->cfg, bits, *slot);
	row->lo_ns = hist_lo(h->cfg, *slot);
	row->hi_ns = hist_hi(h->cfg, next - 1);
	for (row->count = 0; *slot < next; (*slot)++)
		row->count += h->buckets[*slot];
	return true;
}

bool hist_next_bucket(const struct hist *h, u32 *slot, struct hist_row *bucket)
{
	while (*slot < h->cfg->slots && !h->buckets[*slot])
		(*slot)++;
	if (*slot >= h->cfg->slots)
		return false;
	bucket->lo_ns = hist_lo(h->cfg, *slot);
	bucket->hi_ns = hist_hi(h->cfg, *slot);
	bucket->count = h->buckets[(*slot)++];
	return true;
}
