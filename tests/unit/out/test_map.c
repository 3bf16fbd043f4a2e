// SPDX-License-Identifier: GPL-2.0-or-later
/* Heat maps as pictures: however long the run, there are at most 240 columns and no command is missing. */
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/out/map.h"
#include "tests/unit/scratch.h"
#include "tests/unit/test.h"

#define START_NS (5 * NSEC_PER_SEC)
#define YEAR_NS	 (365ULL * 86400 * NSEC_PER_SEC)

struct picture {
	char *root, path[256], *text;
	struct hist_cfg cfg;
	struct heat_map *map;
};

static int setup(void **state)
{
	struct picture *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	p->root = scratch_make();
	snprintf(p->path, sizeof(p->path), "%s/map.svg", p->root);
	hist_shape(&p->cfg, 3, 0, 0);
	p->map = heat_map_open(&p->cfg);
	assert_non_null(p->map);
	heat_map_begin(p->map, START_NS);
	*state = p;
	return 0;
}

static int teardown(void **state)
{
	struct picture *p = *state;
	int err = scratch_remove(p->root);

	heat_map_close(p->map);
	free(p->text);
	free(p);
	return err;
}

static void draw(struct picture *p, u64 end_ns)
{
	const struct output_opts opts = {
		.format = OUT_FORMAT_OWN, .file = p->path, .header = true, .utc = true
	};
	struct out *o;

	assert_int_equal(out_open(&o, &opts, NULL), 0);
	assert_int_equal(out_begin(o), 0);
	out_patient(o, -1);
	heat_map_draw(p->map, o, end_ns, 0, "db1");
	assert_int_equal(out_close(o), 0);
	p->text = scratch_read(p->path, NULL);
}

/* The sum of the commands of all cells; *columns: how many places from left to right they have. */
static u64 sum(const struct picture *p, u32 *columns)
{
	char place[32], last[32] = "";
	const char *at = p->text, *colon;
	u64 n = 0;

	*columns = 0;
	while ((at = strstr(at, "\"><title>"))) {
		while (strncmp(at, " x=\"", 4) != 0)
			at--;
		snprintf(place, sizeof(place), "%.*s", (int)strcspn(at + 4, "\""), at + 4);
		*columns += !streq(place, last);
		snprintf(last, sizeof(last), "%s", place);
		colon = strstr(at, "s: ");
		colon = colon ? colon : strstr(at, "more: ");
		assert_non_null(colon);
		n += strtoull(strchr(colon, ' '), NULL, 10);
		at = strstr(at, "</title>");
	}
	return n;
}

TEST_WITH(time_goes_on, setup, teardown)
{
	struct picture *p = *state;
	u32 columns;

	for (u64 i = 0; i < 1000; i++)
		heat_map_add(p->map, START_NS + i * i * 1000000, 1000 + i * i * i);
	draw(p, START_NS + 1000000ULL * 1000000);
	assert_int_equal(sum(p, &columns), 1000);
	assert_in_range(columns, 80, HEAT_COLUMNS);
	assert_non_null(strstr(p->text, "1000 commands. A column is 8192 ms, a row 1/2 of a"));
}

TEST_WITH(a_late_command, setup, teardown)
{
	struct picture *p = *state;
	u32 columns;

	heat_map_add(p->map, START_NS, 1);
	heat_map_add(p->map, START_NS + YEAR_NS, ~0ULL);
	draw(p, START_NS + YEAR_NS + 1);
	assert_int_equal(sum(p, &columns), 2);
	assert_int_equal(columns, 2);
	assert_non_null(strstr(p->text, "us or more: 1 command, 100.0 %</title>"));
}

TEST_WITH(sums_of_intervals, setup, teardown)
{
	struct picture *p = *state;
	static u64 buckets[HIST_SLOTS_MAX];
	struct hist h = { .cfg = &p->cfg, .buckets = buckets };
	u32 columns;

	for (u64 i = 1; i <= 1000; i++) {
		buckets[100 + i % 50]++;
		h.count++;
		heat_map_take(p->map, START_NS + i * 100000000, &h);
	}
	heat_map_take(p->map, START_NS + 100100000000, &h);
	draw(p, START_NS + 100100000000);
	assert_int_equal(sum(p, &columns), 1000);
	assert_int_equal(columns, 125);
	assert_non_null(strstr(p->text, "1000 commands. A column is about 794 ms, a row"));
	assert_non_null(strstr(p->text, "<title>00:00:05.000 to 00:00:05.800, "));
	assert_non_null(strstr(p->text, "<title>00:00:05.800 to 00:00:06.600, "));
}

TEST_WITH(alike_where_settled_together, setup, teardown)
{
	struct picture *p = *state;
	struct heat_map *maps[] = { p->map, heat_map_open(&p->cfg) };
	const u64 end_ns[] = { START_NS + NSEC_PER_SEC, START_NS + 10 * NSEC_PER_SEC };
	const struct heat_grid *grid[] = { heat_map_grid(maps[0]), heat_map_grid(maps[1]) };

	heat_map_begin(maps[1], START_NS);
	for (u64 i = 0; i < 1000; i++)
		heat_map_add(maps[0], START_NS + 1, 1000000);
	heat_map_add(maps[1], START_NS + 9 * NSEC_PER_SEC, 1000);
	assert_int_equal(heat_map_settle(maps, end_ns, 2, 100), 157ULL * 64 * NSEC_PER_MSEC);
	assert_int_equal(grid[0]->count, 1000);
	assert_int_equal(grid[1]->count, 1);
	assert_int_equal(grid[0]->step_ns, grid[1]->step_ns);
	assert_memory_equal(&grid[0]->rows, &grid[1]->rows, sizeof(grid[0]->rows));
	assert_memory_equal(&grid[0]->shades, &grid[1]->shades, sizeof(grid[0]->shades));
	assert_int_equal(grid[1]->shades.from[HEAT_LEVELS - 1], 250);
	assert_int_equal(heat_map_column(maps[0], 0).count, 1000);
	heat_map_close(maps[1]);
}
