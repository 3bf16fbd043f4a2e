# SPDX-License-Identifier: GPL-2.0-or-later
# For bats: a pipe that somebody writes to and nobody reads.
# shellcheck shell=bash

# until_full PIPE: waits until nothing more fits into it.
until_full()
{
	python3 - "$1" <<-'END'
		import os, select, sys
		fd = os.open(sys.argv[1], os.O_RDWR | os.O_NONBLOCK)
		poll = select.poll()
		poll.register(fd, select.POLLOUT)
		for _ in range(1000):
		    if not any(events & select.POLLOUT for _, events in poll.poll(10)):
		        sys.exit(0)
		    select.select([], [], [], 0.01)
		sys.exit('the pipe does not fill up')
	END
}
