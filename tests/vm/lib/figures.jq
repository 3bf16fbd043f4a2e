# SPDX-License-Identifier: GPL-2.0-or-later
# What the output of a finding's command has to hold: "name WORD" of those in its sentence that the command does not select, and
# "figure NS" or "figure COUNT" of its main one.

.command as $command | .text as $text
| ([.dev, .op, .comm] + [.with[]? | .dev, .op, .comm] | unique | .[] | values | select(inside($text) and (inside($command) | not)) | "name \(.)"),
(.figures | first(.p50_ns, .lat_ns, .tail_ns, .wait_ns, .count, .timeouts, .resets, .retried, .share_pct | values)
	| "figure \(.)")
