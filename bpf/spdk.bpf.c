// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * spdk: one record for each hit of a probe in a process. User space attaches a program to every
 * place and says by `specs` where the arguments are there. It is found by address, since 5.10 has
 * no cookies.
 */
#include "bpf/kern.h"
#include "bpf/shared/usdt.h"

char _license[] SEC("license") = "Dual BSD/GPL";

#if defined(__TARGET_ARCH_x86)
#define REGS   21 /* of struct pt_regs */
#define REG_IP 16
#else
#define REGS   34 /* of struct user_pt_regs */
#define REG_IP 32
#endif

/* Bytes of a record with @n strings. */
#define HIT_BYTES(n) (sizeof(struct usdt_hit) + (u64)(n)*USDT_TEXT)

struct usdt_counts counts[WIRE_CPUS] SEC(".bss.counts");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct usdt_place);
	__type(value, struct usdt_spec);
} specs SEC(".maps");

/* The counters of this CPU. The program may be interrupted by itself (6.0 and newer): add atomically. */
static __always_inline struct usdt_counts *own_counts(void)
{
	return &counts[bpf_get_smp_processor_id() & (WIRE_CPUS - 1)];
}

/* A register, from the record's copy: the kernel's own may be read at constant offsets only. */
static __always_inline u64 reg(const struct usdt_hit *hit, u8 n)
{
	return n < REGS ? hit->regs[n] : 0;
}

static __always_inline u64 address_of(const struct usdt_hit *hit, const struct usdt_arg *arg)
{
	return reg(hit, arg->base) + (reg(hit, arg->index) << (arg->scale & 3)) + arg->value;
}

static __always_inline const void *in_process(u64 address)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): it came as a number */
	return (const void *)address;
}

/* Reads an argument. False: its memory cannot be read now. */
static __always_inline bool read_arg(const struct usdt_hit *hit, const struct usdt_arg *arg,
				     u64 *value)
{
	u32 size = arg->size;

	*value = 0;
	if (arg->kind == USDT_CONST) {
		*value = arg->value;
		return true;
	}
	if (arg->kind == USDT_REG) {
		*value = reg(hit, arg->base) >> (arg->shift & 63);
		return true;
	}
	if (arg->kind != USDT_MEMORY || size > sizeof(*value))
		return false;
	return !bpf_probe_read_user(value, size, in_process(address_of(hit, arg)));
}

/*
 * Reads the string at @hit->arg[i] to @text. A string that fills it may be whole: then the byte
 * behind is its NUL.
 */
static __always_inline void read_text(struct usdt_hit *hit, u32 i, char *text)
{
	u64 at = hit->arg[i];
	char behind = 1;
	long len;

	if (!at)
		return;
	len = bpf_probe_read_user_str(text, USDT_TEXT, in_process(at));
	if (len < 0) {
		hit->unread |= 1 << i;
		return;
	}
	hit->arg[i] = len;
	if (len == USDT_TEXT &&
	    (bpf_probe_read_user(&behind, 1, in_process(at + USDT_TEXT - 1)) || behind))
		hit->cut |= 1 << i;
}

/* Makes the record of a probe with at most @n_texts strings, a constant. */
static __always_inline void take(const u64 *ctx, const struct usdt_spec *spec, const u32 n_texts)
{
	struct usdt_hit *hit = bpf_ringbuf_reserve(&events, HIT_BYTES(n_texts), 0);
	u64 ids = bpf_get_current_pid_tgid();
	u32 texts = 0;

	if (!hit) {
		__sync_fetch_and_add(&own_counts()->ring_full, 1);
		return;
	}
	hit->ts_ns = bpf_ktime_get_ns();
	hit->id = spec->id;
	hit->pid = ids >> 32;
	hit->tid = ids;
	hit->unread = hit->cut = 0;
#pragma unroll
	for (u32 i = 0; i < REGS; i++)
		hit->regs[i] = ctx[i];
	for (u32 i = 0; i < USDT_ARGS && i < spec->n_args; i++) {
		u64 value, number = texts;
		char *text = (char *)(hit + 1);

		if (!read_arg(hit, &spec->arg[i], &value))
			hit->unread |= 1 << i;
		hit->arg[i] = value;
		texts += spec->arg[i].is_text;
		if (!n_texts || !spec->arg[i].is_text || hit->unread & 1 << i)
			continue;
		/*
		 * The number is compared right before it is added: the verifier of 6.1 forgets the
		 * bound of a number on the stack, but not that of an address.
		 */
		barrier_var(number);
		if (number >= n_texts)
			continue;
		text += number * USDT_TEXT;
		barrier_var(text);
		read_text(hit, i, text);
	}
	bpf_ringbuf_submit(hit, 0);
}

/* A hit in process @target. A function, so that its programs share one copy in the object. */
static __attribute__((noinline)) int on_hit(const u64 *ctx, u32 target)
{
	struct usdt_place place = { .address = ctx[REG_IP], .target = target };
	const struct usdt_spec *spec = bpf_map_lookup_elem(&specs, &place);

	__sync_fetch_and_add(&own_counts()->hits, 1);
	if (!spec)
		__sync_fetch_and_add(&own_counts()->unknown, 1);
	else if (!spec->n_texts)
		take(ctx, spec, 0);
	else if (spec->n_texts == 1)
		take(ctx, spec, 1);
	else
		take(ctx, spec, USDT_TEXTS);
	return 0;
}

#define HIT(n)                                                                                     \
	SEC("uprobe")                                                                              \
	int hit_##n(const u64 *ctx)                                                                \
	{                                                                                          \
		return on_hit(ctx, n);                                                             \
	}

HIT(0)
HIT(1)
HIT(2)
HIT(3)
HIT(4)
HIT(5)
HIT(6)
HIT(7)
HIT(8)
HIT(9)
HIT(10)
HIT(11)
HIT(12)
HIT(13)
HIT(14)
HIT(15)
