"""Symbols, types, methods, rows of unexecuted methods, and contexts."""

import index
from container import Container
from hashes import METHOD, method_id

LIST = 1 << 31
LONGEST_PART = 1 << 20
MOST_PARTS = 1 << 20

DECLARED, PROFILED, IN_CONTEXT, UNEXECUTED, _, SHARED_ID, NAMED, WITH_ID = (1 << i for i in range(8))
SHOWN_FLAGS = 0x38


class Type:
    __slots__ = ("offset", "id", "name", "loader", "alias", "flags")


class Method:
    """A method record, or a row of an unexecuted method, which has is_row."""

    __slots__ = ("offset", "size", "flags", "key", "holder", "name_ref", "signature_ref", "profiles", "access",
                 "contexts", "number", "id", "is_row")


class Context:
    __slots__ = ("offset", "parent", "caller", "point", "profiles", "method", "depth")


class Records(Container):
    """Reads records by their offsets. load_records walks over all of them; after that a reference to anything but the
    start of a record is damage."""

    def __init__(self, data):
        super().__init__(data)
        self.symbol_starts = self.method_starts = None
        self.types, self.methods, self.rows, self.contexts = {}, {}, {}, {}
        self.text = {"methods": 0, "types": 0}
        self.text_limit = max(32 * len(data), 64 << 20)
        self._found = set()

    # Symbols.

    def symbol(self, reference, at, lists=False):
        """The text of a symbol and what it counts toward the limit of text. at is where the reference is."""
        if not reference:
            return b"", 0
        offset = reference * 8
        if not self.inside("symbols", offset, 4):
            raise self.corrupt(at, "a reference to a symbol leads out of the symbol section")
        if self.symbol_starts is not None and offset not in self.symbol_starts:
            raise self.corrupt(at, "a reference leads into a symbol")
        size = self.u32(offset)
        if not size & LIST:
            self.refuse(not self.inside("symbols", offset, 4 + size), offset, "a symbol leads out of its section")
            return self.data[offset + 4:offset + 4 + size], size
        self.refuse(not lists, at, "a list where no signature is expected")
        size &= ~LIST
        if not 1 <= size <= MOST_PARTS or not self.inside("symbols", offset, 4 + 4 * size):
            raise self.corrupt(offset, "a list of %d parts" % size)
        texts, length = [], size + 1
        for i, part in enumerate(self.unpack("%dI" % size, offset + 4)):
            texts.append(self.symbol(part, offset + 4 + 4 * i)[0])
            length += len(texts[-1])
            if length > LONGEST_PART + 1:
                break
        text = texts[0] + b"(" + b",".join(texts[1:]) + b")"
        self.refuse(len(text) > LONGEST_PART, offset, "the text of a list is too long")
        return text, len(text) + 16 * size

    def key_text(self, reference, at, lists=False):
        """As symbol, for a part of a key or of a type."""
        text, weight = self.symbol(reference, at, lists)
        self.refuse(len(text) > LONGEST_PART, at, "a part of a key has more than 1 MiB")
        self.refuse(b"\0" in text, at, "a part of a key contains a NUL byte")
        return text, weight

    def _count_text(self, what, size, at):
        self.text[what] += size
        self.refuse(self.text[what] > self.text_limit, at, "the text of all %s exceeds the limit" % what)

    # Records. at is the offset of the reference that leads to the record, for messages.

    def type_at(self, offset, at):
        known = self.types.get(offset)
        if known:
            return known
        if not self.inside("types", offset, 24) or (offset - self.bounds["types"][0]) % 24:
            raise self.corrupt(at, "a reference to a type does not lead to a type record")
        it = Type()
        it.offset = offset
        it.id, name, loader, alias, it.flags = self.unpack("Q4I", offset)
        it.name = self.key_text(name, offset + 8)[0]
        it.loader = self.key_text(loader, offset + 12)[0]
        it.alias = self.key_text(alias, offset + 16)[0]
        self._count_text("types", len(it.name) + len(it.loader) + len(it.alias), offset)
        self.types[offset] = it
        return it

    def method_at(self, offset, at):
        known = self.methods.get(offset)
        if known:
            return known
        if offset % 8 or not self.inside("methods", offset, 8):
            raise self.corrupt(at, "a reference to a method leads out of the section methods")
        if self.method_starts is not None and offset not in self.method_starts:
            raise self.corrupt(at, "a reference leads into a method record")
        it = Method()
        it.offset, it.is_row = offset, False
        it.name_ref, units, it.flags = self.unpack("I2H", offset)
        it.size = 8 * units
        it.holder = it.signature_ref = it.profiles = it.access = it.contexts = it.number = 0
        if units == 0 or not self.inside("methods", offset, it.size) or it.flags > 0xFF:
            raise self.corrupt(offset, "%d units and flags 0x%x of a method record" % (units, it.flags))
        if it.flags & NAMED:
            self._named(it)
        else:
            self._by_parts(it)
        self.methods[offset] = it
        return it

    def _named(self, it):
        skip = 16 if it.flags & WITH_ID else 8
        if it.flags & (DECLARED | PROFILED | IN_CONTEXT) or it.size < skip:
            raise self.corrupt(it.offset + 6, "the flags of a named record")
        it.profiles, it.name_ref = it.name_ref * 8, 0
        name = self.data[it.offset + skip:it.offset + it.size].rstrip(b"\0")
        self.refuse(b"\0" in name, it.offset + skip, "a NUL byte in a name")
        it.key = (b"", name, b"", b"")
        self._id(it, it.offset + 8)

    def _by_parts(self, it):
        at = it.offset + 8
        if it.size != 8 + 8 * sum(1 for bit in (DECLARED, PROFILED, IN_CONTEXT, WITH_ID) if it.flags & bit):
            raise self.corrupt(it.offset + 4, "the units of a method record do not agree with its flags")
        if it.flags & WITH_ID:
            at += 8
        declared = at
        if it.flags & DECLARED:
            it.holder, it.signature_ref = self.u32(at) * 8, self.u32(at + 4)
            at += 8
        self._key(it, it.offset, declared)
        if it.flags & PROFILED:
            it.profiles, it.access = self.u32(at) * 8, self.u32(at + 4)
            at += 8
        if it.flags & IN_CONTEXT:
            it.contexts, it.number = self.u32(at) * 8, self.u32(at + 4)
            at += 8
        self._id(it, it.offset + 8)

    def _key(self, it, name_at, declared_at):
        """Sets the key from the holder, the name and the signature."""
        holder = self.type_at(it.holder, declared_at) if it.holder else None
        cls, loader = (holder.name, holder.loader) if holder else (b"", b"")
        name, name_weight = self.key_text(it.name_ref, name_at)
        signature, signature_weight = self.key_text(it.signature_ref, declared_at + 4, lists=True)
        self._count_text("methods", len(cls) + name_weight + signature_weight + len(loader), it.offset)
        it.key = (cls, name, signature, loader)

    def _id(self, it, at):
        """Sets the id, which is in the record or in the first block without a context."""
        if it.flags & WITH_ID:
            self.refuse(it.profiles, it.offset + 6, "a method record with an id and a MethodData without a context")
            it.id = self.u64(at)
            return
        if not it.profiles or not self.inside("rw", it.profiles, 24) or not self.u32(it.profiles + 8) & 1:
            raise self.corrupt(it.offset, "a method record has no id, and its first block neither")
        it.id = self.u64(it.profiles + 16)

    def method_ref(self, offset, at):
        """A method record that something but the index refers to: the index must find it, since bytes inside a record
        can look like a record."""
        it = self.method_at(offset, at)
        if offset not in self._found:
            if not index.finds(self, it.id, METHOD, offset):
                raise self.corrupt(at, "a reference leads to a method that the index does not find")
            self._found.add(offset)
        return it

    def row_at(self, offset, at):
        """The row of an unexecuted method; load_records has made all of them."""
        self.refuse(offset not in self.rows, at, "a reference leads to no row of an unexecuted method")
        return self.rows[offset]

    def context_at(self, offset, at):
        self.refuse(offset not in self.contexts, at, "a reference to a context does not lead to a context record")
        return self.contexts[offset]

    # Walks over the sections.

    def load_records(self):
        self._load_symbols()
        start, end = self.bounds["types"]
        for offset in range(start, end, 24):
            self.type_at(offset, offset)
        at, end = self.bounds["methods"]
        while at < end:
            at += self.method_at(at, at).size
        self.method_starts = set(self.methods)
        self._load_rows()
        self._load_contexts()

    def _load_symbols(self):
        at, end = self.bounds["symbols"]
        starts = set()
        while at < end:
            starts.add(at)
            size = self.u32(at)
            size = 4 * (size & ~LIST) if size & LIST else size
            self.refuse(at + 4 + size > end, at, "a symbol leads out of its section")
            at += (4 + size + 7) & ~7
        self.symbol_starts = starts

    def _load_rows(self):
        start, end = self.bounds["unexecuted"]
        if start == end:
            return
        classes = self.u32(start)
        first = start + 8 + 8 * classes
        self.refuse(first > end, start, "%d class rows are more than the section has" % classes)
        row, before, last = 0, 0, 0
        for at in range(start + 8, first, 8):
            holder, until = self.unpack("2I", at)
            holder *= 8
            self.refuse(until <= row or first + 8 * until > end, at + 4, "the end of a class row")
            self.refuse(holder <= before, at, "class rows are not in the order of their types")
            before, last = holder, None
            cls = self.type_at(holder, at)
            while row < until:
                it = Method()
                it.offset, it.size, it.flags, it.is_row = first + 8 * row, 8, DECLARED | UNEXECUTED, True
                it.holder = holder
                it.profiles = it.access = it.contexts = it.number = 0
                it.name_ref, it.signature_ref = self.unpack("2I", it.offset)
                self._key(it, it.offset, it.offset)
                it.id = method_id(self.domain, it.key)
                self.refuse(cls.loader, at, "a class with a loader has rows of unexecuted methods")
                self.refuse(last is not None and it.key <= last, it.offset, "the rows of a class are not sorted")
                last = it.key
                self.rows[it.offset] = it
                row += 1
        self.refuse(first + 8 * row != end, start, "the class rows do not cover all rows")

    def _load_contexts(self):
        start, end = self.bounds["contexts"]
        owner = {}
        for method in self.methods.values():
            if not method.flags & IN_CONTEXT:
                continue
            first, number = method.contexts, method.number
            if number == 0 or (first - start) % 16 or not self.inside("contexts", first, 16 * number):
                raise self.corrupt(method.offset, "the contexts of a method are not in their section")
            for offset in range(first, first + 16 * number, 16):
                self.refuse(offset in owner, method.offset, "two methods have the same context")
                owner[offset] = method
        before = None
        for offset in range(start, end, 16):
            it = Context()
            it.offset, it.method = offset, owner.get(offset)
            parent, caller, it.point, profiles = self.unpack("2IiI", offset)
            it.parent, it.caller, it.profiles = parent * 8, caller * 8, profiles * 8
            self.refuse(it.method is None, offset, "a context belongs to no method")
            if it.parent == it.method.offset:
                it.depth = 1
            elif it.method.contexts <= it.parent < offset and it.parent in self.contexts:
                it.depth = self.contexts[it.parent].depth + 1
            else:
                raise self.corrupt(offset, "the parent of a context is not among the nodes of its method")
            self.refuse(it.depth > 65535, offset, "a context has too many frames")
            order = (it.method.offset, it.parent, it.caller, it.point)
            if before and before[0] == order[0] and order <= before:
                raise self.corrupt(offset, "the nodes of a method are not sorted")
            before = order
            self.method_ref(it.caller, offset + 4)
            self.contexts[offset] = it

    def frames(self, context):
        """The contexts of the frames, the direct caller first."""
        frames = [context]
        while frames[-1].depth > 1:
            frames.append(self.contexts[frames[-1].parent])
        frames.reverse()
        return frames

    def in_order(self):
        """All methods in the order of their keys: records and rows, merged."""
        records = [(m.holder, m.name_ref, m.signature_ref, m) for m in self.methods.values()]
        rows = [(m.holder, m.name_ref, m.signature_ref, m) for m in self.rows.values()]
        i = j = 0
        while i < len(records) or j < len(rows):
            if j == len(rows) or i < len(records) and records[i][:3] <= rows[j][:3]:
                yield records[i][3]
                i += 1
            else:
                yield rows[j][3]
                j += 1
