# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion: the words up to the cursor go to nvmetool, which knows the options.
_nvmetool() {
	local line=${COMP_LINE:0:COMP_POINT} cur stands i word
	local -a words
	read -ra words <<<"$line"
	[[ $line == *[[:space:]] ]] && words+=("")
	# sudo and the like: what stands before our own name is not ours.
	for ((i = 0; i < ${#words[@]} - 1; i++)); do [[ ${words[i]} == "$1" ]] && break; done
	words=("${words[@]:i}") cur=${words[-1]} stands=
	# Readline replaces only what follows the last = or : of the word.
	for i in = :; do [[ $COMP_WORDBREAKS == *$i* && $cur == *$i* ]] && stands=${cur%"${cur##*[=:]}"}; done
	COMPREPLY=()
	while IFS=$'\t' read -r word _; do
		case $word in
		:files | :dirs) compopt -o default ;;
		:commands) mapfile -t COMPREPLY < <(compgen -c -- "$cur") ;;
		*) COMPREPLY+=("${word#"$stands"}") ;;
		esac
	done < <("$1" __complete "${words[@]:1}" 2>/dev/null)
} && complete -F _nvmetool nvmetool
