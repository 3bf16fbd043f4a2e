// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of probes, and the enumerations of SPDK's releases. */
#include "cmd/spdk/probes.h"

#include "lib/base/str.h"

static const struct {
	const char *name;
	u8 set;
	const char *args; /* "NAME:TYPE NAME:TYPE" */
} probes[] = {
#define PROBE(name, set, args) { #name, SPDK_##set, args },
#include "cmd/spdk/probes.def"
#undef PROBE
};

static u8 type_of(char letter)
{
	switch (letter) {
	case 's':
		return SPDK_STRING;
	case 'u':
		return SPDK_UNSIGNED;
	case 'd':
		return SPDK_SIGNED;
	case 'p':
		return SPDK_POINTER;
	case 'e':
		return SPDK_STATUS;
	case 'S':
		return SPDK_SUBSYSTEM_STATE;
	case 'T':
		return SPDK_TARGET_STATE;
	default:
		return SPDK_TRTYPE;
	}
}

/* Reads the arguments of a row of the table behind the hidden one. Returns how many there are. */
static u32 read_args(const char *text, struct spdk_arg arg[USDT_ARGS])
{
	char word[32];
	u32 n = 1;

	for (; str_word(&text, ' ', word, sizeof(word)); n++) {
		size_t len = strcspn(word, ":");

		snprintf(arg[n].name, sizeof(arg[n].name), "%.*s", (int)len, word);
		arg[n].type = type_of(word[len + 1]);
	}
	return n;
}

/* Whether an argument of @type may have @size bytes. One that cannot be read may have any. */
static bool fits(const struct spdk_arg *arg)
{
	bool address = arg->type == SPDK_STRING || arg->type == SPDK_POINTER;

	return arg->unreadable || !address || arg->size == sizeof(u64);
}

static bool match(struct spdk_shape *shape, const char *args)
{
	struct spdk_arg arg[USDT_ARGS];

	memcpy(arg, shape->arg, sizeof(arg));
	if (read_args(args, arg) != shape->n_args)
		return false;
	for (u32 i = 1; i < shape->n_args; i++) {
		if (!fits(&arg[i]))
			return false;
	}
	memcpy(shape->arg, arg, sizeof(arg));
	return true;
}

/*
 * Up to v23.01 the hidden argument was the TSC everywhere, later in some probes only; else it is
 * the constant 0.
 */
static void name_hidden(struct spdk_arg *arg, const struct usdt_arg *from)
{
	bool tsc = from->kind != USDT_CONST;

	snprintf(arg->name, sizeof(arg->name), "%s", tsc ? "tsc" : "");
	arg->type = tsc ? SPDK_TSC : SPDK_HIDDEN;
}

void spdk_shape(struct spdk_shape *shape, const char *name, const struct usdt_spec *spec)
{
	*shape = (struct spdk_shape){ .n_args = spec->n_args, .set = spdk_set_of(name) };
	snprintf(shape->name, sizeof(shape->name), "%s", name);
	for (u32 i = 0; i < spec->n_args; i++) {
		struct spdk_arg *arg = &shape->arg[i];

		snprintf(arg->name, sizeof(arg->name), "arg%u", i);
		arg->size = spec->arg[i].size;
		arg->is_signed = spec->arg[i].is_signed;
		arg->unreadable = spec->arg[i].kind == USDT_UNREADABLE;
	}
	for (u32 i = 0; i < ARRAY_SIZE(probes) && !shape->known; i++)
		shape->known = streq(probes[i].name, name) && match(shape, probes[i].args);
	if (shape->known)
		name_hidden(&shape->arg[0], &spec->arg[0]);
}

u8 spdk_set_of(const char *name)
{
	for (u32 i = 0; i < ARRAY_SIZE(probes); i++) {
		if (streq(probes[i].name, name))
			return probes[i].set;
	}
	return SPDK_OTHER;
}

#define COMMON_STATES 5

static const char *const first_states[COMMON_STATES] = {
	"INIT_NONE", "INIT_CREATE_TARGET", "INIT_CREATE_POLL_GROUPS", "INIT_START_SUBSYSTEMS",
	"RUNNING",
};

/* States from 5 on, by releases (lib/event/subsystems/nvmf/nvmf_tgt.c). */
static const struct {
	u32 from, to;
	const char *state[7];
} releases[] = {
	{ 0, 0, { NULL } },
	{ 2110,
	  2110,
	  { "FINI_STOP_SUBSYSTEMS", "FINI_DESTROY_POLL_GROUPS", "FINI_FREE_RESOURCES", "STOPPED",
	    "ERROR" } },
	{ 2201,
	  2401,
	  { "FINI_STOP_SUBSYSTEMS", "FINI_DESTROY_SUBSYSTEMS", "FINI_DESTROY_POLL_GROUPS",
	    "FINI_DESTROY_TARGET", "STOPPED", "ERROR" } },
	{ 2405,
	  2509,
	  { "FINI_STOP_LISTEN", "FINI_STOP_SUBSYSTEMS", "FINI_DESTROY_SUBSYSTEMS",
	    "FINI_DESTROY_POLL_GROUPS", "FINI_DESTROY_TARGET", "STOPPED", "ERROR" } },
	{ 2601,
	  2609,
	  { "FINI_STOP_SUBSYSTEMS", "FINI_STOP_LISTEN", "FINI_DESTROY_SUBSYSTEMS",
	    "FINI_DESTROY_POLL_GROUPS", "FINI_DESTROY_TARGET", "STOPPED", "ERROR" } },
};

/* On the way to a release that changed the states, nobody knows which of the two a program has. */
u8 spdk_states_of(u32 version, bool pre)
{
	for (u32 i = 1; i < ARRAY_SIZE(releases); i++) {
		if (version >= releases[i].from && version <= releases[i].to)
			return pre && version == releases[i].from ? 0 : (u8)i;
	}
	return 0;
}

static const char *target_state(u8 states, u64 value)
{
	if (value < COMMON_STATES)
		return first_states[value];
	value -= COMMON_STATES;
	return states < ARRAY_SIZE(releases) && value < ARRAY_SIZE(releases[0].state)
		       ? releases[states].state[value]
		       : NULL;
}

/* include/spdk/nvmf_spec.h and include/spdk/nvme.h: enum spdk_nvme_transport_type */
static const struct {
	u64 value;
	const char *word;
} transports[] = {
	{ 1, "RDMA" },	 { 2, "FC" },	       { 3, "TCP" },	   { 254, "INTRA_HOST" },
	{ 256, "PCIE" }, { 1024, "VFIOUSER" }, { 4096, "CUSTOM" }, { 4097, "CUSTOM_FABRICS" },
};

/* lib/nvmf/nvmf_internal.h: enum spdk_nvmf_subsystem_state, the same since v21.10 */
static const char *const subsystem_states[] = {
	"INACTIVE", "ACTIVATING", "ACTIVE", "PAUSING", "PAUSED", "RESUMING", "DEACTIVATING",
};

const char *spdk_word(u8 type, u8 states, u64 value)
{
	if (type == SPDK_TARGET_STATE)
		return target_state(states, value);
	if (type == SPDK_SUBSYSTEM_STATE)
		return value < ARRAY_SIZE(subsystem_states) ? subsystem_states[value] : NULL;
	for (u32 i = 0; type == SPDK_TRTYPE && i < ARRAY_SIZE(transports); i++) {
		if (transports[i].value == value)
			return transports[i].word;
	}
	return NULL;
}
