# SPDX-License-Identifier: GPL-2.0-or-later
# What the tables of guests have in common; read by run.sh and start.sh.
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
