# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that guests run beside nvmetool itself.
# BLIND: nvmetool whose programs a test chooses, and programs of trace that forget one completion in a thousand (on each
# CPU), or do not see those that failed, see t/blind.sh, or look for all queues in the same slots, see t/packed.sh.
# CROWDED: nvmetool that has room for one hardware queue, eight bios, and eight of the stacks whose place another one has;
# see t/crowded.sh and t/stacks_user.sh. rq_disk: see rq_disk.c. STRICT: nvmetool in place of the shipped one, see strict.c;
# it is made with it, so that no guest runs an older one.

BLIND := $(addprefix $O/blind/,nvmetool missed.bpf.o unseen.bpf.o packed.bpf.o)
BLIND_missed := -D'PROG_MISSED(hook,count)=((hook)==BACKUP_COMPLETE&&!((count)%1000))'
BLIND_unseen := -D'PROG_UNSEEN(rq,hook)=((hook)==BACKUP_COMPLETE&&word_failed(rq_status_word(rq)))'
BLIND_packed := -DAT_HAND_HASH=0

$O/blind/%.whole.o: bpf/trace.bpf.c tests/vm/rules.mk $(wildcard bpf/*.[ch] bpf/shared/*) | $(DEPS)/.headers
	$(call say,BPF)
	@mkdir -p $(@D)
	$Q$(CLANG) $(BPF_CFLAGS) $(BLIND_$*) -c -o $@ $< && llvm-strip -g $@

$O/blind/%.bpf.o: $O/blind/%.whole.o embed/slim.sh
	$(call say,SLIM)
	$Qembed/slim.sh $< $@

$O/blind/nvmetool: $(SRC:%.c=$O/obj/%.o) $O/obj/tests/vm/blind.o $O/obj/tests/vm/object.o $(DEPS_LIBS)
	$(call say,LINK)
	@mkdir -p $(@D)
	$Q$(MUSL_CC) $(MUSL_LDFLAGS) $(DEPS_LDFLAGS) -Wl,--wrap=embed_bpf -o $@ $^

STRICT := $O/guest/nvmetool
STRICT_WRAPPED := calls_filter btf_types_origin bpf_prog_load probe_read features_read_own

$(STRICT): $(SRC:%.c=$O/obj/%.o) $O/obj/tests/vm/strict.o $(DEPS_LIBS)
	$(call say,LINK)
	@mkdir -p $(@D)
	$Q$(MUSL_CC) $(MUSL_LDFLAGS) $(DEPS_LDFLAGS) $(STRICT_WRAPPED:%=-Wl,--wrap=%) -o $@ $^

all: $(if $(SAN),,$(STRICT))

CROWDED := $O/crowded/nvmetool
ROOM := -e 's/^\(.define QUEUES_MAX\)[[:space:]].*/\1 2/' -e 's/^\(.define STAMPS_MAX\)[[:space:]].*/\1 8/' \
	-e 's/^\(.define SPARE_STACKS\)[[:space:]].*/\1 8/'
CROWDED_OBJ := $(addprefix $O/crowded/,loader_size.o configure.o)
ROOMY_OBJ := $(filter-out %/loader/loader_size.o %/loader/configure.o,$(SRC:%.c=$O/obj/%.o))

$(CROWDED_OBJ): $O/crowded/%.o: lib/loader/%.c lib/loader/loader_impl.h tests/vm/rules.mk | $(DEPS)/.headers
	$(call say,CC)
	@mkdir -p $(@D)
	$Qsed $(ROOM) $< | $(MUSL_CC) $(MUSL_CFLAGS) $(CFLAGS) $(CPPFLAGS) $(DEPS_CFLAGS) -x c -c -o $@ -

$(CROWDED): $(CROWDED_OBJ) $(ROOMY_OBJ) $(DEPS_LIBS)
	$(call say,LINK)
	$Q$(MUSL_CC) $(MUSL_LDFLAGS) $(DEPS_LDFLAGS) -o $@ $^

$O/guest/rq_disk: tests/vm/rq_disk.c bpf/shared/wire.h tests/vm/rules.mk $(DEPS_LIBS)
	$(call say,LINK)
	@mkdir -p $(@D)
	$Q$(MUSL_CC) -static $(CFLAGS) $(CPPFLAGS) $(DEPS_CFLAGS) -o $@ $< $(DEPS_LIBS)

GUEST_TOOLS := $(BLIND) $(CROWDED) $O/guest/rq_disk
