#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every source names its licence in its first lines: bpf/ and *.bpf.c (GPL-2.0-only OR BSD-2-Clause), all else
# GPL-2.0-or-later.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. tests/lint/files.sh

# lacks LICENCE: names of files on standard input that do not name it in their first three lines
lacks()
{
	xargs -r -d '\n' awk -v wanted="SPDX-License-Identifier: $1" '
		FNR == 1 && NR > 1 && !found { print last ": no \"" wanted "\" in its first lines" }
		FNR == 1 { found = 0; last = FILENAME }
		index($0, wanted) { found = 1 }
		FNR == 3 { nextfile }
		END { if (!found) print last ": no \"" wanted "\" in its first lines" }'
}

others()
{
	files | grep -vE '^LICENSE$|^tests/data/|^tests/fuzz/corpus/|\.(md|nvt|json|txt)$' | while read -r file; do
		[ ! -s "$file" ] || echo "$file"
	done
}

said=$(
	others | grep -E '^bpf/|\.bpf\.c$' | lacks '(GPL-2.0-only OR BSD-2-Clause)'
	others | grep -vE '^bpf/|\.bpf\.c$' | lacks GPL-2.0-or-later
)
[ -z "$said" ] || { echo "$said" && exit 1; }
