# SPDX-License-Identifier: GPL-2.0-or-later
"""Types in BTF, and what a BPF object asks a kernel for (.BTF.ext), for btfcheck and btfdrop."""

import struct

INT, PTR, ARRAY, STRUCT, UNION, ENUM, TYPEDEF, VOLATILE, CONST, RESTRICT = 1, 2, 3, 4, 5, 6, 8, 9, 10, 11
FLOAT, DECL_TAG, TYPE_TAG, ENUM64 = 16, 17, 18, 19
# Bytes behind the 12 of a type, by kind: fixed, and for each of its vlen.
BEHIND = {1: (4, 0), 3: (12, 0), 4: (0, 12), 5: (0, 12), 6: (0, 8), 13: (0, 8), 14: (4, 0), 15: (0, 12),
          17: (4, 0), 19: (0, 12)}
MAGIC = b"\x9f\xeb"


def sections(path):
    """The sections of an ELF file by name; a file of BTF alone has one."""
    with open(path, "rb") as data:
        data = data.read()
    if data[:len(MAGIC)] == MAGIC:
        return {".BTF": data}
    table, = struct.unpack_from("<Q", data, 40)
    count, names = struct.unpack_from("<HH", data, 60)
    headers = [struct.unpack_from("<IIQQQQ", data, table + 64 * i) for i in range(count)]
    names = headers[names][4]
    return {data[names + name:data.index(b"\0", names + name)].decode(): data[at:at + size]
            for name, _, _, _, at, size in headers}


def btf_of(path):
    return sections(path)[".BTF"]


class Btf:
    """Types by number: (kind, name, size or type, rest)."""

    def __init__(self, data):
        header, types, length, strings = struct.unpack_from("<IIII", data, 4)
        self.strings = data[header + strings:]
        self.types = [(0, "", 0, [])]
        self.named = {}
        at, end = header + types, header + types + length
        while at < end:
            name, info, size = struct.unpack_from("<III", data, at)
            kind, vlen = info >> 24 & 31, info & 0xffff
            fixed, each = BEHIND.get(kind, (0, 0))
            rest = []
            if kind in (STRUCT, UNION):
                rest = [struct.unpack_from("<III", data, at + 12 + 12 * i) for i in range(vlen)]
                mask = 0xffffff if info >> 31 else 0xffffffff
                rest = [(self.string(n), t, offset & mask) for n, t, offset in rest]
                self.named.setdefault(self.string(name), []).append(len(self.types))
            elif kind == ARRAY:
                rest = struct.unpack_from("<III", data, at + 12)
            self.types.append((kind, self.string(name), size, rest))
            at += 12 + fixed + each * vlen

    def string(self, at):
        return self.strings[at:self.strings.index(b"\0", at)].decode()

    def strip(self, number):
        while self.types[number][0] in (TYPEDEF, VOLATILE, CONST, RESTRICT, TYPE_TAG):
            number = self.types[number][2]
        return number

    def size(self, number):
        kind, _, size, rest = self.types[self.strip(number)]
        if kind == PTR:
            return 8
        if kind == ARRAY:
            return rest[2] * self.size(rest[0])
        return size

    def member(self, number, name):
        """Type of a member, also of one in a nameless structure or union inside; None: there is none."""
        for there, kind, _ in self.types[self.strip(number)][3]:
            if there == name:
                return kind
            if not there and self.types[self.strip(kind)][0] in (STRUCT, UNION):
                inner = self.member(kind, name)
                if inner is not None:
                    return inner
        return None

    def element(self, number):
        """The type of an array's elements; of what is no array, that itself."""
        number = self.strip(number)
        while self.types[number][0] == ARRAY:
            number = self.strip(self.types[number][3][0])
        return number

    def find(self, names, kind):
        """The type of each member of this name, (structure, member, ...), or of its elements, where KIND is not that of an
        array. There may be several structures of a name."""
        for here in self.named.get(names[0], []):
            for name in names[1:]:
                here = self.member(self.element(here), name)
                if here is None:
                    break
            else:
                yield self.strip(here) if kind == ARRAY else self.element(here)

    def has(self, names, kind):
        """Whether libbpf finds a member of this kind (bpf_core_fields_are_compat())."""
        both = {STRUCT, UNION}
        return any(self.types[found][0] == kind or {self.types[found][0], kind} <= both for found in self.find(names, kind))


def field(btf, number, access):
    """A member that an object reads or asks for: (structure, member, ...), its size and kind there."""
    here = btf.strip(number)
    names = [btf.types[here][1].split("___")[0]]
    for index in (int(word) for word in access.split(":")[1:]):
        if btf.types[here][0] == ARRAY:
            here = btf.strip(btf.types[here][3][0])
            continue
        name, inner, _ = btf.types[here][3][index]
        names.append(name)
        here = btf.strip(inner)
    return tuple(names), btf.size(here), btf.types[here][0]


def _records(ext, field):
    """(section, words) of each record of a part of .BTF.ext, whose place is in the header at FIELD."""
    header = struct.unpack_from("<I", ext, 4)[0]
    at, length = struct.unpack_from("<II", ext, field)
    at += header
    end = at + length
    if not length:
        return
    size = struct.unpack_from("<I", ext, at)[0]
    at += 4
    while at < end:
        section, count = struct.unpack_from("<II", ext, at)
        at += 8
        for _ in range(count):
            yield section, struct.unpack_from(f"<{size // 4}I", ext, at)
            at += size


def functions(btf, ext):
    """The first instructions of functions, by section."""
    found = {}
    for section, (at, _) in _records(ext, 8):
        found.setdefault(btf.string(section), []).append(at // 8)
    return found


def relocations(btf, ext):
    """(section, instruction, kind, field() or None) of each; kinds are those of enum bpf_core_relo_kind."""
    for section, (at, number, access, kind) in _records(ext, 24):
        yield btf.string(section), at // 8, kind, field(btf, number, btf.string(access)) if kind < 6 else None
