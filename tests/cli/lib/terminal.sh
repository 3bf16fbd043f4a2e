#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# terminal.sh COLUMNS SCRIPT OUT: runs the script in a terminal of that width. OUT is what can be read on it at the end, all
# that has scrolled away included; OUT.joined has lines that the terminal has wrapped in one.
set -euo pipefail

columns=$1 script=$(realpath "$2") out=$3
socket=$out.socket
tmux=(tmux -S "$socket" -f "$out.conf")

echo 'set-option -g history-limit 100000' >"$out.conf"
trap '"${tmux[@]}" kill-server 2>/dev/null || :' EXIT
env -u COLUMNS -u LINES TERM=xterm "${tmux[@]}" new-session -d -x "$columns" -y 50 \
	"bash '$script'; tmux wait-for -S all; tmux wait-for read"
"${tmux[@]}" wait-for all
"${tmux[@]}" capture-pane -p -S - >"$out"
"${tmux[@]}" capture-pane -p -S - -J >"$out.joined"
