"""The entries of blocks, the table of shapes, and the plain form of ../../README.md."""

import re
import struct

from archive import require
from hashes import MASK
from lookup import BACKEDGES, CODE, INVOCATIONS

# Cells of entries: t a type, w a type word, m a method, c any other cell, R the cells of receivers, B the cells of a
# Ret, N a list of cells, A the cells of arguments. Wide entries have fixed cells, and the cells of a row.
NARROW = {1: "", 2: "c", 3: "cc", 4: "R", 5: "R", 6: "B", 7: "ccc", 8: "N", 9: "N", 10: "cA", 11: "RA", 12: "A",
          13: "m"}
WIDE = {64: ("", "c"), 65: ("", "cc"), 67: ("", "cc"), 68: ("cc", "tc"), 69: ("", "mc"), 70: ("c", ""), 71: ("", "c")}


def block_lines(reader, block, depth):
    yield f"profile {block.u64(CODE):016x} {depth} {block.u64(INVOCATIONS)} {block.u64(BACKEDGES)}"
    at, directory = block.entries, []
    for section, units in zip(("data", "extra", "parameters", "handlers"), block.sizes):
        end = at + 8 * units
        while at < end:
            point, line, after = entry_line(reader, at, end)
            if section == "data":
                directory.append((point, (at - block.entries) // 8))
            yield f"{section} {line}"
            at = after
    rows = list(struct.iter_unpack("<iI", reader.data[at:at + 8 * block.rows]))
    require(not rows or rows == directory and rows == sorted(rows))


def entry_line(reader, at, end):
    """Returns the point of an entry, its line, and the offset after it."""
    wide = reader.data[at] >= 64
    first = at + (16 if wide else 8)
    require(first <= end)
    rows = cells = 0
    if wide:
        tag, flags, detail, point, cells, rows = reader.numbers("2BHi2I", at)
    else:
        tag, flags, point, detail = reader.numbers("2BHI", at)
    kinds = wide_cells(reader, tag, rows, (end - first) // 8) if wide else narrow_cells(reader, tag, first, end)
    require(len(kinds) <= (end - first) // 8 and (not wide or cells == len(kinds)))
    words = reader.numbers(f"{len(kinds)}Q", first)
    line = [str(n) for n in (tag, flags, point, detail, rows)]
    line += [cell_text(reader, kind, word) for kind, word in zip(kinds, words)]
    return point, " ".join(line), first + 8 * len(kinds)


def narrow_cells(reader, tag, first, end):
    require(tag in NARROW)
    kinds = NARROW[tag].replace("R", "c" + "c" * reader.gap + "tc" * reader.type_rows)
    kinds = kinds.replace("B", "c" + "ccc" * reader.bci_rows)
    if kinds[-1:] not in ("N", "A"):
        return kinds
    length = first + 8 * len(kinds) - 8
    require(length + 8 <= end)
    n = reader.u64(length)
    require(n <= (end - length - 8) // 8 and (tag not in (8, 12) or n % 2 == 0) and (tag != 8 or n >= 2))
    return kinds[:-1] + "c" + ("c" * n if kinds[-1] == "N" else "cw" * (n // 2) + "w" * (n % 2))


def wide_cells(reader, tag, rows, room):
    if tag == 66:
        require(rows <= 64 * room)
        return "c" * -(-rows // 8)
    require(tag in WIDE or tag >= 192 and reader.domain == 6)
    fixed, row = WIDE.get(tag) or shape_of(reader, tag)
    require(tag == 70 or rows <= room and (row or rows == 0))
    return fixed + row * rows


def cell_text(reader, kind, word):
    pointer = word & ~3 if kind == "w" else word
    if kind == "c" or pointer == 0:
        return str(word)
    at = pointer - reader.base & MASK
    if kind != "m":
        return (f"{word & 3}|" if kind == "w" else "") + plain(reader.type_names(at))
    method = reader.method(at)
    require(any(other.at == at for other in reader.methods_of_id(method.id)))
    return plain(method.key)


def shape_of(reader, tag):
    """Returns the cells of a producer's entry, fixed and of a row."""
    cells, declared = ["", "", ""], False
    reader.require_inside(reader.ex, reader.ex.start, 8)
    tables = reader.u32(reader.ex.start)
    require(tables <= 1024)
    reader.require_inside(reader.ex, reader.ex.start + 8, 24 * tables)
    for row in range(reader.ex.start + 8, reader.ex.start + 8 + 24 * tables, 24):
        kind, _, at, size = reader.numbers("2I2Q", row)
        if kind != 19:
            continue
        reader.require_inside(reader.ex, at, max(size, 24))
        kind, flags, columns, rows, kinds = reader.numbers("4IQ", at)
        require((kind, flags, columns, kinds, size) == (19, 0, 5, 0x0101010101, 24 + 40 * rows))
        for head in reader.numbers(f"{rows}Q", at + 24):
            if head >> 32 == tag and head >> 24 & 255 <= 2:
                declared = True
                cells[head >> 24 & 255] += {6: "t", 7: "m"}.get(head & 255, "c")
    require(declared)
    return cells[1:]


def plain(texts):
    return "|".join(re.sub(rb"[^!-~]|[%|]", lambda c: b"%%%02x" % ord(c[0]), text).decode() for text in texts)
