// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Output: one record in three formats, hostile strings, columns, and readers that are slow or gone.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/out/out.h"
#include "lib/out/sink.h"
#include "tests/unit/test.h"

struct row {
	u64 wall_ns, lat_ns;
	double pct;
	const char *dev;
	u32 nsid;
	s32 ctrl_id;
	u32 result;
	char comm[16];
	u16 status;
	bool admin;
	u64 list[2];
};

static void emit_list(struct json *j, const void *p)
{
	const struct row *row = p;

	json_array(j, "list");
	json_u64(j, NULL, row->list[0]);
	json_u64(j, NULL, row->list[1]);
	json_end(j);
	json_object(j, "deep");
	json_str(j, "a\"b", "x");
	json_f64(j, "inf", 1.0 / 0.0);
	json_s64(j, "neg", -5);
	json_end(j);
}

static void text_status(const struct out *o, const void *p, char *buf, size_t size)
{
	(void)o;
	snprintf(buf, size, "%s", ((const struct row *)p)->status ? "bad" : "ok");
}

/* clang-format off */
static const struct field fields[] = {
	FIELD_OF(FIELD_TIME, struct row, wall_ns, "ts", .head = "WALL", .width = 15, .flags = FIELD_HIDDEN),
	FIELD_OF(FIELD_STR, struct row, dev, "dev", .width = -7),
	FIELD_OF(FIELD_U32, struct row, nsid, "nsid", .width = 4, .flags = FIELD_NULL_ONES),
	FIELD_OF(FIELD_S32, struct row, ctrl_id, "ctrl_id", .flags = FIELD_NO_TEXT),
	FIELD_OF(FIELD_U64, struct row, lat_ns, "lat_ns", .width = 9, .flags = FIELD_LAT),
	FIELD_OF(FIELD_F64, struct row, pct, "pct", .width = 5),
	FIELD_OF(FIELD_U16, struct row, status, "status", .text = text_status),
	FIELD_OF(FIELD_BOOL, struct row, admin, "admin", .flags = FIELD_ABSENT),
	FIELD_OF(FIELD_HEX32, struct row, result, "result", .flags = FIELD_NO_TEXT | FIELD_NULL_ZERO),
	FIELD_OF(FIELD_CALL, struct row, list, "list", .emit = emit_list),
	FIELD_OF(FIELD_CHARS, struct row, comm, "comm", .width = -16, .flags = FIELD_LAST),
	FIELD_DONE
};
/* clang-format on */

static const struct schema schema = { .type = "io", .fields = fields };
static const struct schema *const one[] = { &schema, NULL };

static struct row sample(void)
{
	return (struct row){ .wall_ns = 1700000000123456789,
			     .lat_ns = 84249,
			     .pct = 12.5,
			     .dev = "nvme0n1",
			     .nsid = ~0U,
			     .ctrl_id = -1,
			     .comm = "fio",
			     .list = { 1, ~0ULL } };
}

static char file[64];
static char text[1 << 16];

static int make_file(void **state)
{
	int fd;

	(void)state;
	snprintf(file, sizeof(file), "/tmp/nvmetool-test-out-XXXXXX");
	fd = mkstemp(file);
	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

static int remove_file(void **state)
{
	(void)state;
	unlink(file);
	return 0;
}

static const char *contents(void)
{
	int fd = open(file, O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text) - 1);

	close(fd);
	assert_true(n >= 0);
	text[n] = '\0';
	return text;
}

static struct out *start(struct output_opts *opts, const struct schema *const *schemas)
{
	struct out *o = NULL;

	opts->file = file;
	opts->header = true;
	opts->utc = true;
	assert_int_equal(out_open(&o, opts, schemas), 0);
	return o;
}

static const char *print(struct output_opts opts, struct row row)
{
	struct out *o = start(&opts, one);

	out_row(o, &schema, &row);
	assert_int_equal(out_close(o), 0);
	return contents();
}

TEST_WITH(json, make_file, remove_file)
{
	assert_string_equal(
		print((struct output_opts){ .format = OUT_JSON }, sample()),
		"{\"type\":\"io\",\"ts\":\"2023-11-14T22:13:20.123456789Z\",\"dev\":\"nvme0n1\","
		"\"nsid\":null,\"ctrl_id\":-1,\"lat_ns\":84249,\"pct\":12.5,\"status\":0,\"result\":null,"
		"\"list\":[1,18446744073709551615],\"deep\":{\"a\\\"b\":\"x\",\"inf\":null,\"neg\":-5},"
		"\"comm\":\"fio\"}\n");
}

/* The text of @dev alone, in quotes, into @to. */
static void json_of(const char *dev, char *to, size_t size)
{
	struct row row = sample();

	row.dev = dev;
	print((struct output_opts){ .format = OUT_JSON, .columns = "dev" }, row);
	snprintf(to, size, "%.*s", (int)strcspn(text + 19, "}"), text + 19);
}

/*
 * Long strings are written by words, short ones by bytes: both write each byte alike, wherever it
 * is.
 */
