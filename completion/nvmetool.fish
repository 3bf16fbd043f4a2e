# SPDX-License-Identifier: GPL-2.0-or-later
# fish completion: the words up to the cursor go to nvmetool, which knows the options.
function __nvmetool_complete
	set -l words (commandline -opc)
	set -l cur (commandline -ct)
	set -l name (string match -r -- '^--[^=]*=' $cur; or echo '')
	for line in ($words[1] __complete $words[2..-1] "$cur" 2>/dev/null)
		switch $line
			case :files
				printf '%s\n' $name(__fish_complete_path (string replace -- "$name" '' $cur))
			case :dirs
				printf '%s\n' $name(__fish_complete_directories (string replace -- "$name" '' $cur) '')
			case :commands
				__fish_complete_command
			case '*'
				echo $line
		end
	end
end
complete -c nvmetool -f -a '(__nvmetool_complete)'
