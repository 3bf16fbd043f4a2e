// SPDX-License-Identifier: GPL-2.0-or-later
/* The system call FLOOD_CALL + N, which no kernel has, asks for N events. */
#ifndef NVT_FLOOD_H
#define NVT_FLOOD_H

#define FLOOD_CALL   100000
#define FLOOD_EVENTS 16 /* at most, with one call */

#endif
