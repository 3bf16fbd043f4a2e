# SPDX-License-Identifier: GPL-2.0-or-later
# One million commands at the highest rate that four CPUs can send and a fifth, for trace, can print: under emulation a
# command costs its CPU but four times what its line of JSON takes.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=roomy
kernels='6.1 6.12 6.18'
plan=4
seconds=290

COMMANDS=1000000
MARK=187
. "$VM/lib/size.sh"
