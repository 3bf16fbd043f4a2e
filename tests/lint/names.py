# SPDX-License-Identifier: GPL-2.0-or-later
"""What READMEs and comments name is there: a `FILE`, a `NAME()`, and NAME() or NAME[] of or in FILE.

A file is named by its path, from the top of the tree or from the folder of the text, or, if it is below that folder, by its
end. A word in capitals stands for others, and a folder that is not in the tree is one of another project.

usage: names.py FILE...     all files of the tree
"""
import os
import re
import sys

KINDS = r"(?:[ch]|def|sh|py|awk|jq|bats|bash|list|mk)"
FILE = rf"[\w./-]+\.{KINDS}"
text = {}
for path in sys.argv[1:]:
    if re.search(rf"\.(md|{KINDS})$|/compare$|Makefile$", path):
        with open(path, encoding="utf-8") as f:
            text[path] = f.read()


folders = {os.path.dirname(path) for path in sys.argv[1:]} | {""}


def found(name, path):
    """The file that a text in path calls so, or None; of another project: any."""
    folder = os.path.dirname(path) if path.endswith(".md") else ""
    here = os.path.normpath(os.path.join(folder, name))
    end = next((p for p in text if p.startswith(folder) and p.endswith("/" + name)), None)
    return next((p for p in (name, here, end) if p in text), None if os.path.dirname(name) in folders else "")


def faults(path):
    readme = path.endswith(".md")
    names = rf"`({FILE})[` :]" if readme else rf"(?<![\w<\"./-])((?:lib|cmd|bpf|tests)/{FILE})\b"
    for name in re.findall(names, text[path]):
        if not re.search("[A-Z]{2}", name) and found(name, path) is None:
            yield f"no file {name}"
    for symbol, kind, name in re.findall(
            rf"(\w+)([(\[])[)\]]`?\s+(?:\* )?(?:of|in)\s+(?:\* )?`?({FILE})\b", text[path]):
        file = found(name, path)
        if file != "" and not re.search(rf"^(?!\t).*\b{symbol}\{kind}", text.get(file, ""), re.M):
            yield f"no {symbol} in {name}"
    for symbol in re.findall(r"`(\w+)(?:\(\)|\[\])`", text[path]) if readme else ():
        if not any(re.search(rf"\b{symbol}\b", text[p]) for p in text if not p.endswith(".md")):
            yield f"no {symbol}"


bad = [f"{path}: {fault}" for path in text if re.search(r"\.(md|c|h|def)$", path) for fault in faults(path)]
print("\n".join(bad))
sys.exit(bool(bad))
