// SPDX-License-Identifier: GPL-2.0-or-later
/* What asks for events: the system call FLOOD_CALL + N, which no kernel has, for N events. */
#ifndef NVT_FLOOD_H
#define NVT_FLOOD_H

#define FLOOD_CALL   100000
#define FLOOD_EVENTS 16 /* at most, with one call */

#endif
