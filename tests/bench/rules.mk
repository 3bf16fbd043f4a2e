# SPDX-License-Identifier: GPL-2.0-or-later
# make bench: what tracing adds to an I/O, counted in guests. span runs in the guest with the libraries of this machine.

$O/bench/span: $H/tests/bench/span.o
	$(call say,LINK)
	@mkdir -p $(@D)
	$Q$(HOSTCC) -o $@ $^ $(HOST_LIBS)

$O/bench/span.bpf.o: tests/bench/span.bpf.c | $(DEPS)/.headers
	$(call say,BPF)
	@mkdir -p $(@D)
	$Q$(CLANG) $(BPF_CFLAGS) -c -o $@ $<

bench: all $O/bench/span $O/bench/span.bpf.o | tools-test tools-vm tools-bench
	$Qtests/bench/run.sh
.PHONY: bench
