#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Rules of the house that a search can hold: each names what is forbidden, where, and what to use instead.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. tests/lint/files.sh

status=0

# forbid WHY PATTERN FILE...: lines of the files must not match the Perl pattern. Comments are looked at too.
forbid()
{
	local why=$1 pattern=$2 found

	shift 2
	[ $# -gt 0 ] || return 0
	found=$(grep -HnP -e "$pattern" -- "$@") || return 0
	sed "s|\$|    <- $why|" <<<"$found"
	status=1
}

mapfile -t commands < <(sources c h | grep '^cmd/')
mapfile -t library < <(sources c h | grep -E '^(cmd|lib|embed)/')
mapfile -t c < <(sources c h)
mapfile -t bpf < <(sources c h | grep '^bpf/')
mapfile -t scripts < <(shells)
mapfile -t bats < <(sources bats)
mapfile -t text < <(files | grep -v '^LICENSE$' | xargs -d '\n' grep -lI '')

forbid 'a command gives callbacks; BPF is the business of lib/loader' '#include <bpf/(bpf|libbpf)\.h>' "${commands[@]}"
forbid 'results go through out_row()' '\b(v?printf|puts|putchar|dprintf) *\(|\bf(printf|puts|putc|write) *\(.*\bstd(out|err)\b' \
	"${commands[@]}"
forbid 'use snprintf, streq and parsers that check' \
	'\b(strcpy|strcat|strncpy|strncat|v?sprintf|strtok|ato[ifl]|atoll|gets|alloca|system|popen|mktemp|tmpnam) *\(' \
	"${library[@]}"
forbid 'lib/base/units.h reads numbers' '\bstrto(d|f|ld) *\(' "${library[@]}"
forbid 'musl has neither' '#include <(argp|error|fts|obstack|execinfo)\.h>' "${c[@]}"
forbid 'name the struct' '^\s*typedef (struct|union|enum)\b' "${c[@]}"
forbid 'finish it' '\b(TO[D]O|FI[X]ME|X{3}|HA[C]K)\b' "${c[@]}" "${scripts[@]}"
forbid 'say why: NOLINT...(check): reason' 'NOLINT(?!END)(?![A-Z]*\([a-zA-Z0-9.,*-]+\): \S)' "${c[@]}"
forbid 'say why: shellcheck disable=SC1234 # reason' 'shellcheck disable=[A-Z0-9,]+\s*$' "${scripts[@]}"
forbid 'a path of somebody'\''s machine' '(?<![\w.])/(home|root)/[a-z]' "${text[@]}"
forbid 'white space at the end' '[ \t]+$' "${text[@]}"

forbid 'the tags are all and native, see tests/README.md: of another name, or misspelt, it has no effect' \
	'^\s*#\s*bats\s+(?!(test|file)_tags=(all|native)$)' "${bats[@]}"

# Slow or unstable hooks need a comment on the line before that says why nothing better serves.
unexplained=$(awk 'FNR == 1 { before = "" }
	/SEC\("(kprobe|kretprobe|tp|tracepoint)\// && before !~ /\*\/|\/\// { print FILENAME ":" FNR ": " $0 }
	{ before = $0 }' "${bpf[@]}" /dev/null)
[ -z "$unexplained" ] || {
	sed 's|$|    <- say in the line before why no raw tracepoint serves|' <<<"$unexplained"
	status=1
}

# In a test that goes on after it, bash ignores that A of `A && B` fails, and that `! A` does.
ignored=$(awk 'FNR == 1 { line = "" }
	line && NF && $1 !~ /^#/ { if ($1 !~ /^}/) print line; line = "" }
	{ bare = $0; gsub(/\47[^\47]*(\47|$)|"[^"]*"|\[\[ [^]]*\]\]/, "", bare); while (sub(/\([^()]*\)/, "", bare)); }
	bare ~ /^\t+(! |[^({]* && *(\[|\(\(|[a-z_]+( |$)))/ && bare !~ /^\t+(if|while|until|for|local) |\|\|/ &&
		bare !~ /&& *(continue|break|return|skip|false|echo)/ { line = FILENAME ":" FNR ": " $0 }' \
	"${bats[@]}" /dev/null)
[ -z "$ignored" ] || {
	sed 's|$|    <- two lines; or: run -1 A|' <<<"$ignored"
	status=1
}

# A name that is looked for is that of one file.
twice=$(printf '%s\n' "${library[@]}" | sed 's|.*/||' | sort | uniq -d)
[ -z "$twice" ] || {
	sed 's|$|    <- two files have this name, say what each is of|' <<<"$twice"
	status=1
}
exit "$status"
