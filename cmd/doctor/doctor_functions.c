// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * doctor --functions: kernel functions by name, from kallsyms, BTF and the list that ftrace keeps.
 */
#include <bpf/btf.h>
#include <errno.h>
#include <limits.h>

#include "cmd/doctor/checks.h"
#include "lib/base/array.h"
#include "lib/base/glob.h"
#include "lib/base/str.h"
#include "lib/btf/features.h"
#include "lib/btf/btf_types.h"

struct function {
	char *name, *module; /* module "": vmlinux */
	u32 copies; /* functions of that name */
	bool whole; /* the function itself is there, not only parts (name.part.0, name.cold) */
	bool btf, ftrace;
};

struct list {
	const char *glob;
	struct function *at;
	u32 n, room;
	bool ftrace_known;
	int err;
};

static int by_name(const void *a, const void *b)
{
	const struct function *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : strcmp(x->module, y->module);
}

static struct function *find(const struct list *l, char *name, char *module)
{
	const struct function wanted = { .name = name, .module = module };

	return l->n ? bsearch(&wanted, l->at, l->n, sizeof(wanted), by_name) : NULL;
}

static void add(struct list *l, const char *name, const char *module, bool whole)
{
	struct function *f = array_add((void **)&l->at, &l->n, &l->room, sizeof(*f));

	if (!f) {
		l->err = -ENOMEM;
		return;
	}
	*f = (struct function){ .name = strdup(name), .module = strdup(module), .whole = whole };
	f->copies = whole;
	if (!f->name || !f->module)
		l->err = -ENOMEM;
}

/* Splits "nvme_setup_cmd\t[nvme_core]" into its two words; *module is "" without the second. */
static void split(char *text, char **module)
{
	size_t len = strcspn(text, " \t\n");

	*module = text + len + strspn(text + len, " \t[\n");
	text[len] = '\0';
	(*module)[strcspn(*module, "]\n")] = '\0';
}

/* Takes a line of kallsyms: "ffffffffc0561230 t nvme_setup_cmd.part.0\t[nvme_core]". */
static void take_symbol(struct list *l, char *line)
{
	char *name = strchr(line, ' '), *module, *dot;

	if (!name || !name[1] || !strchr("tTwW", name[1]) || name[2] != ' ')
		return;
	name += 3;
	split(name, &module);
	dot = strchr(name, '.');
	if (dot)
		*dot = '\0';
	if (*name && !l->err && glob_match(l->glob, name))
		add(l, name, module, !dot);
}

/* Merges the functions and parts that have one name. */
static void merge(struct list *l)
{
	u32 n = 0;

	if (l->n)
		qsort(l->at, l->n, sizeof(*l->at), by_name);
	for (u32 i = 0; i < l->n; i++) {
		struct function *f = &l->at[i];

		if (n && by_name(&l->at[n - 1], f) == 0) {
			l->at[n - 1].copies += f->copies;
			l->at[n - 1].whole |= f->whole;
			free(f->name);
			free(f->module);
			continue;
		}
		l->at[n++] = *f;
	}
	l->n = n;
}

static void take_traceable(struct list *l, char *line)
{
	struct function *f;
	char *module;

	split(line, &module);
	f = find(l, line, module);
	if (f)
		f->ftrace = true;
}

/* Hands each line of a file to @take. 0 or -errno. */
static int each_line(const char *path, struct list *l, void (*take)(struct list *l, char *line))
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;

	if (!f)
		return -errno;
	while (getline(&line, &size, f) > 0)
		take(l, line);
	free(line);
	fclose(f);
	return 0;
}

/* Marks the functions of @module that @types has. */
static void take_types(struct list *l, const struct btf_types *types, const char *module)
{
	char *of = strdup(module);

	for (u32 id = types->first; of && id < types->end; id++) {
		const struct btf_type *t = btf_types_own(types, id);
		const char *name = btf_types_name(types, t->name_off);
		struct function *f;

		if (!btf_is_func(t) || !name)
			continue;
		f = find(l, (char *)name, of);
		if (f)
			f->btf = true;
	}
	free(of);
}

static void take_module_types(struct list *l, const char *dir, const char *module,
			      const struct btf_types *base)
{
	char path[PATH_MAX];
	struct btf_types types;

	snprintf(path, sizeof(path), "%s/%s", dir, module);
	if (btf_types_read(&types, path, base))
		return;
	take_types(l, &types, module);
	btf_types_free(&types);
}

/* Reads the BTF of vmlinux, and of each module that has one of the functions. */
static void read_types(struct list *l, const char *dir)
{
	struct kernel_features features;
	struct btf_types base;
	u32 k;

	if (features_read(&features, dir, &base))
		return;
	/*
	 * Programs attach to functions by BTF only where ftrace has direct calls: on arm64 from 6.4
	 * on.
	 */
	if (features.ftrace_direct)
		take_types(l, &base, "");
	for (u32 i = 0; features.ftrace_direct && i < l->n; i++) {
		for (k = 0; k < i && !streq(l->at[k].module, l->at[i].module); k++)
			;
		if (k == i && *l->at[i].module)
			take_module_types(l, dir, l->at[i].module, &base);
	}
	btf_types_free(&base);
}

static void describe(const struct list *l, const struct function *f, struct doctor_function *out)
{
	*out = (struct doctor_function){
		.name = f->name,
		.module = *f->module ? f->module : NULL,
		.state = "traceable",
		.how = f->btf ? "fentry,kprobe" : "kprobe",
	};
	if (!f->whole) {
		out->state = "inlined";
		out->how = NULL;
		out->detail = "only parts of it are functions of their own";
	} else if (l->ftrace_known && !f->ftrace) {
		out->state = "untraceable";
		out->how = NULL;
		out->detail = "not in available_filter_functions";
	} else if (f->copies > 1) {
		out->detail = "several functions have this name";
	} else if (!l->ftrace_known) {
		out->detail = "according to kallsyms; tracefs is not visible";
	}
}

static void put_all(const struct list *l, doctor_put_function *put, void *ctx)
{
	struct doctor_function out;

	for (u32 i = 0; i < l->n; i++) {
		describe(l, &l->at[i], &out);
		put(ctx, &out);
	}
	if (!l->n && !strpbrk(l->glob, "*?")) {
		out = (struct doctor_function){
			.name = l->glob,
			.state = "absent",
			.detail = "not in this kernel and its loaded modules, or always inlined",
		};
		put(ctx, &out);
	}
}

int doctor_functions(const char *glob, const char *btf_dir, doctor_put_function *put, void *ctx)
{
	static const char *const traceable[] = {
		"/sys/kernel/tracing/available_filter_functions",
		"/sys/kernel/debug/tracing/available_filter_functions",
	};
	struct list l = { .glob = glob };
	int err = each_line("/proc/kallsyms", &l, take_symbol);

	if (!err && !l.err) {
		merge(&l);
		for (u32 i = 0; !l.ftrace_known && i < ARRAY_SIZE(traceable); i++)
			l.ftrace_known = !each_line(traceable[i], &l, take_traceable);
		read_types(&l, btf_dir ? btf_dir : BTF_DIR);
		put_all(&l, put, ctx);
	}
	for (u32 i = 0; i < l.n; i++) {
		free(l.at[i].name);
		free(l.at[i].module);
	}
	free(l.at);
	return err ? err : l.err;
}
