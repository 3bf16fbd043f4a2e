#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# clang's slow analyser over every source of user space. `make analyze` sets LINT_CFLAGS.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. tests/lint/files.sh

read -ra user <<<"$LINT_CFLAGS"
user_sources | xargs -P "$(nproc)" -I FILE "${CLANG:-clang}" "${user[@]}" --analyze --analyzer-output text \
	-Xclang -analyzer-werror FILE
