// SPDX-License-Identifier: GPL-2.0-or-later
/* How much memory the maps of a run take, by the sizes that are set before they are made. */
#include "lib/base/str.h"
#include "lib/loader/loader_impl.h"
#include "tests/unit/test.h"

#define MIB   ((u64)1 << 20)
#define DEPTH 1024
#define CTRLS 24

/*
 * A host: so many controllers, each with so many queues of 1024 tags and a namespace, of which one
 * is selected, or all.
 */
struct host {
	u32 ctrls, queues, cpus;
	bool one;
};

/* Sizes the maps of @object for @host: their bytes, and the entries of the table in flight. */
static u64 sized(const struct host *host, const char *object, u32 needs, u32 *command_slots)
{
	struct internal_opts opts = { .buffer_bytes = 8 * MIB };
	struct kernel_features btf = { .off.known = 1 };
	struct sysfs_ctrl ctrl[CTRLS] = { 0 };
	struct sysfs_ns ns[CTRLS] = { 0 };
	struct sysfs sysfs = {
		.ctrls = ctrl, .n_ctrls = host->ctrls, .ns = ns, .n_ns = host->ctrls
	};
	const struct filter filter = { .n_dev = host->one };
	struct loader_setup setup = { .opts = &opts,
				      .btf = &btf,
				      .sysfs = &sysfs,
				      .filter = &filter,
				      .needs = needs,
				      .cpus = host->cpus };
	struct prog_cfg cfg = { 0 };
	struct loader *l = NULL;
	struct loader_cost cost;

	for (u32 i = 0; i < host->ctrls; i++) {
		ctrl[i].ctrl_id = (s32)i;
		ctrl[i].queue_count = host->queues + 1;
		ctrl[i].sqsize = DEPTH - 1;
		ns[i] = (struct sysfs_ns){ .ctrl_id = (s32)i, .hctxs = host->queues };
	}
	assert_int_equal(loader_open(&l, object, &opts), 0);
	assert_int_equal(loader_size_tables(l, &setup, &cfg), 0);
	if (loader_find_map(l, "events"))
		assert_int_equal(loader_size_map(l, "events", 0, 8 * MIB), 0);
	loader_cost(l, &cost);
	loader_close(l);
	*command_slots = cfg.command_slots;
	return cost.map_bytes;
}

#define NEEDS (NEED_IO | NEED_SQE | NEED_PID)

static const char *const objects[] = { "trace", "latency", "errors", "pattern" };

/* Every tag of a drive, and spares for what comes; beside it the same of a small host. */
TEST(one_drive)
{
	static const struct {
		struct host host;
		u64 bound;
	} cases[] = {
		{ { 1, 4, 4, false }, 18 * MIB },
		{ { 1, 64, 64, false }, 37 * MIB },
		{ { 1, 128, 64, false }, 43 * MIB },
	};
	u32 command_slots;

	for (u32 c = 0; c < ARRAY_SIZE(cases); c++) {
		for (u32 i = 0; i < ARRAY_SIZE(objects); i++) {
			u64 bytes = sized(&cases[c].host, objects[i], NEEDS, &command_slots);

			assert_true(bytes <= cases[c].bound);
			assert_true(command_slots >= cases[c].host.queues * DEPTH);
		}
	}
}

/* There is room for a drive like the one that is there to come, twice where entries are small. */
TEST(spares)
{
	static const struct host host = { 1, 64, 64, false };
	u32 command_slots;

	sized(&host, "trace", NEED_IO | NEED_SQE, &command_slots);
	assert_true(command_slots >= 2 * host.queues * DEPTH);
	sized(&host, "latency", 0, &command_slots);
	assert_true(command_slots >= 3 * host.queues * DEPTH);
}

/* Many large drives: their own tags, and little more. */
TEST(many_drives)
{
	static const struct host host = { 8, 128, 64, false };
	const u32 own = 8 * 128 * DEPTH;
	u32 command_slots;

	for (u32 i = 0; i < ARRAY_SIZE(objects); i++) {
		sized(&host, objects[i], NEEDS, &command_slots);
		assert_true(command_slots >= own && command_slots < own + own / 64);
	}
}

/*
 * One drive of many large ones that is selected: as many slots as if it were alone, and for the
 * queues of the others what README says.
 */
TEST(one_of_many)
{
	static const struct host alone = { 1, 128, 128, true }, host = { CTRLS, 128, 128, true };
	u32 slots_alone, slots;

	for (u32 i = 0; i < ARRAY_SIZE(objects); i++) {
		u64 bytes_alone = sized(&alone, objects[i], NEEDS, &slots_alone);
		u64 bytes = sized(&host, objects[i], NEEDS, &slots);

		assert_int_equal(slots, slots_alone);
		assert_true(bytes - bytes_alone <= 6 * MIB && bytes <= 48 * MIB);
	}
}
