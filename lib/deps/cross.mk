# SPDX-License-Identifier: GPL-2.0-or-later
# The target: this machine, or with ARCH=aarch64 another one. Then compiler and kernel headers are Debian's cross
# packages and the C library is that of Debian's own musl package for ARCH.
#
#   ARCH=aarch64          as `uname -m` says there; output goes to build-aarch64
#   CROSS=PREFIX          of the cross compiler          [aarch64-linux-gnu-]
#   MUSL_CC=COMMAND       a compiler that links with musl, instead of the package
#   HOST_NVMETOOL=FILE    the native nvmetool that writes the man pages          [build/nvmetool]

HOST_ARCH := $(shell uname -m)
ARCH      ?= $(HOST_ARCH)

ifeq ($(ARCH),$(HOST_ARCH))
MUSL_CC        ?= $(CROSS)musl-gcc
HOST_NVMETOOL  ?= $(NVMETOOL)
KERNEL_HEADERS := /usr/include /usr/include/$(ARCH)-linux-gnu
else
CROSS          ?= $(ARCH)-linux-gnu-
CROSS_SUFFIX   := -$(ARCH)
HOST_NVMETOOL  ?= build/nvmetool
KERNEL_HEADERS := /usr/$(ARCH)-linux-gnu/include
ifndef MUSL_CC
MUSL_CC         = $(CROSS)gcc -specs $(abspath $(DEPS))/musl/musl-gcc.specs
CROSS_READY     = $(DEPS)/.musl
endif

$(HOST_NVMETOOL):
	@echo 'error: no $@ to write the man pages: run `make ARCH=$(HOST_ARCH)` first, or give HOST_NVMETOOL=FILE' >&2
	@exit 1
endif

$O/deps/.musl: lib/deps/musl.sh lib/deps/apt.sh | tools-build tools-$(ARCH)
	$(call say,FETCH)
	$Qlib/deps/musl.sh $(ARCH) $(@D)/musl
	$Qtouch $@
