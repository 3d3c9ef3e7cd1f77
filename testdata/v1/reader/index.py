"""Search in the hash index."""

from bisect import bisect_left

from hashes import MASK, METHOD, TYPE, mix


class Candidate:
    """What a slot refers to: a type record, a method record, or the head of a method."""

    __slots__ = ("kind", "id", "record")

    def __init__(self, kind, ident, record):
        self.kind, self.id, self.record = kind, ident, record


def candidate(archive, slot, offset):
    """The candidate at an offset of the file that a slot of the index has."""
    if archive.inside("types", offset):
        return Candidate(TYPE, archive.type_at(offset, slot).id, offset)
    if archive.inside("methods", offset):
        method = archive.method_at(offset, slot)
        return Candidate(METHOD, method.id, offset)
    if archive.inside("rw", offset, 24) and archive.u32(offset + 8) & 1:
        record = archive.u32(offset + 4) * 8
        archive.method_at(record, offset + 4)
        return Candidate(METHOD, archive.u64(offset + 16), record)
    raise archive.corrupt(slot, "a slot refers to neither a type nor a method")


def slots(archive, line):
    """The taken slots of a line: number, fingerprint, and the offsets of the reference and of the record."""
    at = archive.bounds["ix"][0] + 64 * line
    prints, references = archive.unpack("10H", at), archive.unpack("10I", at + 24)
    return [(i, prints[i], at + 24 + 4 * i, references[i] * 8) for i in range(10) if prints[i]]


def search(archive, ident, kind):
    """Yields the candidates of an id and kind. More than one can come, since keys can share an id."""
    if not archive.lines:
        return
    h = mix(ident, kind, archive.seed)
    product = h * archive.lines
    line, rest = product >> 64, product & MASK
    fingerprint, overflow_bit = h & 0xFFFF | 1, h >> 16 & 15
    for _ in range(archive.max_probe):
        at = archive.bounds["ix"][0] + 64 * line
        overflow, multiplier, spilled = archive.unpack("HBB", at + 20)
        own = (rest * multiplier & MASK) * 10 >> 64
        for i, found, slot, record in slots(archive, line):
            if found == fingerprint and (spilled or i == own):
                it = candidate(archive, slot, record)
                if it.kind == kind and it.id == ident:
                    yield it
        if not overflow >> overflow_bit & 1:
            return
        line = (line + 1) % archive.lines
    for _, _, record, row in crowded_rows(archive, ident, kind):
        it = candidate(archive, row, record)
        if (it.kind, it.id, it.record) != (kind, ident, record):
            raise archive.corrupt(row, "a row of the table crowded has the id of another record")
        yield it


def crowded_rows(archive, ident, kind):
    """The rows of the table crowded with an id and kind."""
    rows = archive.crowded
    return rows[bisect_left(rows, (ident, kind)):bisect_left(rows, (ident, kind + 1))]


def finds(archive, ident, kind, record):
    """Says whether the index finds a record under an id."""
    return any(it.record == record for it in search(archive, ident, kind))
