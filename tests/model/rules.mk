# SPDX-License-Identifier: GPL-2.0-or-later
# tests/model: the program that makes recordings by seed. It is made of the objects of nvmetool, which are there anyway.

MODEL := $O/model
MODEL_SRC := $(wildcard tests/model/*.c)

$(MODEL): $(MODEL_SRC:%.c=$O/obj/%.o) $(filter-out $O/obj/cmd/main.o,$(SRC:%.c=$O/obj/%.o)) $(DEPS_LIBS)
	$(call say,LINK)
	$Q$(MUSL_CC) $(MUSL_LDFLAGS) $(DEPS_LDFLAGS) -o $@ $^ -lm
-include $(MODEL_SRC:%.c=$O/obj/%.d)

model: $(MODEL)
.PHONY: model
