// SPDX-License-Identifier: GPL-2.0-or-later
/* Drawing of scenes, for kinds.c and model.c. */
#ifndef NVT_MODEL_SCENE_H
#define NVT_MODEL_SCENE_H

#include "tests/model/model.h"

/* Numbers: evenly; evenly by logarithm; whole ones; yes with this probability; powers of two times @from. */
double between(struct scene *s, double from, double to);
double scaled(struct scene *s, double from, double to);
u32 whole(struct scene *s, u32 from, u32 to);
bool chance(struct scene *s, double share);
u32 size_between(struct scene *s, u32 from, u32 to);

/* A drive with a namespace, or two, and nobody there. */
void scene_begin(struct scene *s, const struct kind *kind, u64 seed);
void scene_lasts(struct scene *s, double least, double most);
/* Another namespace, or a drive with one; returns the number of the namespace. */
u32 add_space(struct scene *s, u32 drive);
u32 add_other_drive(struct scene *s);

/* One command of 4 KiB at a time, anywhere; it has a name that nobody has yet. */
struct sender *add_sender(struct scene *s, enum role role);
/* The same once more, to be changed: what a process does at another time. */
struct sender *add_same(struct scene *s, const struct sender *like);
/* Gives it a region of a namespace. */
void settle_in(struct scene *s, struct sender *from, u32 space);
/* It sends so many commands a second, whether others are over or not. */
void open_loop(struct scene *s, struct sender *from, double rate);
struct sender *add_app(struct scene *s, enum role role);
void add_apps(struct scene *s, u32 least, u32 most);
/* Two of three who are there all the time come later, or go earlier, or both. */
void shorten_loads(struct scene *s);
/* Makes it longer or shorter, and adds innocents that come again and again, or are many. */
void vary(struct scene *s);
/* Somebody who takes all that the drive has, which becomes a drive that has not too much. */
struct sender *add_hog(struct scene *s, enum role role, u32 space);
/* Some who come or go some seconds around @near; in a quarter of the scenes none. */
void add_innocents(struct scene *s, double near);
struct fault *add_fault(struct scene *s, enum fault_kind kind, double from, double to);
void add_admin(struct scene *s, double at, double seconds, u8 opcode, bool stops);

#endif
