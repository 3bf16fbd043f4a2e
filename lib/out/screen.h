// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A terminal used as a screen: keys one by one, no echo, the alternate buffer, no cursor, no
 * wrapped lines. Escape sequences are those that every terminal since the VT100 and xterm knows;
 * terminfo is not asked, as it is not on every host.
 *
 * The terminal is given back on every way out. A small process, forked by screen_open(), sees a
 * pipe close when we end, by whatever signal, and then does what screen_close() would have done. If
 * our parent is killed, we get SIGHUP, as if the terminal had gone.
 */
#ifndef NVT_OUT_SCREEN_H
#define NVT_OUT_SCREEN_H

#include "lib/base/types.h"

struct screen;

/* True if both stdin and stdout are terminals that can be one, so not TERM=dumb. */
bool screen_possible(void);

/*
 * Makes ready; the terminal stays as it is. To be called before anything is open that the small
 * process must not keep. 0 or -errno after a message.
 */
int screen_open(struct screen **screen);
/*
 * Takes the terminal. From now on until screen_close() messages on stderr are held, if that is a
 * terminal as well. SIGTSTP (Ctrl-Z), SIGCONT and SIGWINCH are ours.
 */
void screen_enter(struct screen *s);
/* Gives the terminal back, prints the messages, frees. NULL is allowed. */
void screen_close(struct screen *s);

/* Readable once there is something for screen_key(). */
int screen_fd(const struct screen *s);

enum screen_key {
	SCREEN_NONE, /* nothing more for now */
	SCREEN_UP = 256,
	SCREEN_DOWN,
	SCREEN_LEFT,
	SCREEN_RIGHT,
	SCREEN_REDRAW, /* the size is another one, or we were suspended */
	SCREEN_GONE, /* nobody is there any more */
};

/*
 * The next key: one of these, or a byte. Suspends the process when the user asks for that, and
 * returns SCREEN_REDRAW when it goes on.
 */
int screen_key(struct screen *s);

/* Its size now; 24 x 80 where the terminal does not tell. */
void screen_size(const struct screen *s, u32 *lines, u32 *columns);

/* Prints what precedes each picture: it clears the screen. */
extern const char screen_clear[];

#endif
