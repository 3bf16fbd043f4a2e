#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every header compiles alone; those of bpf/ and *.bpf.h as BPF, behind the kernel's types, and where
# user space includes them there too. bpf/prog.h calls what each object defines.
# `make check-headers` sets LINT_CFLAGS and BPF_CFLAGS.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. tests/lint/files.sh

status=0
read -ra user <<<"$LINT_CFLAGS"
read -ra bpf <<<"$BPF_CFLAGS"

in_user_space()
{
	"${HOSTCC:-gcc}" "${user[@]}" -Wall -Wextra -Werror -fsyntax-only -x c -include "$1" /dev/null || status=1
}

while read -r header; do
	case $header in
	bpf/* | *.bpf.h)
		"${CLANG:-clang}" "${bpf[@]}" -Werror -Wno-undefined-internal -fsyntax-only -x c -include bpf/kern.h -include "$header" \
			/dev/null || status=1
		if user_sources | xargs grep -qF "#include \"$header\"" ||
			sources h | grep -vE '^bpf/|\.bpf\.h$' | xargs grep -qF "#include \"$header\""; then
			in_user_space "$header"
		fi
		;;
	*) in_user_space "$header" ;;
	esac
done < <(sources h)
exit "$status"
