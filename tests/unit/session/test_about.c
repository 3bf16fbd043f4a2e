// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Controllers and selection: as text in a recording, as JSON in meta, and texts that others made
 * up.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/str.h"
#include "lib/session/about.h"
#include "tests/unit/test.h"

/* The record of @put on @text, as JSON. */
static void check_json(void (*put)(struct json *, const char *), const char *text, bool array,
		       const char *want)
{
	static const struct schema *const none[] = { NULL };
	char file[] = "/tmp/nvmetool-test-about-XXXXXX", got[4096] = "";
	const struct output_opts opts = { .format = OUT_JSON, .file = file };
	struct out *o;
	struct json *j;
	FILE *f;

	close(mkstemp(file));
	assert_int_equal(out_open(&o, &opts, none), 0);
	j = out_json_begin(o, "t");
	if (array)
		json_array(j, "a");
	else
		json_object(j, "a");
	put(j, text);
	json_end(j);
	out_json_end(o);
	assert_int_equal(out_close(o), 0);
	f = fopen(file, "r");
	assert_non_null(fgets(got, sizeof(got), f));
	fclose(f);
	unlink(file);
	assert_string_equal(got, want);
}

/* Lines of @text, as @next gives them, are @want, each with '|' behind it. */
static void check_lines(const char *(*next)(const char *, char *, size_t), const char *text,
			const char *want)
{
	char line[64], got[512] = "";
	size_t n = 0;

	while ((text = next(text, line, sizeof(line))))
		n += (size_t)snprintf(got + n, sizeof(got) - n, "%s|", line);
	assert_string_equal(got, want);
}

TEST(ctrls)
{
	struct sysfs_ctrl ctrls[2] = {
		{ .name = "nvme0",
		  .transport = "pcie",
		  .model = "QEMU \"X\"",
		  .serial = "s\tn",
		  .ctrl_id = 0 },
		{ .name = "nvme12", .transport = "tcp", .firmware = "1.0", .ctrl_id = 12 },
	};
	struct sysfs sysfs = { .ctrls = ctrls, .n_ctrls = 2 };
	char *text = about_ctrls(&sysfs);

	assert_non_null(text);
	assert_null(strchr(text, '\n'));
	check_json(
		about_put_ctrls, text, true,
		"{\"type\":\"t\",\"a\":[{\"ctrl_id\":0,\"ctrl\":\"nvme0\",\"transport\":\"pcie\","
		"\"model\":\"QEMU \\\"X\\\"\",\"serial\":\"s n\",\"firmware\":\"\"},"
		"{\"ctrl_id\":12,\"ctrl\":\"nvme12\",\"transport\":\"tcp\",\"model\":\"\",\"serial\":\"\","
		"\"firmware\":\"1.0\"}]}\n");
	check_lines(about_ctrl_line, text, "nvme0  pcie  QEMU \"X\"  s n|nvme12  tcp  1.0|");
	free(text);
}

TEST(filters)
{
	struct selection sel = {
		.opcode = { .word = { "read,write", "0x9" }, .n = 2 },
		.comm = { .word = { "a\x1e\x1f\x1d*" }, .n = 1 },
		.min_lat_ns = 1000,
	};
	char *text = about_filters(&sel, NULL), *both;
	struct selection own = { .nsid = { .word = { "1" }, .n = 1 } };

	assert_non_null(text);
	check_json(
		about_put_filter, text, false,
		"{\"type\":\"t\",\"a\":{\"opcode\":[\"read,write\",\"0x9\"],\"comm\":[\"a   *\"],"
		"\"min_lat_ns\":1000}}\n");
	both = about_filters(&own, text);
	assert_non_null(both);
	check_json(
		about_put_filters, both, true,
		"{\"type\":\"t\",\"a\":[{\"opcode\":[\"read,write\",\"0x9\"],\"comm\":[\"a   *\"],"
		"\"min_lat_ns\":1000},{\"nsid\":[\"1\"]}]}\n");
	check_lines(about_filter_line, both,
		    "opcode=read,write,0x9 comm=a   * min_lat_ns=1000|nsid=1|");
	free(text);
	free(both);
}

/* Nothing selected is no selection; what a stranger wrote makes sound JSON. */
TEST(odd)
{
	struct selection sel = { .min_lat_ns = 0 };
	char *text = about_filters(&sel, "");

	check_json(about_put_filters, text, true, "{\"type\":\"t\",\"a\":[]}\n");
	free(text);
	check_json(about_put_ctrls, NULL, true, "{\"type\":\"t\",\"a\":[]}\n");
	check_json(
		about_put_ctrls, "\x1e", true,
		"{\"type\":\"t\",\"a\":[{\"ctrl_id\":0,\"ctrl\":null,\"transport\":null,\"model\":null,"
		"\"serial\":null,\"firmware\":null}]}\n");
	check_json(about_put_filters, "x\x1d\x1e\x1e\x1d\x1emin_lat_ns\x1d\x1d", true,
		   "{\"type\":\"t\",\"a\":[{},{\"\":[],\"\":[]},{\"min_lat_ns\":0}]}\n");
	check_lines(about_ctrl_line, NULL, "");
	check_lines(about_ctrl_line, "0\037nvme0\036\0361\037nvme1", "nvme0||nvme1|");
	check_lines(about_filter_line, "x\035\036nsid\0371", "|nsid=1|");
	check_lines(about_filter_line,
		    "\036comm\0370123456789012345678901234567890123456789012345678901234567890",
		    "comm=0123456789012345678901234567890123456789012345678901234567|");
}
