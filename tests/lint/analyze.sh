#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The slow analysers over every source of user space: gcc -fanalyzer and clang's. `make analyze` sets LINT_CFLAGS.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. tests/lint/files.sh

read -ra user <<<"$LINT_CFLAGS"
status=0
user_sources | xargs -P "$(nproc)" -I FILE "${HOSTCC:-gcc}" "${user[@]}" -O2 -Wall -Werror -fanalyzer \
	-c -o /dev/null FILE || status=1
user_sources | xargs -P "$(nproc)" -I FILE "${CLANG:-clang}" "${user[@]}" --analyze --analyzer-output text \
	-Xclang -analyzer-werror FILE || status=1
exit "$status"
