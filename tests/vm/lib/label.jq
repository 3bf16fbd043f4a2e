# SPDX-License-Identifier: GPL-2.0-or-later
# The label of a recording, as tests/model/judge.jq wants it: from a row of LABELS (causes.sh), the episode, and what the process
# that waits measured itself. $drives: lines "ID NSID CTRL PATH DISK BACKEND"; $meta, $summary: of the recording; $samples: [MS, US].

def list: if . == "-" then [] else split(",") end;
def median: sort | if length == 0 then null else .[length / 2 | floor] end;
def mean: if length == 0 then null else add / length | round end;
def ratio($a; $b): if $a == null or ($b // 0) == 0 then null else $a / $b * 10 | round / 10 end;

($drives | split("\n") | map(select(. != "") | split(" ") | {key: "\(.[0]):\(.[1])", value: .[4]}) | from_entries) as $disk
| (if $dev == "-" then [$disk[]] else [$disk[$dev]] end) as $devs
| $meta.time_ns as $begin | ($begin + $summary.duration_ns) as $until
| ($episode | if . then map(. * 1e6) else [$begin, $until] end) as [$from, $to]
| ($samples | map(select(.[0] * 1e6 >= $from and .[0] * 1e6 <= $to)[1])) as $during
| ($samples | map(select(.[0] * 1e6 < $from or .[0] * 1e6 > $to)[1])) as $rest
| {
	seed: $name, kind: $name,
	# Where `-` is among the kinds, nothing has to be found, and the others may be
	kinds: ($kinds | list | map(select(. != "-"))), sick: ($kinds | split(",") | index(["-"]) | not),
	victims: [$devs[] as $d | ($op | if . == "-" then "read", "write", "flush" else . end) as $o
		| ($waiting | list[] | sub("/\\*$"; "/\($d)-8"))
		| {dev: $d, op: $o, comm: ., was_us: ($rest | mean), mean_us: ($during | mean), hits: ($during | length), n: ($samples | length)}],
	culprits: [$disk[] as $d | ("\($causing),\($beside)" | split(",")[] | select(. != "-" and (startswith("admin:") | not)))
		| {dev: $d} + if endswith("*") then {comm: null, owner: rtrimstr("*")} else {comm: ., owner: ""} end],
	events: [], event_op: ($causing | ltrimstr("admin:")), event_needed: ($causing | startswith("admin:")),
	any_device: ($dev == "-"), may_be_silent: ($causing == "-"),
	begin_ns: $begin, end_ns: $until, from_ns: $from, to_ns: $to,
	observed: {
		from_s: (($from - $begin) / 1e6 | round / 1000), to_s: (($to - $begin) / 1e6 | round / 1000),
		median_us: ($rest | median), during_median_us: ($during | median), max_us: ($samples | map(.[1]) | max),
		times: ratio($during | mean; $rest | mean)
	}
}
