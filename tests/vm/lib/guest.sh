# SPDX-License-Identifier: GPL-2.0-or-later
# Helpers for guest() of a test. OUT is the test's directory: what is put there lands in the results.
# shellcheck shell=bash

. "$VM/lib/drives.sh"
