// SPDX-License-Identifier: GPL-2.0-or-later
/* How much memory the maps of a run take, by the sizes that are set before they are made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/str.h"
#include "lib/loader/impl.h"

#include <cmocka.h>

#define MIB   ((u64)1 << 20)
#define DEPTH 1024
#define CTRLS 8

/* A host: so many controllers with so many queues of 1024 tags each. */
struct host {
	u32 ctrls, queues, cpus;
};

/* Sizes the maps of @object for @host: their bytes, and the entries of the table in flight. */
static u64 sized(const struct host *host, const char *object, u32 needs, u32 *command_slots)
{
	struct internal_opts opts = { .buffer_bytes = 8 * MIB };
	struct kernel_features btf = { .off.known = 1 };
	struct sysfs_ctrl ctrl[CTRLS] = { 0 };
	struct sysfs sysfs = { .ctrls = ctrl, .n_ctrls = host->ctrls };
	const struct filter any = { 0 };
	struct loader_setup setup = { .opts = &opts,
				      .btf = &btf,
				      .sysfs = &sysfs,
				      .filter = &any,
				      .needs = needs,
				      .cpus = host->cpus };
	struct prog_cfg cfg = { 0 };
	struct loader *l = NULL;
	struct loader_cost cost;

	for (u32 i = 0; i < host->ctrls; i++) {
		ctrl[i].ctrl_id = (s32)i;
		ctrl[i].queue_count = host->queues + 1;
		ctrl[i].sqsize = DEPTH - 1;
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

static const char *const objects[] = { "trace", "latency", "errors", "pattern" };

/* 32 MiB hold every tag of a drive with 128 queues on 64 CPUs, and what a small host needs. */
static void test_one_drive(void **state)
{
	static const struct host hosts[] = { { 1, 4, 4 }, { 1, 64, 64 }, { 1, 128, 64 } };
	u32 command_slots;

	(void)state;
	for (u32 h = 0; h < ARRAY_SIZE(hosts); h++) {
		for (u32 i = 0; i < ARRAY_SIZE(objects); i++) {
			u64 bytes = sized(&hosts[h], objects[i], NEED_IO | NEED_SQE | NEED_PID,
					  &command_slots);

			assert_true(bytes <= 32 * MIB);
			assert_true(command_slots >= hosts[h].queues * DEPTH);
		}
	}
}

/* There is room for a drive like the one that is there to come, twice where entries are small. */
static void test_spares(void **state)
{
	static const struct host host = { 1, 64, 64 };
	u32 command_slots;

	(void)state;
	sized(&host, "trace", NEED_IO | NEED_SQE, &command_slots);
	assert_true(command_slots >= 2 * host.queues * DEPTH);
	sized(&host, "latency", 0, &command_slots);
	assert_true(command_slots >= 3 * host.queues * DEPTH);
}

/* Many large drives: their own tags, and little more. */
static void test_many_drives(void **state)
{
	static const struct host host = { CTRLS, 128, 64 };
	const u32 own = CTRLS * 128 * DEPTH;
	u32 command_slots;

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(objects); i++) {
		sized(&host, objects[i], NEED_IO | NEED_SQE | NEED_PID, &command_slots);
		assert_true(command_slots >= own && command_slots < own + own / 64);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_drive),
		cmocka_unit_test(test_spares),
		cmocka_unit_test(test_many_drives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
