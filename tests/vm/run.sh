#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Boots guests with emulated NVMe drives and runs the tests of tests/vm/t in them; prints TAP.
#
# usage: run.sh [-k KERNEL]... [-j N] [-a] [TEST...]     tests of t/, default: those of `make test`; -a: all
#        run.sh [-k KERNEL] [-t TOPOLOGY] -c COMMAND     one command (or `-c bash`) in a guest
#
# One boot serves all tests of a kernel and a topology. Results: build/vm/KERNEL-TOPOLOGY/ (VM_OUT= elsewhere).
set -euo pipefail

VM=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(cd "$VM/../.." && pwd)
VM_OUT=${VM_OUT:-$ROOT/build/vm}
NVMETOOL=${NVMETOOL:-$ROOT/build/nvmetool}
. "$VM/lib/topology.sh"
. "$VM/lib/boot.sh"
