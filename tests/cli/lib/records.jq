# SPDX-License-Identifier: GPL-2.0-or-later
# Checks a stream of JSON records against `nvmetool help --schema COMMAND`; prints what is wrong with it.
#
# usage: jq -rn --slurpfile schema SCHEMA -f records.jq STREAM

def known: {
	meta: ["schema", "version", "command", "argv", "host", "kernel", "arch", "ts", "mono_ns"],
	lost: [],
	summary: ["duration_ns", "submitted", "completed", "paired", "emitted", "filtered", "errors", "before_attach",
		"unsent", "requeued", "failed_setup", "inflight_at_exit", "oldest_ns", "lost", "complete"]
};

def fits($field):
	if . == null then $field.nullable
	elif $field.type == "any" then true
	elif $field.type == "integer" then type == "number" and floor == .
	else type == $field.type end;

# What is wrong with the fields of record $r, which $of describes.
def wrong_fields($of; $r):
	($of.fields | INDEX(.name)) as $fields
	| $r | del(.type) | to_entries[] | . as $e | $fields[.key] as $field
	| if $field == null then "\($r.type): unknown field \($e.key)"
	  elif $e.value | fits($field) | not then "\($r.type).\($e.key): not \($field.type): \($e.value)"
	  else empty end;

[inputs] as $all
| ($schema[0].records | INDEX(.type)) as $records
| if ($all | length) == 0 then "no record" else empty end,
  (if $all[0].type != "meta" then "first is \($all[0].type), not meta" else empty end),
  (if $all[-1].type != "summary" then "last is \($all[-1].type), not summary" else empty end),
  ($all[] | . as $r
	| if $records[.type] then wrong_fields($records[.type]; $r)
	  elif known[.type] then (known[.type] - keys)[] | "\($r.type): \(.) is missing"
	  else "unknown record \(.type)" end)
