# SPDX-License-Identifier: GPL-2.0-or-later
# Rewrites apt's *.sources (deb822) of release OLD for suite NEW: run it with -v RS= so that a record is a stanza.
#
# Kept are binary stanzas of OLD, OLD-updates and OLD-security; all else (backports, other vendors) is
# dropped. Signed-By and the other fields stay, so the machine's own keys and mirror serve.

function suites(line,    n, i, word, kept)
{
	n = split(line, word, /[ \t]+/)
	for (i = 2; i <= n; i++) {
		if (word[i] != OLD && (NEW == "sid" || word[i] !~ ("^" OLD "-(updates|security)/?$")))
			continue
		sub("^" OLD, NEW, word[i])
		kept = kept " " word[i]
	}
	return kept
}

{
	out = kept = ""
	binary = 0
	n = split($0, line, "\n")
	for (i = 1; i <= n; i++) {
		if (line[i] ~ /^#/ || line[i] ~ /^Architectures:/)
			continue
		if (line[i] ~ /^Enabled:[ \t]*no/)
			next
		if (line[i] ~ /^Types:/) {
			binary = line[i] ~ /[ \t]deb([ \t]|$)/
			line[i] = "Types: deb"
		}
		if (line[i] ~ /^Suites:/) {
			kept = suites(line[i])
			line[i] = "Suites:" kept
		}
		out = out line[i] "\n"
	}
	if (kept != "" && binary)
		print out
}
