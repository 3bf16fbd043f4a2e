# SPDX-License-Identifier: GPL-2.0-or-later
# For bats: where the recordings are, a failure anywhere in a pipe is one, and each test has a file to write to.

# shellcheck disable=SC2034 # of whoever loads this
DATA=$BATS_TEST_DIRNAME/../data

setup()
{
	set -o pipefail
	out=$BATS_TEST_TMPDIR/out
}
