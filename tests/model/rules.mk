# SPDX-License-Identifier: GPL-2.0-or-later
# tests/model: the program that makes recordings by seed.

MODEL := $O/unit/model
MODEL_SRC := $(wildcard tests/model/*.c)

$(MODEL): $(MODEL_SRC:%.c=$O/unit/%.o) $O/unit/lib.a
	$(call say,LINK)
	$Q$(HOSTCC) -o $@ $^ $(HOST_LIBS)
$(MODEL_SRC:%.c=$O/unit/%.o): CFLAGS += -O2
-include $(MODEL_SRC:%.c=$O/unit/%.d)

model: $(MODEL)
.PHONY: model
