# SPDX-License-Identifier: GPL-2.0-or-later
# Admin commands of nvme-cli: equal to the drive's log, decoded, and with the results that nvme-cli got; an
# asynchronous event, which no command stands for, is seen with --aer.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=one
test='6.1'
plan=15
seconds=9

. "$VM/lib/account.sh"

# The temperature threshold below the temperature: one event, once temperature events are asked for; the bits of
# the driver's own events stay.
provoke_event()
{
	local config threshold

	config=$(nvme get-feature "$ctrl" -f 0xb | sed 's/.*value://')
	threshold=$(nvme get-feature "$ctrl" -f 4 | sed 's/.*value://')
	nvme set-feature "$ctrl" -f 0xb --value=$((config | 2))
	nvme set-feature "$ctrl" -f 4 --value=200
	until grep -q '"type":"aer"' "$OUT/all.out"; do
		sleep 0.02
	done
	nvme set-feature "$ctrl" -f 4 --value="$threshold"
	nvme set-feature "$ctrl" -f 0xb --value="$config"
	nvme smart-log "$ctrl"
	echo "$((config)) $((threshold))" >"$OUT/values"
}

guest()
{
	local disk ctrl

	disk=$(disk_of lab0 1) ctrl=/dev/$(ctrl_of lab0)
	attached all "$NVMETOOL" trace --json --aer
	attached raw "$NVMETOOL" trace --json --aer --attach raw_tp
	attached identify "$NVMETOOL" trace --json -O identify,get-log
	attached histogram "$NVMETOOL" latency --json -A
	attached namespaces "$NVMETOOL" latency --json -A --by ns,opcode
	mark "$disk" 121
	nvme admin-passthru "$ctrl" --opcode=6 --cdw10=1 --data-len=4096 --read >"$OUT/nvme"
	nvme admin-passthru "$ctrl" --opcode=6 --namespace-id=1 --data-len=4096 --read >"$OUT/nvme"
	nvme get-log "$ctrl" --log-id=2 --log-len=512 --rae >"$OUT/nvme"
	nvme get-log "$ctrl" --log-id=1 --log-len=64 --lsp=1 >"$OUT/nvme"
	nvme get-feature "$ctrl" -f 7 -s 1 >"$OUT/queues"
	provoke_event
	check "an unknown command fails" fails nvme admin-passthru "$ctrl" --opcode=0xc1 --cdw10=0x11 --cdw15=0x99
	mark "$disk" 122
	detach all
	check_eq "trace ends well" "$status $(told "$OUT/all.err")" "0 "
	detach raw
	detach identify
	detach histogram
	detach namespaces
}

# decoded FILE OP: its fields as "fid=7 sel=1 ...", one line per command
decoded()
{
	jq -r --arg op "$2" 'select(.op == $op).fields | to_entries | map("\(.key)=\(.value)") | join(" ")' "$1"
}

# essence FILE: what does not depend on the moment
essence()
{
	jq -c 'select(.type == "io" or .type == "aer") | [.type, .ctrl, .opcode, .cid, .fields, .status, .result]' "$1"
}

host()
{
	local config threshold

	read -r config threshold <"$OUT/values"
	drive_log 121 122 --admin
	# The commands by which the driver asks for events have no request, so the kernel does not count them as commands.
	jq -c 'select(.opcode != 12)' "$OUT/drive.ndjson" >"$OUT/commands.ndjson"
	check "trace equals the drive's admin log" "$VM/compare" --admin --from 121 --to 122 \
		"$OUT/commands.ndjson" "$OUT/all.out"
	check_eq "latency counts the same" \
		"$(jq -r 'select(.type == "latency" and .admin) | "\(.opcode) \(.count)"' "$OUT/histogram.out" | sort)" \
		"$(jq .opcode "$OUT/commands.ndjson" | sort | uniq -c | awk '{ print $2, $1 }' | sort)"
	check_eq "by namespace it counts what trace shows" \
		"$(jq -r 'select(.type == "latency") | "\(.nsid) \(.op) \(.count)"' "$OUT/namespaces.out" | sort)" \
		"$(jq -r 'select(.type == "io") | "\(.nsid) \(.op)"' "$OUT/all.out" | sort | uniq -c |
			awk '{ print $2, $3, $1 }' | sort)"
	check_eq "the raw tracepoints show the same" "$(essence "$OUT/raw.out")" "$(essence "$OUT/all.out")"
	check_eq "-O identify,get-log is a part of it" "$(jq -c 'select(.type == "io") | [.opcode, .cid, .fields]' \
		"$OUT/identify.out")" "$(jq -c 'select(.op == "identify" or .op == "get-log") | [.opcode, .cid, .fields]' \
		"$OUT/all.out")"
	check_decoding
	check_aer
	check "the account" nothing_lost "$OUT/all.out"
}

check_decoding()
{
	local all=$OUT/all.out

	check_eq "identify" "$(jq -c 'select(.op == "identify") | [.nsid, .bytes, .fields.cns]' "$all" | xargs)" \
		"[0,4096,1] [1,4096,0]"
	check_eq "log pages" "$(jq -c 'select(.op == "get-log") |
		[.bytes, .fields.lid, .fields.lsp, .fields.rae, .fields.numd]' "$all" | xargs)" \
		"[512,2,0,1,128] [64,1,1,0,16] [512,2,0,0,128]"
	check_eq "features read, with their values" "$(jq -r 'select(.op == "get-features") |
		"\(.fields.fid)/\(.fields.sel)=\(.result)"' "$all" | xargs)" \
		"7/1=$(sed 's/.*value:0*x0*/0x/' "$OUT/queues") $(printf '11/0=0x%x 4/0=0x%x' "$config" "$threshold")"
	check_eq "features written" "$(jq -r 'select(.op == "set-features") |
		"\(.fields.fid)=\(.fields.cdw11)"' "$all" | xargs)" "11=$((config | 2)) 4=200 4=$threshold 11=$config"
	check_eq "an unknown command" "$(jq -c 'select(.opcode == 193) |
		[.op, .status, .sct, .sc, .dnr, .cdw10_15[:8], .cdw10_15[-8:]]' "$all")" \
		'["0xc1",16385,0,1,true,"00000011","00000099"]'
}

# Result 0x20101: an event of type 1 (SMART), information 1 (temperature), log page 2.
check_aer()
{
	check_eq "the event" "$(jq -c 'select(.type == "aer") | [.ctrl, .result, .aen_type, .aen_info, .aen_lid]' \
		"$OUT/all.out")" "[\"$(awk '{ print $3 }' "$LAB/drives")\",\"0x20101\",1,1,2]"
	check "without --aer it is not shown" without '"type":"aer"' "$OUT/identify.out"
}
