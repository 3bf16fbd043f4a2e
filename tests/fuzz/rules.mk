# SPDX-License-Identifier: GPL-2.0-or-later
# make fuzz: each target of tests/fuzz for FUZZ_SECONDS with libFuzzer. make fuzz-merge: drops superfluous files of its
# corpus. make san: unit tests, command line and the corpus of each target with sanitizers.

FUZZ_SECONDS ?= 60
FUZZ := $(sort $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c)))
FUZZ_CFLAGS := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all

# Warnings are the business of the other builds.
$(eval $(call variant,$O/fuzz,$(CLANG) $(FUZZ_CFLAGS) -fsanitize=fuzzer-no-link,tools-fuzz,-w))

$O/fuzz/lib.a: $(filter-out tests/%,$(LIB:%.c=$O/fuzz/%.o)) $O/fuzz/tests/fuzz/feed.o

$(FUZZ:%=$O/fuzz/fuzz_%): $O/fuzz/%: $O/fuzz/tests/fuzz/%.o $O/fuzz/lib.a
	$(call say,LINK)
	$Q$(CLANG) $(FUZZ_CFLAGS) -fsanitize=fuzzer -o $@ $^ $(HOST_LIBS)

# The same targets without libFuzzer, for the files of the corpus alone.
$(FUZZ:%=$O/san/fuzz_%): $O/san/%: $O/san/tests/fuzz/%.o $O/san/tests/fuzz/corpus.o $O/san/tests/fuzz/feed.o $O/san/lib.a
	$(call say,LINK)
	$Q$(HOSTCC) $(SAN_CFLAGS) -o $@ $^ $(HOST_LIBS)

SAN_READY := $O/san/nvmetool $(UNIT:%=$O/san/%) $(FUZZ:%=$O/san/fuzz_%)
san: $(SAN_READY) | tools-test
	$Qtests/run.sh san

# Findings lie in build/fuzz; -close_fd_mask=2 hides the messages that bad input is answered with.
FUZZ_LIMITS = -timeout=10 -rss_limit_mb=1024 -max_len=65536 -close_fd_mask=2 -artifact_prefix=$O/fuzz/$*-
fuzz: $(FUZZ:%=fuzz-%)
$(FUZZ:%=fuzz-%): fuzz-%: $O/fuzz/fuzz_%
	$Qmkdir -p $O/fuzz/corpus/$*
	$Q$< -max_total_time=$(FUZZ_SECONDS) $(FUZZ_LIMITS) $O/fuzz/corpus/$* tests/fuzz/corpus/$*

# Keeps the files of each corpus that reach code which the others do not; those found in build/fuzz are asked, too.
# Merging drops files that crash, so all of them run first.
fuzz-merge: $(FUZZ:%=fuzz-merge-%)
$(FUZZ:%=fuzz-merge-%): fuzz-merge-%: $O/fuzz/fuzz_%
	$Qrm -rf $O/fuzz/merged/$* && mkdir -p $O/fuzz/merged/$* $O/fuzz/corpus/$*
	$Q$< -runs=0 $(FUZZ_LIMITS) tests/fuzz/corpus/$* $O/fuzz/corpus/$*
	$Q$< -merge=1 $(FUZZ_LIMITS) $O/fuzz/merged/$* tests/fuzz/corpus/$* $O/fuzz/corpus/$*
	$Qrm -rf tests/fuzz/corpus/$* && cp -r $O/fuzz/merged/$* tests/fuzz/corpus/$*
.PHONY: san fuzz fuzz-merge $(FUZZ:%=fuzz-%) $(FUZZ:%=fuzz-merge-%)
