# SPDX-License-Identifier: GPL-2.0-or-later
# Builds and tests nvmetool; sources are found by wildcard, everything made goes to $(O).
#
#   make            build/nvmetool, one static binary        make demo     see it measure a drive
#   make install    PREFIX=/usr/local DESTDIR=               make test     what CI runs
#   make dist       build/dist: a tarball for x86_64, one for aarch64
#   make check      make test without its guests             make test-all all tests there are
#   make man        man pages   make bench  what tracing costs     make analyze  slow static analysis
#   make goldens    expected output, made anew
#
# O=DIR build directory   V=1 show commands   SAN=1 address and undefined-behaviour sanitizers (glibc, build/san)
# WERROR=1 warnings are errors (default in a git checkout)   DEPS_SRC=DIR library archives at hand
# ARCH=aarch64 another architecture, in build-aarch64 (see lib/deps/cross.mk)

VERSION := 0.1.0

O       ?= build$(CROSS_SUFFIX)
include lib/deps/cross.mk
PREFIX  ?= /usr/local
HOSTCC  ?= gcc
CLANG   ?= clang
AR      := $(CROSS)ar
STRIP   := $(CROSS)strip
WERROR  ?= $(if $(wildcard .git),1)

Q    := $(if $V,,@)
say   = $(if $V,,@printf '  %-7s %s\n' $1 $(patsubst $O/%,%,$@))

.DELETE_ON_ERROR:
.DEFAULT_GOAL := all
CPPFLAGS := -iquote . -iquote $O -D_GNU_SOURCE -DNVT_VERSION='"$(VERSION)"'
WARN     := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 \
	$(if $(WERROR),-Werror)
CFLAGS   := -std=gnu11 -g -ffile-prefix-map=$(abspath $O)=build -ffile-prefix-map=$(CURDIR)=. $(WARN)
# The binary and its libraries have one set of flags. Nothing unwinds the stack, so there are no tables for it; and nothing is so
# hot that it gains by code that is padded to begin at multiples of 16.
MUSL_CFLAGS  := -O2 -fPIE -fstack-protector-strong -ffunction-sections -fdata-sections \
	-fno-asynchronous-unwind-tables -fno-unwind-tables \
	-fno-align-functions -fno-align-loops -fno-align-jumps -fno-align-labels
# A static PIE: musl-gcc has no option for it, so the start files are named; -l: finds them beside musl's libc.a.
MUSL_LDFLAGS := -static -nostartfiles -l:rcrt1.o -l:crti.o -l:crtn.o -Wl,-pie,--no-dynamic-linker,-z,text \
	-Wl,-z,relro,-z,now,-z,noexecstack,--gc-sections,--build-id=none
# Code of a fixed address has no relocations, which would be a third of what a start costs with sanitizers.
SAN_CFLAGS  := -O1 -fno-pie -no-pie -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all

