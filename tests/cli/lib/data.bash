# SPDX-License-Identifier: GPL-2.0-or-later
# For bats: where the recordings are, a failure anywhere in a pipe is one, and each test has a file to write to.

# shellcheck disable=SC2034 # of whoever loads this
DATA=$BATS_TEST_DIRNAME/../data

setup()
{
	set -o pipefail
	out=$BATS_TEST_TMPDIR/out
}

# replay COMMAND FILE: the words to replay a recording by
replay()
{
	case $1 in
	inflight) echo "-i $2 --at 1999us" ;;
	record) echo "-i $2 -w $out.nvt" ;;
	export) echo "-i $2 -f blktrace -w $out.blktrace.0" ;;
	metrics) echo "-i $2 -w $out.prom" ;;
	*) echo "-i $2" ;;
	esac
}
