# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that read with types take a request's disk from where kernels before 5.15 have it: the verifier of such a
# kernel accepts them. See rq_disk.c.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=one
kernels='5.10'
plan=1

guest()
{
	check "the verifier accepts them" "$VM/../../build/guest/rq_disk" "$VM/../../build/bpf"/{trace,errors}.slim.o
}
