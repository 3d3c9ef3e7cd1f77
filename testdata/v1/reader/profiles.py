"""MethodData blocks and their entries."""

from container import round_up
from records import Records

(ID, INVOCATIONS, KEY, LINKS, CODE, SIZE, BACKEDGES, INTERPRETED, HISTORY, COMPILE, ESCAPE, TRAPS, SECTIONS,
 DIRECTORY) = range(14)
# The bytes of each optional field; those of traps are more, and follow from its first number.
FIELD_BYTES = (8, 8, 16, 8, 8, 8, 8, 8, 16, 8, 32, 8, 16, 8)

NAMES = {1: "Bit", 2: "Counter", 3: "Jump", 4: "ReceiverType", 5: "VirtualCall", 6: "Ret", 7: "Branch",
         8: "MultiBranch", 9: "ArgInfo", 10: "CallType", 11: "VirtualCallType", 12: "ParametersType",
         13: "SpeculativeTrap", 64: "Counters", 65: "ValueSite", 66: "Bitmap", 67: "Successors", 68: "Receivers",
         69: "Callees", 70: "Count", 71: "Undecoded"}

# What cells are, one letter each: c count, s signed count, t pointer to a type, m pointer to a method, w type word,
# a dot all else. Fixed cells and cells of a row of the wide entries; Bitmap has a rule of its own.
WIDE = {64: ("", "c"), 65: ("", ".c"), 66: ("", "."), 67: ("", ".c"), 68: ("c.", "tc"), 69: ("", "mc"), 70: ("c", ""),
        71: ("", ".")}


class Block:
    """A block whose geometry was checked. fields has the offset of each optional field that is present."""

    __slots__ = ("offset", "size", "method", "fields", "sections", "directory", "rows", "context", "next", "code",
                 "entries")


class Entry:
    """An entry. cells is the offset of its first cell, roles has a letter for each cell."""

    __slots__ = ("offset", "tag", "flags", "point", "traps", "sub", "rows", "fixed", "row", "cells", "roles", "size")

    def counts(self, archive):
        """The values of the count cells; a negative signed count is 0."""
        values = archive.cells(self)
        signed = "cs" if self.tag == 4 or self.tag == 68 and self.sub == 2 else "s"
        return [0 if role in signed and v >> 63 else v for role, v in zip(self.roles, values) if role in "cs"]

    def slots(self):
        """The offsets of the pointer slots, each with its role."""
        return [(self.cells + 8 * i, role) for i, role in enumerate(self.roles) if role in "tmw"]


