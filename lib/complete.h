// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Shell completion. The scripts of completion/ ask `nvmetool __complete WORDS...`, the words behind
 * "nvmetool" up to the one under the cursor, which may be empty.
 */
#ifndef NVT_COMPLETE_H
#define NVT_COMPLETE_H

#include <stdio.h>

/*
 * Prints `word<TAB>help` for each candidate; candidates are whole words (--format=json, read,write). A line
 * `:files`, `:dirs` or `:commands` asks the shell for those in addition. 0 or what help_flush() returns.
 */
int complete_words(FILE *f, int argc, char **argv);

/* Copies the script for @shell (bash, zsh, fish) to @f. 0, or a usage error when there is none. */
int complete_script(FILE *f, const char *shell);

#endif
