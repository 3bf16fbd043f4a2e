# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks JSON records against a schema of `nvmetool help --schema`; prints what is wrong with which line.

usage: schema.py SCHEMA FILE...

Members that the schema does not declare are wrong, too: else it could fall behind.
"""
import json
import sys

from jsonschema import Draft202012Validator


def close(node):
    """Allows no member but the declared ones, in @node and all that is inside."""
    if isinstance(node, dict):
        if "properties" in node:
            node.setdefault("additionalProperties", False)
        for inner in node.values():
            close(inner)
    elif isinstance(node, list):
        for inner in node:
            close(inner)


def shape(value):
    """All that a schema of types can tell of @value, so that records alike are validated once."""
    if isinstance(value, dict):
        return tuple((key, value[key] if key == "type" else shape(value[key])) for key in value)
    if isinstance(value, list):
        return min(len(value), 4), frozenset(map(shape, value))
    return type(value)


def main(schema, *files):
    with open(schema, encoding="utf-8") as f:
        document = json.load(f)
    Draft202012Validator.check_schema(document)
    for branch in document["oneOf"]:
        close(branch)
    whole = Draft202012Validator(document)
    types = {b["properties"]["type"]["const"]: b for b in document["oneOf"]}
    assert len(types) == len(document["oneOf"]), "a type has two schemas"
    wrong, seen = [], set()
    for file in files:
        empty = True
        for number, line in enumerate(open(file, encoding="utf-8"), 1):
            empty = False
            record = json.loads(line)
            if shape(record) in seen:
                continue
            seen.add(shape(record))
            if whole.is_valid(record):
                continue
            kind = record.get("type")
            errors = Draft202012Validator(types[kind]).iter_errors(record) if kind in types else []
            wrong.append(f"{file}:{number}: {kind}: does not fit")
            wrong += sorted(f"    {e.json_path}: {e.message[:200]}" for e in errors)
        if empty:
            wrong.append(f"{file}: no record")
    for text in wrong[:20]:
        print(text)
    return not seen or bool(wrong)


sys.exit(main(*sys.argv[1:]))
