# SPDX-License-Identifier: GPL-2.0-or-later
# BPF objects and completion scripts for embed.c, as two lists: $O/embed.def has BLOB(kind, name, file) for each file
# carried, $O/objects.def OBJECT(name, ...) for each BPF object in $O/objects.lzma.
#
# A new bpf/x.bpf.c or completion script needs no edit here.

SHELLS := $(sort $(patsubst completion/nvmetool.%,%,$(wildcard completion/nvmetool.*)))
BLOBS  := $O/objects.lzma $(SHELLS:%=completion/nvmetool.%)

BPF_ARCH   := $(patsubst x86_64,x86,$(patsubst aarch64,arm64,$(ARCH)))
# No header of the machine's C library: kernel headers, libbpf's and clang's own.
BPF_CFLAGS := -target bpf -mcpu=v3 -O2 -g -fdebug-compilation-dir=. -std=gnu11 -nostdlibinc -iquote . \
	-D__TARGET_ARCH_$(BPF_ARCH) $(DEPS_CFLAGS) -Wall -Wextra -Wno-unused-parameter $(if $(WERROR),-Werror)

$O/bpf/%.bpf.o: bpf/%.bpf.c embed/rules.mk | $(DEPS)/.headers
	$(call say,BPF)
	@mkdir -p $(@D)
	$Q$(CLANG) $(BPF_CFLAGS) -MMD -MP -c -o $@ $< && llvm-strip -g $@

$O/bpf/%.slim.o: $O/bpf/%.bpf.o embed/slim.sh
	$(call say,SLIM)
	$Qembed/slim.sh $< $@

# All in one, because they share most of their code and types: each after the first adds some 5 KB. Instructions have
# 8 bytes, hence pb and lp. What comes first is unpacked soonest, for some 30 instructions for each byte before: the more
# a start has to do beside, the earlier.
PACKED := trace stacks latency pattern $(filter-out trace stacks latency pattern,$(BPF))
$O/objects.lzma: $(PACKED:%=$O/bpf/%.slim.o) $O/embed.def embed/pack.sh
	$(call say,PACK)
	$Qembed/pack.sh $O/objects.def $(filter %.o,$^) >$O/objects && \
		xz --format=lzma --lzma1=preset=9e,lc=0,lp=3,pb=3,dict=1MiB -c $O/objects >$@

# Rewritten only when a blob comes or goes, so that the rest is not built anew.
$O/embed.def: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '/* $(BPF) */' 'BLOB(bpf, objects, "$O/objects.lzma")' \
		$(foreach s,$(SHELLS),'BLOB(completion, $s, "completion/nvmetool.$s")') >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
.PHONY: FORCE
.SECONDARY: $(BPF:%=$O/bpf/%.bpf.o) $(BPF:%=$O/bpf/%.slim.o)

-include $(BPF:%=$O/bpf/%.bpf.d)