CMDS := $(shell sed -n 's/^CMD(\([a-z0-9_]*\)).*/\1/p' cmd/list.def)
BPF  := $(sort $(patsubst bpf/%.bpf.c,%,$(wildcard bpf/*.bpf.c)))
SRC  := $(sort $(wildcard cmd/*.c cmd/*/*.c lib/*/*.c embed/*.c))
UNIT := $(sort $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/*/test_*.c)))
# Helpers shared by unit tests count as library there.
LIB  := $(filter-out cmd/main.c,$(SRC)) $(filter-out $(UNIT:%=tests/unit/%.c),$(wildcard tests/unit/*.c))
MAN  := $(addprefix $O/man/,nvmetool.1 $(CMDS:%=nvmetool-%.1))

# H holds the glibc objects of the unit tests; with SAN=1 the binary of the tests is made of them too.
H        := $(if $(SAN),$O/san,$O/unit)
NVMETOOL := $(if $(SAN),$O/san/nvmetool,$O/nvmetool)
HOST_LIBS := -lbpf -lelf -lz -lm
include lib/deps/deps.mk embed/rules.mk
export O CMDS BPF_CFLAGS NVMETOOL HOSTCC CLANG
export UNIT_DIR := $H
export LINT_CFLAGS := -std=gnu11 $(subst ',,$(CPPFLAGS))

.PHONY: all demo test test-all test-ready mutants soak check check-ready unit-ready lint analyze unit cli vm fuzz man goldens install dist tarball check-headers clean distclean aarch64
all: $(NVMETOOL)
man: $(MAN)

# $(call variant,DIR,COMPILER AND FLAGS,READY,MORE FLAGS): how sources become objects in DIR once READY is there.
define variant
$1/%.o: %.c Makefile | $O/embed.def $3
	$$(call say,CC)
	@mkdir -p $$(@D)
	$Q$2 $$(CFLAGS) $(CPPFLAGS) $4 -MMD -MP -c -o $$@ $$<
$1/embed/embed.o: $(BLOBS)
-include $(patsubst %.c,$1/%.d,$(SRC) $(LIB) $(UNIT:%=tests/unit/%.c) $(wildcard tests/fuzz/*.c))
endef
$(eval $(call variant,$O/obj,$(MUSL_CC) $(MUSL_CFLAGS) $(DEPS_CFLAGS),$(DEPS)/.headers))
# Made small: rooms that no event goes through, and those where that makes no difference.
$O/obj/cmd/%.o $O/obj/lib/cli/%.o $O/obj/lib/host/%.o $O/obj/lib/loader/%.o $O/obj/lib/session/%.o $O/obj/lib/btf/%.o $O/obj/lib/out/%.o $O/obj/lib/nvme/%.o $O/obj/lib/symbols/%.o $O/obj/lib/usdt/%.o: CFLAGS += -Os
$(eval $(call variant,$O/unit,$(HOSTCC) -O1,tools-test))
$(eval $(call variant,$O/san,$(HOSTCC) $(SAN_CFLAGS),tools-test))

$O/nvmetool.debug: $(SRC:%.c=$O/obj/%.o) $(DEPS_LIBS)
	$(call say,LINK)
	$Q$(MUSL_CC) $(MUSL_LDFLAGS) $(DEPS_LDFLAGS) -o $@ $^

$O/nvmetool: $O/nvmetool.debug
	$(call say,STRIP)
	$Q$(STRIP) -s -o $@ $<

$O/san/nvmetool: $O/san/cmd/main.o $O/san/lib.a
	$(call say,LINK)
	$Q$(HOSTCC) $(SAN_CFLAGS) -static-libasan -static-libubsan -o $@ $^ $(HOST_LIBS)

$O/unit/lib.a: $(LIB:%.c=$O/unit/%.o)
$O/san/lib.a: $(LIB:%.c=$O/san/%.o)
%/lib.a:
	$(call say,AR)
	$Qrm -f $@ && $(AR) rcsD $@ $^

$(UNIT:%=$O/unit/%): $O/unit/%: $O/unit/tests/unit/%.o $O/unit/lib.a
	$(call say,LINK)
	@mkdir -p $(@D)
	$Q$(HOSTCC) -o $@ $^ -lcmocka $(HOST_LIBS)

$(UNIT:%=$O/san/%): $O/san/%: $O/san/tests/unit/%.o $O/san/lib.a
	$(call say,LINK)
	@mkdir -p $(@D)
	$Q$(HOSTCC) $(SAN_CFLAGS) -o $@ $^ -lcmocka $(HOST_LIBS)

$O/man/%.1: $(HOST_NVMETOOL)
	$(call say,MAN)
	@mkdir -p $(@D)
	$Q$(HOST_NVMETOOL) help --man $(patsubst nvmetool-%,%,$(filter nvmetool-%,$*)) >$@

# $(call install_in,DIR): what a user gets.
define install_in
install -D -m 755 $O/nvmetool $1/bin/nvmetool
install -d $1/share/man/man1
install -m 644 $(MAN) $1/share/man/man1
install -D -m 644 completion/nvmetool.bash $1/share/bash-completion/completions/nvmetool
install -D -m 644 completion/nvmetool.zsh $1/share/zsh/site-functions/_nvmetool
install -D -m 644 completion/nvmetool.fish $1/share/fish/vendor_completions.d/nvmetool.fish
install -D -m 644 -t $1/lib/systemd/system cmd/metrics/nvmetool-metrics.socket cmd/metrics/nvmetool-metrics.service
sed -i 's|/usr/bin/|$(PREFIX)/bin/|' $1/lib/systemd/system/nvmetool-metrics.service
install -D -m 644 -t $1/share/nvmetool cmd/metrics/nvmetool.rules.yml cmd/metrics/dashboard.json
endef

install: all man
	$(call install_in,$(DESTDIR)$(PREFIX))

# The same as one file, whose bytes depend on the sources alone: order, owner, mode and time are fixed.
DIST    ?= $O/dist
PACKAGE := nvmetool-$(VERSION)-$(ARCH)
tarball: all man
	rm -rf $(DIST)/$(PACKAGE)
	$(call install_in,$(DIST)/$(PACKAGE))
	install -D -m 644 -t $(DIST)/$(PACKAGE)/share/doc/nvmetool LICENSE README.md
	cd $(DIST)/$(PACKAGE) && find bin lib share -type f | LC_ALL=C sort | xargs sha256sum >SHA256SUMS
	tar -C $(DIST) --sort=name --owner=0 --group=0 --numeric-owner --mode=u+rwX,go+rX,go-w --format=ustar \
		--mtime=2026-01-01T00:00Z -c $(PACKAGE) | gzip -9 -n >$(DIST)/$(PACKAGE).tar.gz
	rm -rf $(DIST)/$(PACKAGE)

dist: tarball
	$Q+$(MAKE) --no-print-directory ARCH=aarch64 O=$O-aarch64 SAN= DIST=$(DIST) HOST_NVMETOOL=$(HOST_NVMETOOL) tarball
	cd $(DIST) && sha256sum nvmetool-$(VERSION)-*.tar.gz >SHA256SUMS

include tests/vm/rules.mk tests/bench/rules.mk tests/fuzz/rules.mk tests/torture/rules.mk tests/model/rules.mk

# Tools are looked for each time (some ms); the script installs what is missing and says so.
TOOLS := $(addprefix tools-,build test vm fuzz bench aarch64)
.PHONY: $(TOOLS)
$(TOOLS): tools-%:
	@lib/deps/tools.sh $*

# For guests of that architecture, and for tests of the build.
aarch64: $(HOST_NVMETOOL)
	$Q+$(MAKE) --no-print-directory ARCH=aarch64 O=$O-aarch64 SAN= HOST_NVMETOOL=$(HOST_NVMETOOL) all man

unit-ready: $(UNIT:%=$H/%)
# What a goal below needs is made on all processors, before it runs.
READY  = $Q+$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))
demo:
	$(READY) all tools-vm
	$Qtests/vm/demo.sh
# tests/README.md says which test is in which. All that suites need is made before the first runs: then no two make the same.
PARTS := lint san native build
check-ready: all man $(SAN_READY) $(MODEL) aarch64 | tools-test
test-ready: check-ready $(FLOOD) $(GUEST_TOOLS) | tools-vm
check:
	$(READY) check-ready
	$Qtests/run.sh $(PARTS)
test:
	$(READY) test-ready
	$Qtests/run.sh $(PARTS) vm
test-all:
	$(READY) test-ready unit-ready
	$Q+status=0; tests/run.sh -a $(PARTS:native=cli) unit mutants vm torture || status=1; \
	$(MAKE) --no-print-directory analyze fuzz || status=1; exit $$status
unit: unit-ready
lint: $O/embed.def
cli vm soak: all
vm: $(FLOOD) $(GUEST_TOOLS) | aarch64
vm soak mutants: | tools-vm
mutants: all $(UNIT:%=$O/unit/%)
lint unit cli vm soak mutants: | tools-test # soak: SOAK_MINUTES, 60 unless given
	$Qtests/run.sh $@
goldens: all
	$Qtests/data/goldens.sh
analyze check-headers: $(BLOBS) | tools-test
	$Qtests/lint/$@.sh

clean:
	rm -rf $(filter-out $(DEPS),$(wildcard $O/* $O/.[!.]*))
distclean:
	rm -rf $O
