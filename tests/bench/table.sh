# SPDX-License-Identifier: GPL-2.0-or-later
# Shared by the tables of guests; read by run.sh, start.sh and walk.sh.
# shellcheck shell=bash

# table HEAD KERNEL...: lines of "KERNEL<tab>ROW<tab>CELL" to a line for each row, a column for each kernel
table()
{
	local head=$1

	shift
	awk -F '\t' -v head="$head" -v kernels="$*" '
	!($2 in seen) { seen[$2] = 1; rows[++n] = $2 }
	{ cell[$2, $1] = $3 }
	END {
		m = split(kernels, kernel, " ")
		printf "%-36s", head
		for (k = 1; k <= m; k++) printf " %9s", kernel[k]
		for (i = 1; i <= n; i++) {
			printf "\n%-36s", rows[i]
			for (k = 1; k <= m; k++) printf " %9s", cell[rows[i], kernel[k]]
		}
		print ""
	}'
}

# guest_or_kernels ARG...: in the guest, where the argument is `guest`, runs guest() and ends; else sets KERNELS to those
# of -k
guest_or_kernels()
{
	local option OPTIND=1

	if [ "${1:-}" = guest ]; then
		guest
		exit
	fi
	KERNELS=()
	while getopts k: option; do
		case $option in
		k) KERNELS+=("$OPTARG") ;;
		*) sed -n 's/^# \?//; /^usage/p' "$0" >&2 && exit 2 ;;
		esac
	done
	[ ${#KERNELS[@]} -gt 0 ] || KERNELS=(6.1 6.12)
}
