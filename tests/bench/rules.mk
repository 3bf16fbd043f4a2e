# SPDX-License-Identifier: GPL-2.0-or-later
# make bench: what tracing adds to an I/O, and what a start takes, counted in guests; what printing takes, natively.
# span runs in the guest with the libraries of this machine.

$O/bench/span: $H/tests/bench/span.o
	$(call say,LINK)
	@mkdir -p $(@D)
	$Q$(HOSTCC) -o $@ $^ $(HOST_LIBS)

$O/bench/span.bpf.o: tests/bench/span.bpf.c $(wildcard bpf/*.[ch] bpf/shared/*) | $(DEPS)/.headers
	$(call say,BPF)
	@mkdir -p $(@D)
	$Q$(CLANG) $(BPF_CFLAGS) -c -o $@ $<

# nvmetool on events that no drive sent, and what makes them: see flood.c. Its objects are made as those of the commands:
# the kernel refuses numbers of source lines that point to instructions which nvmetool has taken out.
FLOOD_BPF := $(addprefix $O/bench/,flood.bpf.o flood_latency.bpf.o)
FLOOD := $(addprefix $O/bench/,nvmetool-flood flood_load) $(FLOOD_BPF)
$O/bench/%.whole.o: tests/bench/%.bpf.c tests/bench/flood.h tests/bench/flood_queue.bpf.h $(wildcard bpf/*.[ch] bpf/shared/*) | $(DEPS)/.headers
	$(call say,BPF)
	@mkdir -p $(@D)
	$Q$(CLANG) $(BPF_CFLAGS) -c -o $@ $< && llvm-strip -g $@

$(FLOOD_BPF): $O/bench/%.bpf.o: $O/bench/%.whole.o embed/slim.sh
	$(call say,SLIM)
	$Qembed/slim.sh $< $@

$O/bench/nvmetool-flood: $(SRC:%.c=$O/obj/%.o) $O/obj/tests/bench/flood.o $O/obj/tests/vm/object.o $(DEPS_LIBS)
	$(call say,LINK)
	@mkdir -p $(@D)
	$Q$(MUSL_CC) $(MUSL_LDFLAGS) $(DEPS_LDFLAGS) -Wl,--wrap=embed_bpf,--wrap=probe_before -o $@ $^

$O/bench/flood_load: $O/obj/tests/bench/flood_load.o $O/obj/lib/base/clock.o $O/obj/lib/base/units.o
	$(call say,LINK)
	@mkdir -p $(@D)
	$Q$(MUSL_CC) $(MUSL_LDFLAGS) -o $@ $^

bench: all $O/bench/span $O/bench/span.bpf.o $(FLOOD) | tools-test tools-vm tools-bench
	$Qtests/bench/run.sh
	$Qtests/bench/start.sh
	$Qtests/bench/walk.sh
	$Qtests/bench/rate.sh
	$Qtests/bench/replay.sh
	$Qtests/bench/probes.sh
.PHONY: bench
