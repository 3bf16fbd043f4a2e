# SPDX-License-Identifier: GPL-2.0-or-later
# Judges findings by labels: one object for each recording. Input: the labels of tests/model/model.c. $said: objects
# {seed, type, ...}: the findings of each recording in their order, and {seed, type: "status", status} of its report.

def seconds: . / 1e9;

# A finding that blames who it is about: there `comm` is the one who does it. Elsewhere it is who waits.
def blames: .kind | IN("flush-load", "discards", "writeback", "misaligned");

# What needs no time, as it sums up the whole recording; errors have those of the first and last that were kept.
def of_all_time:
    (.kind | IN("errors", "lost")) or
    ((.kind | IN("flush-load", "discards", "writeback", "queue-wait")) and .from_ns == null and .to_ns == null);

# A process is a culprit of $truth: by its name, or for writeback by the last part of its owner's path.
def culprit($truth): .comm as $comm | .dev as $dev | any($truth.culprits[];
    ($dev == null or .dev == $dev) and
    (.owner | split("/") | last // "" | rtrimstr(".service") | rtrimstr(".scope")) as $owner |
    (.comm == $comm or ($owner != "" and ($comm | contains($owner)))));

# Swapping is done by kswapd0, whose pages it may be.
def doer($text): (.comm // empty) as $comm | if $text | contains("swapping (\($comm))") then "kswapd0" else $comm end;

# All that is to blame by what it says: processes, with the device of their load.
def blamed: .text as $text |
    [(.with[]? | select(.event == null)), select(blames)] | map({comm: doer($text), dev});
def events: [.with[]? | select(.event != null) | .event + (if .event == "admin" then " " + (.op // "") else "" end)];

# What else than a process is to blame: an admin command by its name, a scheduler.
def event_true($truth): IN($truth.events[]) or . == "admin " + $truth.event_op;

def above_low: .severity != "low";
def accuses_innocent($truth):
    any(blamed[]; culprit($truth) | not) or any(events[]; event_true($truth) | not);

# Device, opcode and process are among those that waited; or the device is that of who is blamed. A controller stands for its
# namespaces.
def victim_right($truth):
    (if blames then $truth.culprits else $truth.victims end) as $who |
    ($truth.any_device or (.dev as $dev | any($who[]; .dev == $dev or (.dev | startswith(($dev // "?") + "n"))))) and
    (blames or .kind == "errors" or .kind == "lost" or
     ((.op as $op | $op == null or any($truth.victims[]; .op == $op)) and
      (.comm as $comm | $comm == null or any($truth.victims[]; .comm == $comm))));

# The times overlap by half of what either of them covers, or both edges lie half a second apart at most. Some findings have
# none, as has one of which the recording does not tell the device.
def time_right($truth):
    (.from_ns // $truth.begin_ns) as $from | (.to_ns // $truth.end_ns) as $to |
    (([$to, $truth.to_ns] | min) - ([$from, $truth.from_ns] | max)) as $both |
    (([$to, $truth.to_ns] | max) - ([$from, $truth.from_ns] | min)) as $either |
    $truth.any_device or of_all_time or $both >= 0.5 * $either or
    (($from - $truth.from_ns | fabs) <= 5e8 and ($to - $truth.to_ns | fabs) <= 5e8);

def found($truth): (.kind | IN($truth.kinds[])) and victim_right($truth) and time_right($truth);

# Whom it names: nobody but culprits, and one at least if there are any and they can be known.
def culprit_right($truth):
    . as $f | blamed as $names | events as $events |
    all($names[]; culprit($truth)) and all($events[]; event_true($truth)) and
    (($truth.event_needed | not) or ($events | length) > 0) and
    ($truth.may_be_silent or ($truth.culprits | length) == 0 or ($names | length) > 0);

($said | group_by(.seed) | map({key: (.[0].seed | tostring), value: .}) | from_entries) as $of |
. as $truth |
($of[.seed | tostring] // []) as $all |
[$all[] | select(.type == "finding")] as $findings |
[$findings[:2][] | select(found($truth))] as $found |
{
    seed, kind, sick,
    broken: (all($all[]; .type != "status" or .status != 0)),
    found: (.sick and ($found | length) > 0),
    right: (.sick and any($found[]; culprit_right($truth))),
    innocent: any($findings[]; above_low and accuses_innocent($truth)),
    beside: (.sick and any($findings[]; above_low and (found($truth) | not))),
    false: ((.sick | not) and any($findings[]; above_low)),
    truth: (if .sick then
        "\(.kinds | join("/")) of \([.victims[] | "\(.dev) \(.op) \(.comm) \(.was_us) to \(.mean_us) us (\(.hits)/\(.n))"] | unique | join(", ")), " +
        "\(.from_ns - .begin_ns | seconds * 100 | round / 100) to \(.to_ns - .begin_ns | seconds * 100 | round / 100) of \(.end_ns - .begin_ns | seconds * 100 | round / 100) s, by \([.culprits[].comm] | join(" ") | if . == "" then "nobody" else . end)"
        else "healthy" end),
    said: [$findings[] | "\(.severity) \(.kind): \(.text) [\((.from_ns // $truth.begin_ns) - $truth.begin_ns | seconds * 100 | round / 100) to \((.to_ns // $truth.end_ns) - $truth.begin_ns | seconds * 100 | round / 100)]"]
}
