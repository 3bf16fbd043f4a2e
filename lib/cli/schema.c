// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints the tables of fields as JSON Schema, draft 2020-12 (help --schema). A schema describes one
 * line of a stream.
 */
#include "lib/base/err.h"
#include "lib/cli/help.h"

#define DIALECT "https://json-schema.org/draft/2020-12/schema"

/* Fields of the records without a table, which lib/session/meta.c, about.c and account.c write. */
#define MEMBER(kind, nm, text, ...)                                                                \
	{                                                                                          \
		.type = FIELD_##kind, .name = nm, .help = text, __VA_ARGS__                        \
	}
#define NESTED(kind, nm, text, ...) MEMBER(CALL, nm, text, .json = JSON_##kind, __VA_ARGS__)
#define MAY_LACK		    .flags = FIELD_ABSENT
#define MAY_BE_NULL		    .flags = FIELD_NULL_ONES

/* clang-format off */
static const struct field attach_members[] = {
	MEMBER(CHARS, "method", "how the programs are attached: tp_btf, raw_tp; replay: none are"),
	NESTED(STRINGS, "missing", "data that cannot be had here; the fields with it are null"),
	NESTED(STRINGS, "kept", "capabilities kept after attaching"),
	FIELD_DONE,
};

const struct field schema_ctrls[] = {
	MEMBER(S64, "ctrl_id", "controller, the 3 of nvme3"),
	MEMBER(STR, "ctrl", "controller, nvme3"),
	MEMBER(STR, "transport", "pcie, tcp, rdma, fc or loop"),
	MEMBER(STR, "model", "model number"),
	MEMBER(STR, "serial", "serial number"),
	MEMBER(STR, "firmware", "firmware revision"),
	FIELD_DONE,
};

#define LIST(nm, text) NESTED(STRINGS, nm, text, MAY_LACK)
const struct field schema_filters[] = {
	LIST("ctrl_id", "words of --ctrl-id"), LIST("nsid", "words of --nsid"), LIST("device", "words of --device"),
	LIST("qid", "words of --qid"), LIST("opcode", "words of --opcode"), LIST("pid", "words of --pid"),
	LIST("comm", "words of --comm"), LIST("cgroup", "words of --cgroup"), LIST("size", "words of --size"),
	LIST("lba", "words of --lba"), LIST("status", "words of --status"),
	LIST("time", "words of --time"),
	MEMBER(U64, "min_lat_ns", "the time of --min-lat", MAY_LACK),
	FIELD_DONE,
};

#define META_OF_ALL \
	MEMBER(CHARS, "schema", "format of the stream: nvmetool/1"), \
	MEMBER(CHARS, "version", "version of nvmetool"), \
	MEMBER(CHARS, "command", "command of nvmetool"), \
	NESTED(STRINGS, "argv", "the command line"), \
	MEMBER(STR, "host", "host that was traced"), \
	MEMBER(STR, "kernel", "its kernel"), \
	MEMBER(STR, "arch", "its architecture"), \
	MEMBER(TIME, "ts", "start of the run or of the recording"), \
	MEMBER(U64, "time_ns", "the same time in nanoseconds since 1970"), \
	MEMBER(U64, "mono_ns", "the same time by CLOCK_MONOTONIC")

static const struct field meta_of_all[] = { META_OF_ALL, FIELD_DONE };

static const struct field meta_of_trace[] = {
	META_OF_ALL,
	NESTED(OBJECT, "attach", "how the kernel was traced", .members = attach_members),
	NESTED(OBJECTS, "ctrls", "controllers of the host", .members = schema_ctrls),
	NESTED(OBJECT, "filters", "the selection; empty: every command", .members = schema_filters),
	NESTED(OBJECTS, "recorded_filters", "the selections of the recordings that were read", MAY_LACK,
	       .members = schema_filters),
	FIELD_DONE,
};

#define LOST(name, stat, unit, text) MEMBER(U64, #name, unit text, MAY_BE_NULL),
const struct field schema_lost[] = {
#include "lib/event/lost.def"
	FIELD_DONE,
};

