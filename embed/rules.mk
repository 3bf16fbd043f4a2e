# SPDX-License-Identifier: GPL-2.0-or-later
# BPF objects, completion scripts, styles and texts for embed.c: $O/embed.def has BLOB(kind, name, file) for each file carried.
#
# A new bpf/x.bpf.c, completion script, cmd/NAME/x.css or cmd/help/x.md needs no edit here.

SHELLS := $(sort $(patsubst completion/nvmetool.%,%,$(wildcard completion/nvmetool.*)))
STYLES := $(sort $(wildcard cmd/*/*.css))
TOPICS := $(sort $(wildcard cmd/help/*.md))
BLOBS  := $(BPF:%=$O/bpf/%.gz) $(SHELLS:%=completion/nvmetool.%) $(STYLES:%=$O/%.gz) $(TOPICS)

BPF_ARCH   := $(patsubst x86_64,x86,$(patsubst aarch64,arm64,$(ARCH)))
# No header of the machine's C library: kernel headers, libbpf's and clang's own. In a directory that is not there clang
# finds no source lines to copy into the BTF.
BPF_CFLAGS := -target bpf -mcpu=v3 -O2 -g -fdebug-compilation-dir=/nvmetool -std=gnu11 -nostdlibinc -iquote . \
	-D__TARGET_ARCH_$(BPF_ARCH) $(DEPS_CFLAGS) -Wall -Wextra -Wno-unused-parameter $(if $(WERROR),-Werror)

$O/bpf/%.bpf.o: bpf/%.bpf.c embed/rules.mk | $(DEPS)/.headers
	$(call say,BPF)
	@mkdir -p $(@D)
	$Q$(CLANG) $(BPF_CFLAGS) -MMD -MP -c -o $@ $< && llvm-strip -g $@

$O/bpf/%.slim.o: $O/bpf/%.bpf.o embed/slim.sh
	$(call say,SLIM)
	$Qembed/slim.sh $< $@

# zlib, which is linked already, unpacks it.
$O/bpf/%.gz: $O/bpf/%.slim.o
	$(call say,GZIP)
	$Qgzip -9 -n -c $< >$@

$O/%.css.gz: %.css
	$(call say,GZIP)
	@mkdir -p $(@D)
	$Qgzip -9 -n -c $< >$@

# Rewritten only when a blob comes or goes, so that the rest is not built anew. Several makes may run here at a time.
$O/embed.def: FORCE
	@mkdir -p $(@D)
	@new=$@.$$$$; printf '%s\n' $(foreach b,$(BPF),'BLOB(bpf, $b, "$O/bpf/$b.gz")') \
		$(foreach s,$(SHELLS),'BLOB(completion, $s, "completion/nvmetool.$s")') \
		$(foreach s,$(STYLES),'BLOB(style, $(basename $(notdir $s)), "$O/$s.gz")') \
		$(foreach t,$(TOPICS),'BLOB(topic, $(basename $(notdir $t)), "$t")') >$$new && \
		if cmp -s $$new $@; then rm $$new; else mv $$new $@; fi
.PHONY: FORCE
.SECONDARY: $(BPF:%=$O/bpf/%.bpf.o) $(BPF:%=$O/bpf/%.slim.o)

-include $(BPF:%=$O/bpf/%.bpf.d)
