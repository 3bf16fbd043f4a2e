# SPDX-License-Identifier: GPL-2.0-or-later
# Sixty thousand commands at the highest rate that the guest can do.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

kernels='6.1 6.12 6.18'
topology=roomy
plan=4

COMMANDS=60000
MARK=185
. "$VM/lib/size.sh"
