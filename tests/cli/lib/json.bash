# SPDX-License-Identifier: GPL-2.0-or-later
# For bats: are the machine formats what the schema says?

# check_records COMMAND FILE...: is every line what `help --schema COMMAND` says? Prints what is wrong with which line.
# One call for many files is much cheaper than one for each.
check_records()
{
	"$NVMETOOL" help --schema "$1" >"$BATS_TEST_TMPDIR/schema.json" &&
		python3 "$BATS_TEST_DIRNAME/lib/schema.py" "$BATS_TEST_TMPDIR/schema.json" "${@:2}"
}

# check_json COMMAND FILE...: whole streams, each from meta to summary.
check_json()
{
	check_records "$@" && python3 - "${@:2}" <<-'END'
		import json, sys
		for name in sys.argv[1:]:
		    lines = open(name, encoding='utf-8').read().splitlines()
		    assert json.loads(lines[0])['type'] == 'meta' and json.loads(lines[-1])['type'] == 'summary', name
	END
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
