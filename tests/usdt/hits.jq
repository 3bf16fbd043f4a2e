# SPDX-License-Identifier: GPL-2.0-or-later
# Of the JSON of spdk the hits as tests/usdt/probes.c logs them: probes and arguments, without the words of numbers.
select(.type == "spdk") | {probe, args: (.args | with_entries(select(.key | endswith("_name") | not)))}