TEST_WITH(json_strings, make_file, remove_file)
{
	static const unsigned int places[] = { 0, 7, 12 };
	char alone[32], s[20], want[64], got[64], byte[2] = "";

	for (unsigned int c = 1; c < 256; c++) {
		byte[0] = (char)(c == '}' ? '{' : c);
		json_of(byte, alone, sizeof(alone));
		for (unsigned int i = 0; i < ARRAY_SIZE(places); i++) {
			memcpy(s, "aaaaaaaaaaaaaaaaaa", 19);
			s[places[i]] = byte[0];
			json_of(s, got, sizeof(got));
			snprintf(want, sizeof(want), "\"%.*s%.*s%s\"", (int)places[i], s,
				 (int)strlen(alone) - 2, alone + 1, s + places[i] + 1);
			assert_string_equal(got, want);
		}
	}
}

/* Text that is kept is written again under its key, and under no other. */
TEST_WITH(json_kept, make_file, remove_file)
{
	struct output_opts opts = { .format = OUT_JSON };
	static const char a[JSON_KEPT_KEY] = "a", b[JSON_KEPT_KEY] = "b";
	struct out *o = start(&opts, one);
	struct json *j;

	for (u32 i = 0; i < 3; i++) {
		j = out_json_begin(o, "x");
		json_u64(j, "n", i);
		assert_int_equal(json_put_kept(j, 1, a), i > 0);
		if (i == 0) {
			json_keep_from(j);
			json_u64(j, "first", 1);
			json_keep(j, 1, a);
		}
		assert_false(json_put_kept(j, 1, b));
		assert_false(json_put_kept(j, 2, a));
		out_json_end(o);
	}
	j = out_json_begin(o, "x");
	json_keep_from(j);
	for (u32 i = 0; i < JSON_KEPT_TEXT; i++)
		json_u64(j, NULL, 1);
	json_keep(j, 2, a);
	assert_false(json_put_kept(j, 2, a)); /* too long */
	out_json_end(o);
	assert_int_equal(out_close(o), 0);
	assert_ptr_equal(strstr(contents(), "{\"type\":\"x\",\"n\":0,\"first\":1}\n"
					    "{\"type\":\"x\",\"n\":1,\"first\":1}\n"
					    "{\"type\":\"x\",\"n\":2,\"first\":1}\n"),
			 text);
}

TEST_WITH(csv, make_file, remove_file)
{
	struct row row = sample();

	memcpy(row.comm, "a,\"b\"", 6);
	row.result = 0x2a;
	assert_string_equal(
		print((struct output_opts){ .format = OUT_CSV }, row),
		"ts,dev,nsid,ctrl_id,lat_ns,pct,status,result,comm\r\n"
		"2023-11-14T22:13:20.123456789Z,nvme0n1,,-1,84249,12.5,0,0x2a,\"a,\"\"b\"\"\"\r\n");
}

/*
 * Columns are as wide as the widest value of the rows at hand, heading included, and stay so for
 * those that come later.
 */
TEST_WITH(widths, make_file, remove_file)
{
	struct output_opts opts = { .format = OUT_TEXT, .columns = "dev,nsid,lat_ns,comm" };
	struct out *o = start(&opts, one);
	struct row row = sample();

	out_row(o, &schema, &row);
	row.dev = "nvme10c11n12";
	out_row(o, &schema, &row);
	assert_int_equal(out_flush(o), 0);
	row.dev = "nvme0n1";
	row.nsid = 1234567;
	out_row(o, &schema, &row);
	out_text(o, "between\n");
	row.nsid = 1;
	memcpy(row.comm, "a longer name", 14);
	out_row(o, &schema, &row);
	assert_int_equal(out_close(o), 0);
	assert_string_equal(contents(), "DEV          NSID   LAT(us) COMM\n"
					"nvme0n1         -      84.2 fio\n"
					"nvme10c11n12    -      84.2 fio\n"
					"nvme0n1      1234567      84.2 fio\n"
					"between\n"
					"nvme0n1            1      84.2 a longer name\n");
}

TEST_WITH(show, make_file, remove_file)
{
	struct output_opts opts = { .format = OUT_JSON, .columns = "admin,nsid" };
	struct row row = sample();
	struct out *o = start(&opts, one);

	assert_int_equal(out_show(o, "no-such", true), -ENOENT);
	assert_int_equal(out_show(o, "admin", true), 0);
	assert_int_equal(out_settle(o), 0);
	out_row(o, &schema, &row);
	assert_int_equal(out_close(o), 0);
	assert_string_equal(contents(), "{\"type\":\"io\",\"admin\":false,\"nsid\":null}\n");
}