static const struct field lost_fields[] = {
	MEMBER(U64, "mono_ns", "time of the report by CLOCK_MONOTONIC"),
#include "lib/event/lost.def"
	FIELD_DONE,
};
#undef LOST

#define LOST(...)
#define HIT(name, unit, text) MEMBER(U64, #name, unit text),
static const struct field lost_of_hits[] = {
#include "lib/event/lost.def"
	FIELD_DONE,
};

#define HIT(name, unit, text) MEMBER(U64, #name, unit text),
static const struct field lost_hits_fields[] = {
	MEMBER(U64, "mono_ns", "time of the report by CLOCK_MONOTONIC"),
#include "lib/event/lost.def"
	FIELD_DONE,
};
#undef LOST

static const struct field conditions[] = {
	MEMBER(CHARS, "condition", "the condition, a part of the expression; or \"no commands\", \"no hits\", \"no read completed\": none matched"),
	MEMBER(STR, "op", "opcode of the row; null: any"),
	MEMBER(STR, "row", "the first row of which the condition was true; null: the rows have no name"),
	NESTED(NUMBERS, "values", "what was found for each of its terms"),
	MEMBER(TIME, "ts", "when"),
	MEMBER(U64, "time_ns", "the same time in nanoseconds since 1970"),
	FIELD_DONE,
};

static const struct field program_members[] = {
	MEMBER(S64, "pid", "its process ID"),
	MEMBER(S64, "status", "its exit status; null: it did not exit", MAY_BE_NULL),
	MEMBER(S64, "signal", "the signal that killed it; null: none", MAY_BE_NULL),
	FIELD_DONE,
};

static const struct field self_members[] = {
	MEMBER(U64, "setup_runs", "runs of the program at submission", MAY_BE_NULL),
	MEMBER(U64, "setup_ns", "mean time of one", MAY_BE_NULL),
	MEMBER(U64, "complete_runs", "runs of the program at completion", MAY_BE_NULL),
	MEMBER(U64, "complete_ns", "mean time of one", MAY_BE_NULL),
	MEMBER(U64, "cpu_ns", "CPU time in user space"),
	MEMBER(U64, "map_bytes", "memory of the maps", MAY_BE_NULL),
	FIELD_DONE,
};

static const struct field summary_fields[] = {
	MEMBER(U64, "duration_ns", "length of the run"),
	MEMBER(U64, "submitted", "commands set up by the driver, selected or not"),
	MEMBER(U64, "completed", "commands completed by the driver, selected or not"),
	MEMBER(U64, "paired", "completions with their submission"),
	MEMBER(U64, "emitted", "commands printed or counted in a row"),
	MEMBER(U64, "filtered", "commands that the selection leaves out"),
	MEMBER(U64, "errors", "matching commands that failed; null: not known", MAY_BE_NULL),
	MEMBER(U64, "before_attach", "completions of commands submitted before attaching"),
	MEMBER(U64, "unsent", "completions by the host of requests that were never set up"),
	MEMBER(U64, "requeued", "commands set up again before they completed"),
	MEMBER(U64, "failed_setup", "commands set up and then given up by the driver"),
	MEMBER(U64, "inflight_at_exit", "commands in flight at the end; null: not known, as of a flight recorder's file", MAY_BE_NULL),
	MEMBER(U64, "oldest_ns", "age of the oldest of these; null: there are none", MAY_BE_NULL),
	MEMBER(U64, "entry_unknown", "commands that -Q and --phases leave out of times in the queue and totals, as it is not known when they were queued", MAY_LACK),
	NESTED(OBJECT, "lost", "how much was lost, by cause; null: this kernel does not tell", .members = schema_lost),
	MEMBER(BOOL, "complete", "nothing was lost"),
	NESTED(OBJECTS, "fail_if", "conditions of --fail-if that were true", .members = conditions),
	NESTED(OBJECT, "program", "the program behind --", MAY_LACK, .members = program_members),
	NESTED(OBJECT, "self", "own cost; with --self-stats", MAY_LACK, .members = self_members),
	FIELD_DONE,
};

