# SPDX-License-Identifier: GPL-2.0-or-later
# fits.py COLUMNS WHOLE SHOWN: what the terminal shows against what is printed where there is none. Both files hold outputs,
# each below a line `=== N`. SHOWN.joined has the lines that the terminal has wrapped in one. Prints what is wrong.
import re
import sys

# Figures are never cut, names may be, also that of a process in mixed.nvt.
NAMES = {'123456789012345'}
FIGURE = re.compile(r'[-+]?[0-9][0-9.,:]*[%+]?|0x[0-9a-f]+')


def outputs(name):
    found, here = {}, None
    for line in open(name, encoding='utf-8'):
        if line.startswith('=== '):
            here = found.setdefault(line[4:].strip(), [])
        elif here is not None:
            here.append(line.rstrip())
    return found


def is_heading(line):
    return re.fullmatch(r'( *[A-Z%][A-Z0-9%/.]*(\([a-zA-Z]+\)|%)?~?)+', line)


def is_whole(word, words, line):
    if word in words or word.strip('|*') in words | {''}:
        return True
    begins = [w for w in words if w.startswith(word[:-1]) and (w in NAMES or not FIGURE.fullmatch(w))]
    return word.endswith('~') and begins and not is_heading(line)


columns, whole, shown = int(sys.argv[1]), outputs(sys.argv[2]), outputs(sys.argv[3])
joined = outputs(sys.argv[3] + '.joined')
wrong = 0
for command, lines in shown.items():
    words = {word for line in whole[command] for word in line.split()}
    bad = [f'is longer: {line}' for line in joined[command] if line not in lines]
    drawn = any('per power of two' in line for line in whole[command])  # its cells are of that width
    for line in [] if drawn else lines:
        bad += [f'{word}: {line}' for word in line.split() if not is_whole(word, words, line)]
    if not any(lines) or not any(whole[command]):
        bad.append('it prints nothing')
    for text in bad[:5]:
        print(f'{columns} columns, {command}: {text}')
    wrong += len(bad)
sys.exit(wrong > 0)
