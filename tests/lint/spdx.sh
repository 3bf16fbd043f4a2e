#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every source names its licence in its first lines: bpf/ and *.bpf.c (GPL-2.0-only OR BSD-2-Clause), all else
# GPL-2.0-or-later.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. tests/lint/files.sh

status=0
while read -r file; do
	case $file in
	LICENSE | *.md | tests/data/* | tests/fuzz/corpus/* | *.nvt | *.json | *.txt) continue ;;
	bpf/* | *.bpf.c) wanted='(GPL-2.0-only OR BSD-2-Clause)' ;;
	*) wanted=GPL-2.0-or-later ;;
	esac
	head -n 3 "$file" | grep -qF "SPDX-License-Identifier: $wanted" || {
		echo "$file: no 'SPDX-License-Identifier: $wanted' in its first lines"
		status=1
	}
done < <(files)
exit "$status"