static const struct field process_members[] = {
	MEMBER(U64, "pid", "its number"),
	MEMBER(STR, "comm", "its name"),
	MEMBER(STR, "version", "its version, as its files name it; null: they name none"),
	MEMBER(U64, "probes", "probes that were attached to"),
	MEMBER(U64, "places", "instructions that stand for them"),
	MEMBER(STR, "ended", "exit or exec; null: it went on"),
	FIELD_DONE,
};

static const struct field summary_of_hits[] = {
	MEMBER(U64, "duration_ns", "length of the run"),
	MEMBER(U64, "hits", "runs of the programs, counted apart from the rows"),
	MEMBER(U64, "emitted", "hits printed"),
	MEMBER(U64, "errors", "of these, with a status that is not 0"),
	NESTED(OBJECTS, "processes", "what was traced", .members = process_members),
	NESTED(OBJECT, "lost", "hits that are not shown, by cause", .members = lost_of_hits),
	MEMBER(BOOL, "complete", "nothing was lost"),
	NESTED(OBJECTS, "fail_if", "conditions of --fail-if that were true", .members = conditions),
	NESTED(OBJECT, "program", "the program behind --", MAY_LACK, .members = program_members),
	NESTED(OBJECT, "self", "own cost; with --self-stats", MAY_LACK, .members = self_members),
	FIELD_DONE,
};

static const struct schema meta_schema = { "meta", meta_of_all, "what was run, and where" };
static const struct schema trace_meta_schema = { "meta", meta_of_trace, "what was run, and where" };
static const struct schema lost_schema = { "lost", lost_fields, "losses so far, within a second of a new one" };
static const struct schema lost_hits_schema = { "lost", lost_hits_fields, "losses so far, within a second of a new one" };
static const struct schema summary_schema = { "summary", summary_fields, "the account of the run" };
static const struct schema summary_hits_schema = { "summary", summary_of_hits, "the account of the run" };
/* clang-format on */

static bool in_json(const struct field *field)
{
	return !(field->flags & (FIELD_ONLY_TEXT | FIELD_NO_JSON));
}

static const char *scalar_type(const struct field *field)
{
	switch (field->type) {
	case FIELD_BOOL:
		return "boolean";
	case FIELD_F64:
		return "number";
	case FIELD_STR:
	case FIELD_CHARS:
	case FIELD_TIME:
	case FIELD_HEX32:
	case FIELD_HEX64:
		return "string";
	default:
		return "integer";
	}
}

static bool can_be_null(const struct field *field)
{
	return field->type == FIELD_STR || field->type == FIELD_TIME || field->type == FIELD_F64 ||
	       field->flags & (FIELD_NULL_ONES | FIELD_NULL_ZERO);
}

static void put_type(struct json *j, const char *type, bool or_null)
{
	if (!or_null) {
		json_str(j, "type", type);
		return;
	}
	json_array(j, "type");
	json_str(j, NULL, type);
	json_str(j, NULL, "null");
	json_end(j);
}

/* Writes a schema of its own for what an array or an object holds. */
static void put_inner(struct json *j, const char *key, const char *type, bool or_null)
{
	json_object(j, key);
	put_type(j, type, or_null);
	json_end(j);
}

static void put_members(struct json *j, const char *type, const struct field *fields);

/* Writes the schema of a bucket: its edges and its count. */
static void put_bucket(struct json *j)
{
	json_object(j, "items");
	put_type(j, "array", false);
	put_inner(j, "items", "integer", true);
	json_u64(j, "minItems", 3);
	json_u64(j, "maxItems", 3);
	json_end(j);
}

static void put_object(struct json *j, const char *key, const struct field *members)
{
	json_object(j, key);
	put_type(j, "object", false);
	put_members(j, NULL, members);
	json_end(j);
}

