// SPDX-License-Identifier: GPL-2.0-or-later
/* Memory that is constant once the program has been relocated. */
#ifndef NVT_BASE_RELRO_H
#define NVT_BASE_RELRO_H

/*
 * Makes it read-only, as its program header PT_GNU_RELRO asks. musl 1.2.3 does so for programs that
 * have an interpreter, which a static one lacks.
 */
void relro_protect(void);

#endif