/* What a run gathers for a format and --columns: what shows, and what costs where it is asked for. */
TEST_WITH(needs, make_file, remove_file)
{
	static const struct field needing[] = {
		FIELD_OF(FIELD_U32, struct row, nsid, "plain", .needs = 1),
		FIELD_OF(FIELD_U32, struct row, nsid, "wide", .needs = 2, .with = "W",
			 .flags = FIELD_HIDDEN),
		FIELD_OF(FIELD_U32, struct row, nsid, "file", .needs = 4, .with = "WF",
			 .flags = FIELD_HIDDEN | FIELD_COSTLY),
		FIELD_OF(FIELD_U32, struct row, nsid, "absent", .needs = 8, .flags = FIELD_ABSENT),
		FIELD_DONE
	};
	static const struct schema needy = { .type = "io", .fields = needing };
	static const struct schema *const schemas[] = { &needy, NULL };
	static const struct {
		u32 format;
		char letter;
		const char *columns;
		u32 needs;
	} t[] = {
		{ OUT_TEXT, 'Q', NULL, 1 },
		{ OUT_TEXT, 'W', NULL, 7 },
		{ OUT_TEXT, 'F', NULL, 5 },
		{ OUT_JSON, 'Q', NULL, 3 },
		{ OUT_CSV, 'F', NULL, 7 },
		{ OUT_JSON, 'Q', "file", 4 },
		{ OUT_TEXT, 'Q', "WIDE", 2 },
		{ OUT_JSON, 'Q', "-plain,+file", 6 },
		{ OUT_TEXT, 'W', "-file,-plain", 2 },
		{ OUT_TEXT, 'W', "+file,plain", 5 },
	};

	for (u32 i = 0; i < ARRAY_SIZE(t); i++) {
		struct output_opts opts = { .format = t[i].format, .columns = t[i].columns };
		struct out *o = start(&opts, schemas);

		out_show_with(o, t[i].letter, true);
		out_show_with(o, 'F', false);
		assert_int_equal(out_needs(o), t[i].needs);
		assert_int_equal(out_settle(o), 0);
		assert_int_equal(out_close(o), 0);
	}
}

TEST_WITH(file, make_file, remove_file)
{
	char link_name[80];
	struct output_opts opts = { .file = link_name };
	struct out *o = NULL;
	struct stat st;

	assert_int_equal(chmod(file, 0666), 0);
	print((struct output_opts){ .format = OUT_JSON }, sample());
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0666);
	print((struct output_opts){ .format = OUT_JSON, .for_owner = true }, sample());
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	snprintf(link_name, sizeof(link_name), "%s-link", file);
	assert_int_equal(symlink(file, link_name), 0);
	assert_int_equal(out_open(&o, &opts, one), -ELOOP);
	assert_string_equal(
		print((struct output_opts){ .format = OUT_JSON, .columns = "nsid" }, sample()),
		"{\"type\":\"io\",\"nsid\":null}\n");
	unlink(link_name);
	snprintf(link_name, sizeof(link_name), "/tmp");
	assert_int_equal(out_open(&o, &opts, one), -EISDIR);
	snprintf(link_name, sizeof(link_name), "/dev/full");
	opts.format = OUT_JSON;
	assert_int_equal(out_open(&o, &opts, one), 0);
	out_text(o, "not JSON");
	assert_int_equal(out_flush(o), 0);
	json_bool(out_json_begin(o, "x"), "y", true);
	out_json_end(o);
	assert_int_equal(out_flush(o), -ENOSPC);
	assert_int_equal(out_close(o), -ENOSPC);
}

/* Runs with a FIFO that is open for reading here and written by `o`. */
struct pipe_test {
	struct output_opts opts;
	struct out *o;
	int reader;
};

static void pipe_start(struct pipe_test *t)
{
	unlink(file);
	assert_int_equal(mkfifo(file, 0600), 0);
	t->reader = open(file, O_RDONLY | O_NONBLOCK);
	assert_true(t->reader >= 0);
	t->opts = (struct output_opts){ .format = OUT_JSON };
	t->o = start(&t->opts, one);
}

/*
 * Units of two rows: those that the reader has whole and those that are pending are all there were.
 */
TEST_WITH(marks, make_file, remove_file)
{
	struct row row = sample();
	struct pipe_test t;
	u64 marks = 0, lines = 0;
	ssize_t n, k;

	pipe_start(&t);
	out_row(t.o, &schema, &row);
	out_mark(t.o);
	assert_int_equal(out_marks_pending(t.o), 1);
	assert_int_equal(out_flush(t.o), 0);
	assert_int_equal(out_marks_pending(t.o), 0);
	for (; !out_dropped(t.o); marks++) {
		out_row(t.o, &schema, &row);
		out_row(t.o, &schema, &row);
		out_mark(t.o);
	}
	assert_int_equal(out_drain(t.o, 20), -ETIMEDOUT);
	while ((n = read(t.reader, text, sizeof(text))) > 0) {
		for (k = 0; k < n; k++)
			lines += text[k] == '\n';
	}
	assert_true(lines > 3);
	assert_int_equal(out_marks_pending(t.o), marks - (lines - 1) / 2);
	assert_int_equal(out_close(t.o), 0);
	close(t.reader);
}
