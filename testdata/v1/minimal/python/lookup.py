"""Symbols, types, methods, the index, and lookups of docs/format.md."""

import struct
from collections import namedtuple

from archive import Archive, require
from hashes import MASK, method_id, mix, type_id

METHOD, TYPE = 1, 3  # kinds of records in the index
FIELD_SIZES = (8, 8, 16, 8, 8, 8, 8, 8, 16, 8, 32, 8, 16, 8)
ID, INVOCATIONS, LINKS, CODE, BACKEDGES, TRAPS, SECTIONS, DIRECTORY = 0, 1, 3, 4, 6, 11, 12, 13

Key = namedtuple("Key", "cls name signature loader")
Method = namedtuple("Method", "at flags profiles contexts nodes key id")


class Reader(Archive):
    """An open archive, with its lookups."""

    # Symbol, Type record, Method record

    def text(self, at, signature=False):
        if at == 0:
            return b""
        self.require_inside(self.symbols, at, 8)
        length = self.u32(at)
        if signature and length >= 2**31:
            return self.list(at + 4, length - 2**31)
        self.require_inside(self.symbols, at + 4, length)
        return self.data[at + 4:at + 4 + length]

    def list(self, at, count):
        require(1 <= count <= 2**20)
        self.require_inside(self.symbols, at, 4 * count)
        head, *parts = (self.text(8 * ref) for ref in self.numbers(f"{count}I", at))
        require(sum(map(len, parts)) + len(parts) + len(head) < 2**20)
        return head + b"(" + b",".join(parts) + b")"

    def type_names(self, at):
        self.require_inside(self.types, at, 24)
        require((at - self.types.start) % 24 == 0)
        name, loader = self.numbers("2I", at + 8)
        return self.text(8 * name), self.text(8 * loader)

    def method(self, at):
        self.require_inside(self.methods, at, 8)
        name, units, flags = self.numbers("I2H", at)
        used = 1 + (flags & 0x87).bit_count()
        named = flags & 64
        require(flags < 256 and (units >= used and flags & 7 == 0 if named else units == used))
        self.require_inside(self.methods, at, 8 * units)
        fields = struct.iter_unpack("<2I", self.data[at + 8:at + 8 * used])
        id_word, declared, profiled, in_context = (next(fields) if flags & bit else (0, 0) for bit in (128, 1, 2, 4))
        cls, loader = self.type_names(8 * declared[0]) if declared[0] else (b"", b"")
        key = Key(cls, b"" if named else self.text(8 * name), self.text(8 * declared[1], signature=True), loader)
        if named:
            key, profiled = Key(b"", self.data[at + 8 * used:at + 8 * units].rstrip(b"\0"), b"", b""), (name, 0)
        contexts, nodes = 8 * in_context[0], in_context[1]
        if flags & 4:
            self.require_inside(self.contexts, contexts, 16 * nodes)
            require(nodes > 0 and (contexts - self.contexts.start) % 16 == 0)
        profiles, record_id = 8 * profiled[0], id_word[0] | id_word[1] << 32
        require(bool(flags & 128) == (profiles == 0))
        if profiles:  # the id is in the first block
            block = Block(self, profiles)
            require(block.has(0) and block.method == at)
            record_id = block.u64(0)
        return Method(at, flags, profiles, contexts, nodes, key, record_id)

    # Index, Lookup

    def search(self, record_id, kind):
        """Yields the candidates of an id."""
        h = mix(record_id, kind, self.seed)
        bucket, rest = h * self.lines >> 64, h * self.lines & MASK
        for i in range(self.max_probe):
            line = self.ix.start + 64 * ((bucket + i) % self.lines)
            *prints, overflow, multiplier, spilled = self.numbers("11H2B", line)
            own = (rest * multiplier & MASK) * 10 >> 64
            for slot in range(10) if spilled else (own,):
                if prints[slot] == h & 0xffff | 1:
                    at = 8 * self.u32(line + 24 + 4 * slot)
                    require(at in self.types or at in self.methods or at in self.rw)
                    if (at in self.types) == (kind == TYPE):
                        yield at
            if not overflow >> (h >> 16 & 15) & 1:
                break

    def from_index(self, at):
        if at in self.methods:
            return self.method(at)
        block = Block(self, at)
        method = self.method(block.method)
        require(block.has(ID) and method.profiles == at)
        return method

    def methods_of_id(self, record_id):
        return (m for m in map(self.from_index, self.search(record_id, METHOD)) if m.id == record_id)

    def find(self, key):
        record_id = method_id(self.domain, key)
        for method in self.methods_of_id(record_id):
            if method.key == key:
                return method
        return self.find_row(key, record_id)

    def find_row(self, key, record_id):
        """Finds an unexecuted method without a record."""
        if not key.cls or key.loader or not self.unexecuted:
            return None
        holders = [at for at in self.search(type_id(key.cls, b""), TYPE) if self.type_names(at) == (key.cls, b"")]
        first = self.unexecuted.start + 8
        classes, start = self.u32(first - 8), 0
        self.require_inside(self.unexecuted, first, 8 * classes)
        for at in range(first, first + 8 * classes, 8):
            holder, end = self.numbers("2I", at)
            rows = range(first + 8 * (classes + start), first + 8 * (classes + end), 8)
            require(end > start and rows.stop <= self.unexecuted.stop)
            for row in rows if 8 * holder in holders else ():
                name, signature = self.numbers("2I", row)
                if (self.text(8 * name), self.text(8 * signature, signature=True)) == (key.name, key.signature):
                    return Method(row, 8, 0, 0, 0, key, record_id)
            start = end
        return None

    def find_profiles(self, method, frames):
        """Returns the first profile in the longest recorded context, this context, and its number of frames."""
        parent, best = method.at, (method.profiles, 0, 0)
        nodes = [self.numbers("2IiI", at) for at in range(method.contexts, method.contexts + 16 * method.nodes, 16)]
        for depth, (point, key) in enumerate(frames, 1):
            caller = self.find(key)
            wanted = caller and (parent // 8, caller.at // 8, point)
            found = [i for i, node in enumerate(nodes) if node[:3] == wanted]
            if not found:
                break
            parent = method.contexts + 16 * found[0]
            if nodes[found[0]][3]:
                best = 8 * nodes[found[0]][3], parent, depth
        return best


class Block:
    """A MethodData block. Its fields are checked at once, its entries by Entries."""

    def __init__(self, archive, at):
        self.archive, self.at, self.fields = archive, at, {}
        archive.require_inside(archive.rw, at, 16)
        units, method, presence, data = archive.numbers("4I", at)
        self.method, self.end = 8 * method, at + 8 * units
        require(units >= 2 and self.end <= archive.rw.stop and presence < 2**14)
        next_field = at + 16
        for i, size in enumerate(FIELD_SIZES):
            if presence >> i & 1:
                self.fields[i] = next_field
                require(next_field + size <= self.end)
                next_field += size if i != TRAPS else 8 + -(-archive.u32(next_field) // 8) * 8
        self.sizes = [data, *(self.pair(SECTIONS, i) for i in range(3))]
        self.entries, self.rows = next_field, self.pair(DIRECTORY, 0)
        padding = self.end - next_field - 8 * (sum(self.sizes) + self.rows)
        require(0 <= padding <= 24)

    def has(self, field):
        return field in self.fields

    def u64(self, field):
        return self.archive.u64(self.fields[field]) if field in self.fields else 0

    def pair(self, field, i):
        return self.archive.u32(self.fields[field] + 4 * i) if field in self.fields else 0
