# SPDX-License-Identifier: GPL-2.0-or-later
# The table of rates. Input: KIND and 0 or 1 for sick, found, right, innocent, beside, false, broken. Fails, with `strict`,
# where a threshold of tests/model/README.md is missed: so many in a hundred, rounded up, and of those not right one more.

function percent(part, all) { return all ? sprintf("%.1f %%", 100 * part / all) : "-" }
function most(share, all) { return int(share * all) + (share * all > int(share * all)) }
function line(kind, n, sick) {
	printf "%-20s %5d %7s %7s %9d %7s %7s\n", kind, n, sick ? found[kind] : "", sick ? right[kind] : "",
		innocent[kind], sick ? beside[kind] : "", sick ? "" : wrong[kind]
}

BEGIN { FS = "\t" }
{
	n[$1]++; sick[$1] = $2; found[$1] += $3; right[$1] += $4; innocent[$1] += $5
	beside[$1] += $6; wrong[$1] += $7; broken += $8
	if ($2) ill++; else well++
	f += $3; r += $4; i += $5; b += $6; w += $7
}
END {
	printf "%-20s %5s %7s %7s %9s %7s %7s\n", "kind", "made", "found", "right", "innocents", "beside", "false"
	kinds = split(order, kind, "\n")
	for (k = 1; k <= kinds; k++)
		if (n[kind[k]])
			line(kind[k], n[kind[k]], sick[kind[k]])
	printf "%d sick: %d found (%s), %d right (%s), %d with something else as well\n", ill, f, percent(f, ill), r, percent(r, ill), b
	printf "%d healthy: %d false (%s)\n", well, w, percent(w, well)
	printf "%d recordings: %d with innocents named (%s), %d reports failed\n", NR, i, percent(i, NR), broken
	if (strict)
		exit ill - r > most(0.05, ill) + 1 || i > most(0.01, NR) || w > most(0.02, well) || broken > 0
}
