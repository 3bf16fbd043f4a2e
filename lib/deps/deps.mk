# SPDX-License-Identifier: GPL-2.0-or-later
# libbpf, libelf and zlib: static, for the target, from the pinned Debian sources; no configure, no patches.
#
# DEPS_LIBS are the archives in link order, DEPS_LDFLAGS go with them.

DEPS        := $O/deps
DEPS_SRCDIR := $(abspath $(DEPS))/src
DEPS_LIBS   := $(DEPS)/libbpf.a $(DEPS)/libelf.a $(DEPS)/libz.a
# Kernel headers come last, so that a header of glibc can never stand in for one of musl.
DEPS_CFLAGS := -isystem $(DEPS)/include -idirafter $(DEPS)/kernel
DEPS_OPT    := $(MUSL_CFLAGS) -w -idirafter $(abspath $(DEPS))/kernel

# In place of these libbpf calls lib/loader/btf.c.
DEPS_WRAPPED := btf__load_vmlinux_btf btf__parse bpf_btf_get_next_id
DEPS_LDFLAGS := $(DEPS_WRAPPED:%=-Wl,--wrap=%)

export DEPS_SRC NVMETOOL_CACHE

# Z_TESTW=0: the CRC goes byte by byte, with a table of 1 KiB in place of 8.
ZLIB_FLAGS   := -DHAVE_UNISTD_H -DHAVE_STDARG_H -DHAVE_HIDDEN -DZ_TESTW=0
LIBELF_FLAGS := -std=gnu11 -D_GNU_SOURCE -DHAVE_CONFIG_H -I. -I../lib -I$(DEPS_SRCDIR)/zlib
LIBBPF_FLAGS := -std=gnu11 -D_LARGEFILE64_SOURCE -D_FILE_OFFSET_BITS=64 -I../include -I../include/uapi \
	-I../../elfutils/libelf -I$(DEPS_SRCDIR)/zlib

# In place of elfutils' configure: 188 for 0.188, and a config.h whose other lines serve other parts.
# No translations.
ELFUTILS_VERSION := $(shell sed -n 's/^package elfutils 0\.\([0-9]*\)-.*/\1/p' lib/deps/pins)
define LIBELF_CONFIG
#define HAVE_DECL_MEMPCPY 1
#define HAVE_DECL_POWEROF2 1
#define HAVE_DECL_REALLOCARRAY 1
#define HAVE_ERR_H 1
#define HAVE_GCC_STRUCT 1
#define HAVE_MREMAP 1
#define HAVE_VISIBILITY 1
#include <eu-config.h>
#include <libintl.h>
#define dgettext(domain, text) ((char *)(text))
endef

$(DEPS)/.unpacked: lib/deps/pins lib/deps/fetch.sh | tools-build
	$(call say,FETCH)
	$Qmkdir -p $(DEPS) && lib/deps/fetch.sh $(DEPS_SRCDIR)
	$Qtouch $@

# linux, asm and asm-generic of the target, nothing else of /usr/include.
$(DEPS)/.headers: $(DEPS)/.unpacked $(CROSS_READY) lib/deps/deps.mk
	$(call say,HEADERS)
	$Qrm -rf $(DEPS)/include $(DEPS)/kernel
	$Qmkdir -p $(DEPS)/include/bpf $(DEPS)/include/elfutils $(DEPS)/kernel
	$Qln -s $(foreach d,linux asm-generic asm,$(firstword $(wildcard $(addsuffix /$d,$(KERNEL_HEADERS))))) $(DEPS)/kernel
	$Qcp $(DEPS_SRCDIR)/libbpf/src/*.h $(DEPS)/include/bpf
	$Qcp $(DEPS_SRCDIR)/elfutils/libelf/libelf.h $(DEPS_SRCDIR)/elfutils/libelf/gelf.h \
		$(DEPS_SRCDIR)/zlib/zlib.h $(DEPS_SRCDIR)/zlib/zconf.h $(DEPS)/include
	$Qsed 's/@eu_version@/$(ELFUTILS_VERSION)/' $(DEPS_SRCDIR)/elfutils/config/version.h.in \
		>$(DEPS)/include/elfutils/version.h
	$(file >$(DEPS_SRCDIR)/elfutils/libelf/config.h,$(LIBELF_CONFIG))
	$Qtouch $@

# $(call library,DIRECTORY,SOURCES,FLAGS): these sources of the directory into the archive $@.
define library
	$(call say,LIB)
	$Qcd $(DEPS_SRCDIR)/$1 && rm -f *.o && ls $2 | \
		xargs -n 8 -P $$(nproc) $(MUSL_CC) -c $(DEPS_OPT) $3
	$Qrm -f $@ && cd $(DEPS_SRCDIR)/$1 && LC_ALL=C $(AR) rcsD $(abspath $@) *.o
endef

# The flags are in the Makefile.
$(DEPS_LIBS): Makefile

$(DEPS)/libz.a: $(DEPS)/.headers
	$(call library,zlib,*.c,$(ZLIB_FLAGS))

# This and libbpf run once, at the start: they are to be small.
$(DEPS)/libelf.a: $(DEPS)/.headers
	$(call library,elfutils/libelf,*.c,$(LIBELF_FLAGS) -Os)

$(DEPS)/libbpf.a: $(DEPS)/.headers
	$(call library,libbpf/src,*.c,$(LIBBPF_FLAGS) -Os)
