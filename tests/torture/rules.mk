# SPDX-License-Identifier: GPL-2.0-or-later
# tests/torture: the program with sanitizers, its calls of the C library led through wrap.c.

WRAPPED := $(shell sed -n 's/^WRAP[^,]*, \([a-zA-Z_]*\),.*/\1/p' tests/torture/wrap.c) write

$O/san/torture-main.o: $O/san/cmd/main.o
	$(call say,RENAME)
	$Q$(CROSS)objcopy --redefine-sym main=nvmetool_main $< $@

$O/san/torture: $(patsubst %,$O/san/tests/torture/%.o,torture wrap) $O/san/torture-main.o $O/san/lib.a
	$(call say,LINK)
	$Q$(HOSTCC) $(SAN_CFLAGS) $(WRAPPED:%=-Wl,--wrap=%) -o $@ $^ $(HOST_LIBS)
SAN_READY += $O/san/torture

# Every call of every line, one after the other: two minutes.
torture: $O/san/torture
	$Qtests/run.sh torture
.PHONY: torture
