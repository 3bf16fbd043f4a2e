#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Prints the path of DuckDB's library, which the package of its node.js binding carries.
#
# usage: duckdb.sh
#
# The package is fetched once, into ${NVMETOOL_CACHE:-~/.cache/nvmetool}/duckdb; only then npm is needed, and installed
# where it is missing. Exit: 0 there it is, 4 it cannot be had and the test may be skipped, else 1.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PACKAGE=@duckdb/node-bindings-linux-x64@1.5.6-r.1
SHA256=1b9f82478539bb9a1d1df44bd103121a12ae52142c07158dc52b97d2ec1d69ff
CACHE=${NVMETOOL_CACHE:-$HOME/.cache/nvmetool}/duckdb

# die STATUS WHY
die()
{
	printf 'error: DuckDB: %s\n' "$2" >&2
	exit "$1"
}

# The archive of the package, in a directory made for it: of another content it is not kept.
fetch()
{
	local said

	"$HERE/../../lib/deps/tools.sh" npm || die 4 "no npm to fetch $PACKAGE with"
	said=$(cd "$1" && timeout 60 npm pack --loglevel=error --fetch-retries=0 --fetch-timeout=10000 "$PACKAGE" 2>&1) ||
		die 4 "npm gets no $PACKAGE from $(npm config get registry), which has 10 s to answer and 60 s in all: $(head -n 1 <<<"$said")"
	sha256sum --quiet --check - <<<"$SHA256  $1/${said##*$'\n'}" >&2 || die 1 "npm gave another $PACKAGE than the pinned one"
	tar -C "$1" -xzf "$1/${said##*$'\n'}" package/libduckdb.so
}

[ "$(uname -m)" = x86_64 ] || die 4 "$PACKAGE is not for $(uname -m)"
mkdir -p "$CACHE"
exec 9>"$CACHE/.lock"
flock 9
library=$CACHE/libduckdb-${SHA256::16}.so
if [ ! -e "$library" ]; then
	work=$(mktemp -d "$CACHE/.fetch.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	fetch "$work"
	mv "$work/package/libduckdb.so" "$library"
fi
echo "$library"
