"""The tables of ex, and the shapes of a producer's entries."""

import re

from container import round_up
from hashes import METHOD, TYPE
from profiles import NAMES, Profiles

COLUMN_NAMES = (None, "word", "symbol", "type", "method", "profile", "context")
ORDER, SHAPES, BASE, CROWDED_IDS = 1, 19, 23, 35

# The kinds of the columns that a table of each kind begins with; those of an order depend on what was imported.
COLUMNS = {
    1: "", 2: "22", 3: "1111", 4: "31", 5: "1411", 6: "2", 7: "111", 8: "211", 9: "11", 10: "311111", 11: "3111112",
    12: "11111111", 13: "3", 14: "22", 15: "42", 16: "1" * 13 + "2" * 6, 17: "112111", 18: "2111", 19: "11111",
    20: "41111111", 21: "611", 22: "4221", 23: "11112", 25: "41111", 26: "5111", 27: "12" + "1" * 25, 28: "121",
    29: "5211111", 30: "22121121", 31: "2221112", 32: "411", 33: "5111", 34: "51", 35: "143"}

# The letters of the cells of a producer's entries, by their kinds; see profiles.py.
CELL_ROLES = {1: "c", 2: ".", 3: ".", 4: ".", 5: ".", 6: "t", 7: "m", 8: ".", 9: "."}


class Table:
    """A table whose geometry was checked. starts has the offset of each column."""

    __slots__ = ("offset", "kind", "flags", "columns", "rows", "starts")


class Shape:
    """What the entries of a tag of a producer are: lists of (name, kind) of the fixed cells and the cells of a row."""

    def __init__(self, name):
        self.name, self.fixed, self.row, self.bits = name, [], [], {}

    def roles(self):
        return tuple("".join(CELL_ROLES[kind] for _, kind in part) for part in (self.fixed, self.row))


class Archive(Profiles):
    def __init__(self, data):
        super().__init__(data)
        self.check_sums()
        self.tables = []
        self.crowded = []  # rows of the table crowded: id, kind, offset of the record, offset of the row's id
        self._load_tables()

    def load(self):
        """Walks over everything that a dump shows."""
        self.load_records()
        self.load_blocks()

    def _load_tables(self):
        start, end = self.bounds["ex"]
        if start == end:
            return
        self.refuse(end - start < 8, start, "ex is too short for its directory")
        number = self.u32(start)
        at = start + 8 + 24 * number
        self.refuse(number > 1024 or at > end, start, "%d tables" % number)
        last = 0
        for row in range(start + 8, at, 24):
            kind, _, offset, size = self.unpack("2I2Q", row)
            self.refuse(kind <= last, row, "the kinds of tables do not ascend")
            self.refuse(offset != at or size > end - at, row, "a table is not where it can be")
            self.tables.append(self._table(kind, offset, offset + size))
            last = kind
            at += size
        self.refuse(at != end, start, "the tables do not fill ex")
        for table in self.tables:
            if table.kind == SHAPES and self.domain == 6:
                self._shapes(table)
            if table.kind == CROWDED_IDS and self.is_crowded:
                self._crowded(table)

    def _crowded(self, table):
        for row in range(table.rows):
            ident, (method, of) = self.cell(table, 0, row), (self.u32(table.starts[i] + 4 * row) * 8 for i in (1, 2))
            self.crowded.append((ident, METHOD if method else TYPE, 0 if method and of else method or of, table.starts[0] + 8 * row))

    def _table(self, kind, offset, end):
        self.refuse(end - offset < 16, offset, "a table is too short for its header")
        it = Table()
        it.offset = offset
        it.kind, it.flags, columns, it.rows = self.unpack("4I", offset)
        at = offset + 16 + round_up(columns, 8)
        self.refuse(it.kind != kind or not 1 <= columns <= 64 or at > end, offset, "the header of a table")
        if it.kind in COLUMNS and it.flags & ~(1 if kind == ORDER else 0):
            raise self.corrupt(offset + 4, "unknown flags 0x%x of a table" % it.flags)
        it.columns = self.data[offset + 16:offset + 16 + columns]
        self.refuse(not all(1 <= column <= 6 for column in it.columns), offset + 16, "an unknown kind of a column")
        expected = COLUMNS.get(kind, "")
        if bytes(int(c) for c in expected) != it.columns[:len(expected)]:
            raise self.corrupt(offset + 16, "the columns of a table of kind %d" % kind)
        self.refuse(kind == BASE and it.rows > 1, offset + 12, "more than one base")
        it.starts = []
        for column in it.columns:
            it.starts.append(at)
            at += round_up(it.rows * (8 if column == 1 else 4), 8)
        self.refuse(at != end, offset, "the columns do not fill a table")
        return it

    def cell(self, table, column, row):
        """The value of a cell: a number, a text, a record, or None."""
        kind = table.columns[column]
        if kind == 1:
            return self.u64(table.starts[column] + 8 * row)
        at = table.starts[column] + 4 * row
        reference = self.u32(at)
        offset = reference * 8
        if not reference:
            return None
        if kind == 2:
            return self.symbol(reference, at)[0]
        if kind == 3:
            return self.type_at(offset, at)
        if kind == 4:
            return self.row_at(offset, at) if self.inside("unexecuted", offset) else self.method_ref(offset, at)
        return self.block_at(offset, at) if kind == 5 else self.context_at(offset, at)

    # Shapes.

    def _shapes(self, table):
        self.refuse(table.columns != b"\1" * 5, table.offset, "the columns of shapes")
        last = -1
        names = set(NAMES.values())
        for row in range(table.rows):
            at = table.starts[0] + 8 * row
            head = self.cell(table, 0, row)
            text = b"".join(self.cell(table, i, row).to_bytes(8, "little") for i in range(1, 5)).rstrip(b"\0")
            if head <= last or not re.fullmatch(rb"[A-Za-z0-9_-]{1,32}", text):
                raise self.corrupt(at, "a row of shapes is out of order, or its name is not one")
            last = head
            self.refuse(not self._declare(head, text.decode(), names), at, "a row of shapes breaks a rule")

    def _declare(self, head, name, names):
        """Takes one row of the shapes. Says whether it keeps the rules."""
        tag, part, cell, bit, kind = head >> 32, head >> 24 & 255, head >> 16 & 255, head >> 8 & 255, head & 255
        if part == 0:
            if not 192 <= tag <= 255 or tag in self.shapes or cell or bit or kind > 6:
                return False
            if not name[0].isupper() or name in names:
                return False
            names.add(name)
            self.shapes[tag] = Shape(name)
            return True
        if tag not in self.shapes or not re.match("[a-z]", name) or name.lower() != name:
            return False
        shape = self.shapes[tag]
        if part in (1, 2):
            cells, most = ((shape.fixed, 32), (shape.row, 8))[part - 1]
            if bit or cell != len(cells) or cell >= most or kind not in CELL_ROLES or name in dict(cells):
                return False
            if part == 1 and name in ("tag", "point", "flags", "traps", "sub", "rows"):
                return False
            cells.append((name, kind))
            return True
        if part in (3, 4):
            cells = (shape.fixed, shape.row)[part - 3]
            known = shape.bits.setdefault((part, cell), set())
            if cell >= len(cells) or cells[cell][1] != 3 or bit > 63 or kind or name in known:
                return False
            known.add(name)
            return True
        return False
