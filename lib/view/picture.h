// SPDX-License-Identifier: GPL-2.0-or-later
/* Where and when the commands of a picture were: what a reader has to know who gets the file alone. */
#ifndef NVT_VIEW_PICTURE_H
#define NVT_VIEW_PICTURE_H

#include "lib/session/session.h"

#define PICTURE_WHERE 400

/*
 * Writes host, drives and period, cut at PICTURE_WHERE: "db1, nvme0 (MODEL), 2026-11-21 06:59:43 to
 * 06:59:45 +02:00". The run began at session_start_ns() and ended at @end_ns, CLOCK_MONOTONIC.
 */
const char *picture_where(struct session *s, u64 end_ns, char buf[PICTURE_WHERE]);

#endif
