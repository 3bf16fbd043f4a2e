# SPDX-License-Identifier: GPL-2.0-or-later
# Helpers for host() of a test. OUT is the test's directory with what guest() left there, LAB that of the boot.
# shellcheck shell=bash

# drive_log FROM TO [--admin|--all]: what the drives saw between two marks, into $OUT/drive.ndjson
drive_log()
{
	"$VM/qemulog" --from "$1" --to "$2" "${@:3}" "$LAB/qemu.log" >"$OUT/drive.ndjson"
}
