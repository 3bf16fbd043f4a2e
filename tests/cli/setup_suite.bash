# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Without a program to test some checks would hold of nothing.

setup_suite()
{
	[ -x "${NVMETOOL:-}" ] || { echo "error: no program to test: NVMETOOL is '${NVMETOOL:-}'; use make cli" >&2 && return 1; }
}
