# SPDX-License-Identifier: GPL-2.0-or-later
# Fails, and says which, where one of the names and figures of the first file (figures.jq) is not in the second. A figure may
# stand there in another unit, and rounded.

FILENAME == ARGV[1] {
	want[$2] = $1
	next
}

{
	text = text "\n" $0
	n = split($0, word, /[^0-9.]+/)
	for (i = 1; i <= n; i++)
		seen[word[i]] = 1
}

# Is this number among those of the output, as it is or rounded?
function shows(number,    decimals) {
	for (decimals = 0; decimals <= 2; decimals++)
		if (sprintf("%.*f", decimals, number) in seen)
			return 1
	return 0
}

END {
	for (what in want) {
		if (want[what] == "name" ? index(text, what) : shows(what) || shows(what / 1e3) || shows(what / 1e6) || shows(what / 1e9))
			continue
		print "not in it: " want[what] " " what
		bad = 1
	}
	exit bad
}
