# SPDX-License-Identifier: GPL-2.0-or-later
# For bats: are the machine formats what the schema says?

# check_json COMMAND FILE: a whole stream, meta to summary. Fails and says what is wrong.
check_json()
{
	local schema=$BATS_TEST_TMPDIR/schema.json wrong=$BATS_TEST_TMPDIR/wrong

	"$NVMETOOL" help --schema "$1" >"$schema" || return 1
	jq -rn --slurpfile schema "$schema" -f "$BATS_TEST_DIRNAME/lib/records.jq" "$2" >"$wrong" || return 1
	[ -s "$wrong" ] || return 0
	sort "$wrong" | uniq -c | head -n 20
	return 1
}

# check_csv FILE: every line ends in CR LF, every record has as many fields as the header, no control characters.
check_csv()
{
	python3 - "$1" <<-'END'
		import csv, sys
		data = open(sys.argv[1], 'rb').read()
		assert data.endswith(b'\r\n'), 'no CR LF at the end'
		text = data.decode('utf-8')
		assert not any(ord(c) < 0x20 and c not in '\r\n' or 0x7f <= ord(c) < 0xa0 for c in text), 'control character'
		rows = list(csv.reader(text.split('\r\n')[:-1], strict=True))
		assert '\n' not in text.replace('\r\n', '') and len({len(r) for r in rows}) == 1, 'ragged'
	END
}