class Profiles(Records):
    def __init__(self, data):
        super().__init__(data)
        self.blocks = {}
        self.block_starts = None
        self.shapes = {}  # by tag; see tables.py

    def block_at(self, offset, at):
        """The block at an offset. It is checked as a whole, all its entries included."""
        known = self.blocks.get(offset)
        if known:
            return known
        self.refuse(offset % 8 or not self.inside("rw", offset, 16), at, "a reference to a block leads out of rw")
        if self.block_starts is not None and offset not in self.block_starts:
            raise self.corrupt(at, "a reference leads into a block")
        it = Block()
        it.offset = offset
        units, method, presence, data_units = self.unpack("4I", offset)
        it.size, it.method = 8 * units, 8 * method
        end = offset + it.size
        self.refuse(units < 2 or not self.inside("rw", offset, it.size), offset, "a block of %d units" % units)
        self.refuse(presence >> 14, offset + 8, "unknown presence bits 0x%x" % presence)
        self.method_ref(it.method, offset + 4)
        position = self._fields(it, presence, offset + 16, end)
        self._links(it)
        sizes = [data_units, 0, 0, 0]
        if SECTIONS in it.fields:
            sizes[1:] = self.unpack("3I", it.fields[SECTIONS])
        it.sections = []
        for units in sizes:
            it.sections.append((position, position + 8 * units))
            position += 8 * units
        it.rows = self.u32(it.fields[DIRECTORY]) if DIRECTORY in it.fields else 0
        it.directory = position
        position += 8 * it.rows
        self.refuse(not position <= end <= position + 24, offset, "the parts of a block do not fill it")
        it.entries = [self._section(*bounds) for bounds in it.sections]
        self._check_directory(it)
        self.blocks[offset] = it
        return it

    def _fields(self, it, presence, at, end):
        it.fields = {}
        for bit, size in enumerate(FIELD_BYTES):
            if not presence >> bit & 1:
                continue
            self.refuse(at + size > end, it.offset, "the optional fields of a block lead out of it")
            it.fields[bit] = at
            at += size + (round_up(self.u32(at), 8) if bit == TRAPS else 0)
        self.refuse(at > end, it.offset, "the optional fields of a block lead out of it")
        return at

    def _links(self, it):
        it.context = it.next = it.code = 0
        if LINKS in it.fields:
            at = it.fields[LINKS]
            it.context, it.next = self.u32(at) * 8, self.u32(at + 4) * 8
            if it.context:
                self.context_at(it.context, at)
        if CODE in it.fields:
            it.code = self.u64(it.fields[CODE])
            self.refuse(it.code == (1 << 64) - 1, it.fields[CODE], "the code id 2^64 - 1")

    def _section(self, at, end):
        entries = []
        while at < end:
            entries.append(self._entry(at, end))
            at += entries[-1].size
        return entries

    def _check_directory(self, it):
        if DIRECTORY not in it.fields:
            return
        data = it.entries[0]
        if it.rows != len(data):
            raise self.corrupt(it.fields[DIRECTORY], "a directory of %d rows for %d entries" % (it.rows, len(data)))
        last = None
        for i, entry in enumerate(data):
            at = it.directory + 8 * i
            point, units = self.unpack("iI", at)
            if point != entry.point or it.sections[0][0] + 8 * units != entry.offset:
                raise self.corrupt(at, "a row of a directory is not its entry's")
            self.refuse(last is not None and point < last, at, "a directory is not sorted by point")
            last = point

    # Entries.

    def _entry(self, at, end):
        it = Entry()
        it.offset, it.tag, it.flags = at, self.data[at], self.data[at + 1]
        if 1 <= it.tag <= 13:
            it.point, it.traps = self.unpack("HI", at + 2)
            it.sub = it.rows = 0
            it.cells = at + 8
            it.roles = self._hotspot(it, end)
        elif it.tag in WIDE or it.tag in self.shapes:
            self.refuse(at + 16 > end, at, "an entry leads out of its section")
            it.sub, it.point, cells, it.rows = self.unpack("HiII", at + 2)
            it.traps = 0
            it.cells = at + 16
            it.roles = self._wide(it, cells, end)
        else:
            raise self.corrupt(at, "unknown tag %d" % it.tag)
        it.size = it.cells + 8 * len(it.roles) - at
        self.refuse(at + it.size > end, at, "an entry leads out of its section")
        for slot, role in it.slots():
            self.pointer(slot, role)
        return it

    def _hotspot(self, it, end):
        types, bcis, gap = self.settings[:3]

        def n(at):
            """The cell that counts the cells after it."""
            self.refuse(at + 8 > end, it.offset, "an entry leads out of its section")
            value = self.u64(at)
            self.refuse(value > (end - at - 8) // 8, at, "an entry leads out of its section")
            return value

        def words(at):
            """Arguments and perhaps a return value."""
            value = n(at)
            return "." + ".w" * (value // 2) + "w" * (value % 2)

        # The cell after the count is a count only if the gap is that cell alone.
        receivers = ("c" if gap == 1 else "." * gap) + "tc" * types
        tag, at = it.tag, it.cells
        if tag == 8:
            value = n(at)
            self.refuse(value < 2 or value % 2, at, "a MultiBranch of %d cells" % value)
            return "." + "c." * (value // 2)
        if tag == 9:
            return "." + "." * n(at)
        if tag == 10:
            return "c" + words(at + 8)
        if tag == 11:
            return "c" + receivers + words(at + 8 * (1 + len(receivers)))
        if tag == 12:
            self.refuse(n(at) % 2, at, "a ParametersType with a return value")
            return words(at)
        return {1: "", 2: "c", 3: "c.", 4: "s" + receivers, 5: "c" + receivers, 6: "c" + ".c." * bcis, 7: "c.c",
                13: "m"}[tag]

    def _wide(self, it, cells, end):
        if it.tag == 66:
            it.fixed, it.row = "", "."
            expected = -(-it.rows // 8)
        else:
            it.fixed, it.row = WIDE[it.tag] if it.tag in WIDE else self.shapes[it.tag].roles()
            if it.tag == 68 and it.sub == 2:
                it.fixed = "s."
            expected = len(it.fixed) + it.rows * len(it.row)
            if it.tag > 71 and not it.row and it.rows:
                raise self.corrupt(it.offset + 12, "rows of an entry whose rows have no cells")
        self.refuse(cells != expected, it.offset + 8, "%d cells where the rows need %d" % (cells, expected))
        self.refuse(it.cells + 8 * cells > end, it.offset, "an entry leads out of its section")
        return it.fixed + (it.row * ((cells - len(it.fixed)) // len(it.row)) if it.row else "")

    def cells(self, entry):
        return self.unpack("%dQ" % len(entry.roles), entry.cells)

    def pointer(self, slot, role):
        """The record that a pointer cell refers to, or None."""
        value = self.u64(slot)
        if role == "w":
            value &= ~3
        if not value:
            return None
        offset = (value - self.base) % (1 << 64)
        return self.method_ref(offset, slot) if role == "m" else self.type_at(offset, slot)

    # Chains.

    def load_blocks(self):
        """Walks over rw."""
        at, end = self.bounds["rw"]
        starts = set()
        while at < end:
            it = self.block_at(at, at)
            starts.add(at)
            at += it.size
        self.block_starts = starts

    def chain(self, method, context=None):
        """The blocks of a method, or of one of its contexts."""
        owner = context or method
        offset, at, last = owner.profiles, owner.offset, None
        while offset:
            it = self.block_at(offset, at)
            if it.method != method.offset or it.context != (context.offset if context else 0):
                raise self.corrupt(offset, "a chain leads to a block of another method or context")
            self.refuse(last and (offset <= last.offset or it.code <= last.code), offset, "a chain does not go forward")
            yield it
            last, offset, at = it, it.next, it.offset

    def profiles(self, method):
        """All blocks of a method: those without a context, then those of each context."""
        yield from self.chain(method)
        for i in range(method.number):
            context = self.contexts[method.contexts + 16 * i]
            if context.profiles:
                yield from self.chain(method, context)
