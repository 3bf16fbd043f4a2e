#compdef nvmetool
# SPDX-License-Identifier: GPL-2.0-or-later
# zsh completion: the words up to the cursor go to nvmetool, which knows the options.
_nvmetool() {
	local line
	local -a found shown
	for line in ${(f)"$(${(Q)words[1]} __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)"}; do
		case $line in
		(:files) compset -P '--*='; _files ;;
		(:dirs) compset -P '--*='; _files -/ ;;
		(:commands) _command_names -e ;;
		(*) found+=("${line%%$'\t'*}") shown+=("${line/$'\t'/  -- }") ;;
		esac
	done
	(( $#found )) && compadd -l -d shown -a found
}
[[ $funcstack[1] == _nvmetool ]] && _nvmetool "$@" || compdef _nvmetool nvmetool