/* Describes the value that emit() of a field writes. */
static void put_nested(struct json *j, const struct field *field)
{
	static const char *const types[] = {
		[JSON_BOOL] = "boolean",  [JSON_STRING] = "string", [JSON_STRINGS] = "array",
		[JSON_NUMBERS] = "array", [JSON_COUNTS] = "object", [JSON_BUCKETS] = "array",
		[JSON_OBJECT] = "object", [JSON_OBJECTS] = "array", [JSON_NAMED_OBJECTS] = "object",
		[JSON_VALUES] = "object",
	};

	if (!field->json)
		return;
	put_type(j, types[field->json], can_be_null(field));
	switch (field->json) {
	case JSON_STRINGS:
		put_inner(j, "items", "string", false);
		break;
	case JSON_NUMBERS:
		put_inner(j, "items", "number", true);
		break;
	case JSON_COUNTS:
		put_inner(j, "additionalProperties", "integer", false);
		break;
	case JSON_BUCKETS:
		put_bucket(j);
		break;
	case JSON_OBJECT:
		put_members(j, NULL, field->members);
		break;
	case JSON_OBJECTS:
		put_object(j, "items", field->members);
		break;
	case JSON_NAMED_OBJECTS:
		put_object(j, "additionalProperties", field->members);
		break;
	default:
		break;
	}
}

static void put_field(struct json *j, const struct field *field)
{
	json_object(j, field->name);
	json_str(j, "description", field->help);
	if (field->type == FIELD_CALL)
		put_nested(j, field);
	else
		put_type(j, scalar_type(field), can_be_null(field));
	json_end(j);
}

/* Writes `properties` and `required`. @type is the record's; NULL for an object inside one. */
static void put_members(struct json *j, const char *type, const struct field *fields)
{
	json_object(j, "properties");
	if (type) {
		json_object(j, "type");
		json_str(j, "const", type);
		json_end(j);
	}
	for (const struct field *field = fields; field->type; field++)
		if (in_json(field))
			put_field(j, field);
	json_end(j);
	json_array(j, "required");
	if (type)
		json_str(j, NULL, "type");
	for (const struct field *field = fields; field->type; field++)
		if (in_json(field) && !(field->flags & FIELD_ABSENT))
			json_str(j, NULL, field->name);
	json_end(j);
}

static void put_record(struct json *j, const struct schema *schema)
{
	json_object(j, NULL);
	json_str(j, "title", schema->type);
	json_str(j, "description", schema->help);
	put_members(j, schema->type, schema->fields);
	json_end(j);
}

static void put_records(struct json *j, const struct cmd *cmd)
{
	bool hits = cmd->takes & TRACES_USERS;

	json_array(j, "oneOf");
	put_record(j, cmd->event ? &trace_meta_schema : &meta_schema);
	for (u32 i = 0; cmd->schemas[i]; i++)
		put_record(j, cmd->schemas[i]);
	if (cmd->event)
		put_record(j, hits ? &lost_hits_schema : &lost_schema);
	if (cmd->event && !(cmd->takes & SHOWS_INFLIGHT)) /* which has one for each controller */
		put_record(j, hits ? &summary_hits_schema : &summary_schema);
	json_end(j);
}

int help_schema(const struct cmd *cmd)
{
	static const struct schema *const none[] = { NULL };
	struct output_opts opts = { .format = OUT_JSON };
	char title[64];
	struct out *out;
	int err;

	err = out_open(&out, &opts, none);
	if (err)
		return err;
	snprintf(title, sizeof(title), "nvmetool %s --json", cmd->name);
	struct json *j = out_json_begin(out, "object"); /* every record is an object */
	json_str(j, "$schema", DIALECT);
	json_str(j, "title", title);
	json_str(j, "description",
		 "a line of the output; --columns leaves fields out, newer versions add some");
	put_records(j, cmd);
	out_json_end(out);
	err = out_close(out);
	return !err || err == -EPIPE ? 0 : fail(err, NULL, NULL, "standard output");
}
