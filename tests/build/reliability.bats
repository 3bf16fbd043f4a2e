#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/RELIABILITY.md names tests that are there.

@test "every row names words that stand in its file" {
	rows=0
	while IFS='|' read -r _ row _ file words _; do
		file=$(xargs <<<"$file")
		words=${words# }
		words=${words% }
		rows=$((rows + 1))
		grep -qF -- "$words" "$BATS_TEST_DIRNAME/../$file" || {
			echo "$row: '$words' is not in tests/$file"
			return 1
		}
		# A test of guests that only `run.sh -a` runs shows nothing to anybody.
		name=$(basename "$file" .sh)
		! grep -qs "^when='more'" "$BATS_TEST_DIRNAME/../vm/t/$name.sh" ||
			grep -q "soak) .* $name\( \|\$\)" "$BATS_TEST_DIRNAME/../run.sh" || {
			echo "$row: neither 'make test' nor 'make soak' runs tests/$file"
			return 1
		}
	done < <(grep -E '^\| [A-K][0-9]+ \|.*\|.*\|.*\|$' "$BATS_TEST_DIRNAME/../RELIABILITY.md" | awk -F '|' 'NF == 6')
	[ "$rows" -gt 50 ]
}

@test "every row of the catalogue that concerns a command is answered" {
	for row in A:18 B:5 C:12 D:10 E:17 F:8 G:6 H:5 I:8 K:10; do
		for ((i = 1; i <= ${row#*:}; i++)); do
			answered "${row%:*}" "$i" || {
				echo "${row%:*}$i has no row"
				return 1
			}
		done
	done
}

# answered LETTER NUMBER: alone, in a list, or in a range "F1 to F6"
answered()
{
	awk -F '|' -v letter="$1" -v number="$2" '
		/^\| [A-K][0-9]/ {
			n = split($2, part, ",")
			for (i = 1; i <= n; i++) {
				gsub(/ /, "", part[i])
				if (part[i] == letter number)
					found = 1
				if (split(part[i], range, "to") == 2 && substr(part[i], 1, 1) == letter &&
				    number >= substr(range[1], 2) + 0 && number <= substr(range[2], 2) + 0)
					found = 1
			}
		}
		END { exit !found }' "$BATS_TEST_DIRNAME/../RELIABILITY.md"
}
