// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Classes: commands that may be compared with each other, since they are of one kind, of one sender,
 * and what else is asked for. Each class has its commands as points for stretch_find().
 */
#ifndef NVT_REPORT_CLASSES_H
#define NVT_REPORT_CLASSES_H

#include "cmd/report/find_log.h"
#include "cmd/report/stretch.h"

#define CLASSES_MOST 4096

struct class
{
	u32 first, n; /* of classes.point */
	u32 kind, sender; /* of its first command */
	u64 key;
};

struct classes {
	struct stretch_point
		*point; /* the tag is the place in log.at; ascending by `at` in a class */
	u32 n;
	struct class is[CLASSES_MOST];
};

/* What makes classes. key(): equal ones are one class; CLASS_NONE: the command is in none. */
#define CLASS_NONE (~0ULL)
struct classing {
	u64 (*key)(const struct log *l, u32 i);
	double (*at)(const struct log_command *c); /* NULL: the time of submission */
	float (*value)(const struct log *l, u32 i); /* NULL: the logarithm of the latency */
};

/* NULL: no memory. Commands of more than CLASSES_MOST classes are left out. Freed by classes_free(). */
struct classes *classes_make(const struct log *l, const struct classing *by);
void classes_free(struct classes *c);

/* Keys, of what is not set apart: of kind and sender; the same by how many commands of the sender were outstanding, in powers of two. */
u64 class_of_sender(const struct log *l, u32 i);
u64 class_of_depth(const struct log *l, u32 i);

/* 0 for 0, else one more than its logarithm. */
static inline u32 class_bits(u32 n)
{
	return n ? 32 - (u32)__builtin_clz(n) : 0;
}

#endif
