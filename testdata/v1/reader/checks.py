"""What a verifier checks beyond a reader: all that is redundant in an archive."""

import index
from hashes import METHOD, TYPE, method_id, type_id
from profiles import ID, INVOCATIONS, KEY
from records import IN_CONTEXT, LIST, NAMED, SHARED_ID, UNEXECUTED

MOST = (1 << 64) - 1
CHUNK_WORDS = 1 << 16


def check(archive):
    """Raises Damage if the archive is not sound. Sums were verified when it was opened."""
    _padding(archive)
    archive.load()
    _symbols(archive)
    _types(archive)
    _methods(archive)
    _blocks(archive)
    _contexts(archive)
    _index(archive)
    slots = _bitmaps(archive)
    _tables(archive)
    _counts(archive, slots)


def _padding(a):
    """In ps and behind it: no sum covers these bytes."""
    start = a.bounds["ps"][0] + 8 * sum(a.levels)
    for at in range(start, a.bounds["ix"][0]):
        a.refuse(a.data[at], at, "the padding of the sums is not zero")


def _symbols(a):
    last = None
    for offset in sorted(a.symbol_starts):
        text, _ = a.symbol(offset // 8, offset, lists=True)
        size = a.u32(offset)
        at = offset + 4 + (4 * (size & ~LIST) if size & LIST else size)
        a.refuse(any(a.data[at:(at + 7) & ~7]), at, "the padding of a symbol is not zero")
        a.refuse(last is not None and text <= last, offset, "symbols are not sorted, or two are equal")
        last = text


def _types(a):
    last = None
    for it in a.types.values():
        a.refuse(it.id != type_id(it.name, it.loader), it.offset, "the id of a type is not that of its name and loader")
        a.refuse(last is not None and (it.name, it.loader) <= last, it.offset, "types are not sorted, or two are equal")
        last = it.name, it.loader


def _methods(a):
    last = None
    keys_of_id = {}
    for it in a.methods.values():
        a.refuse(it.id != method_id(a.domain, it.key), it.offset, "the id of a method is not that of its key")
        a.refuse(last is not None and it.key <= last, it.offset, "methods are not sorted, or two are equal")
        last = it.key
        a.refuse(it.holder and not it.key[0], it.offset, "the holder of a method has no name")
        if it.flags & UNEXECUTED and (it.profiles or it.flags & IN_CONTEXT):
            raise a.corrupt(it.offset, "an unexecuted method has profiles or contexts")
        keys_of_id[it.id] = keys_of_id.get(it.id, 0) + 1
    for it in a.methods.values():
        if bool(it.flags & SHARED_ID) != (keys_of_id[it.id] > 1):
            raise a.corrupt(it.offset + 6, "the flag shared id and the ids of the archive do not agree")
    keys = {it.key for it in a.methods.values()}
    for it in a.rows.values():
        a.refuse(not it.key[0], it.offset, "the holder of a row has no name")
        a.refuse(it.key in keys, it.offset, "a method has a record and a row")


def _blocks(a):
    """Every block is in the chain of its method and context, and the first of a method without a context has its id
    and key."""
    seen = set()
    for method in a.methods.values():
        for it in a.profiles(method):
            seen.add(it.offset)
            head = it.offset == method.profiles
            a.refuse((ID in it.fields) != head, it.offset, "an id where none is expected, or none where it is")
            if (KEY in it.fields) != (head and not method.flags & NAMED):
                raise a.corrupt(it.offset, "a key where none is expected, or none where it is")
            if KEY in it.fields:
                at = it.fields[KEY]
                key = tuple(a.key_text(reference, at + 4 * i, lists=i == 2)[0]
                            for i, reference in enumerate(a.unpack("4I", at)))
                a.refuse(key != method.key, at, "the key of a block is not that of its method")
    for it in a.blocks.values():
        a.refuse(it.offset not in seen, it.offset, "no chain leads to a block")
        last = None
        for entry in it.entries[0]:
            a.refuse(last is not None and entry.point < last, entry.offset, "the points of data entries do not ascend")
            last = entry.point


def _contexts(a):
    for it in a.contexts.values():
        a.refuse(a.methods[it.caller].flags & UNEXECUTED, it.offset + 4, "an unexecuted method is a caller")


def _index(a):
    """A slot for each record, where a search finds it, and no other."""
    expected = {(TYPE, it.offset): it.offset for it in a.types.values()}
    for it in a.methods.values():
        own = it.profiles if it.profiles and not it.flags & SHARED_ID else it.offset
        expected[METHOD, it.offset] = own
    found = set()
    for line in range(a.lines):
        at = a.bounds["ix"][0] + 64 * line + 22
        multiplier, spilled = a.unpack("2B", at)
        a.refuse(multiplier % 2 == 0 or multiplier > 63 or spilled > 1, at, "the multiplier or the mark of a line")
        for _, _, slot, offset in index.slots(a, line):
            it = index.candidate(a, slot, offset)
            key = it.kind, it.record
            if expected.get(key) != offset or key in found:
                raise a.corrupt(slot, "a slot refers to a record that another has, or to the wrong part of it")
            found.add(key)
    a.refuse(a.is_crowded != bool(a.crowded), 40, "the feature crowded and the table do not agree")
    last = (-1,)
    for row in a.crowded:
        key = row[1], row[2]
        if row <= last or key not in expected or key in found:
            raise a.corrupt(row[3], "a row of the table crowded is out of order, or of a record with a place")
        found.add(key)
        last = row
    for kind, record in expected:
        ident = (a.types if kind == TYPE else a.methods)[record].id
        if (kind, record) not in found or not index.finds(a, ident, kind, record):
            raise a.corrupt(record, "a search in the index does not find a record")


def _bitmaps(a):
    """Compares the bits with the pointer slots of the entries, and returns how many there are."""
    rw, rw_end = a.bounds["rw"]
    start, end = a.bounds["bm"]
    chunks = -(-(rw_end - rw) // (8 * CHUNK_WORDS))
    words = [[] for _ in range(chunks)]
    for block in a.blocks.values():
        for entries in block.entries:
            for entry in entries:
                for slot, _ in entry.slots():
                    word = (slot - rw) // 8
                    words[word // CHUNK_WORDS].append(word % CHUNK_WORDS)
    if start == end and not chunks:
        return 0
    at = start + 8 + 8 * chunks
    a.refuse(at > end or a.u32(start) != chunks, start, "the number of chunks")
    for chunk, bits in enumerate(words):
        row = start + 8 + 8 * chunk
        reference, size = a.unpack("2I", row)
        if not bits:
            a.refuse(reference or size, row, "a bitmap of a chunk without pointer slots")
            continue
        a.refuse(reference * 8 != at or size > end - at, row, "a bitmap is not where it can be")
        if a.data[at:at + size] != _bitmap(sorted(bits)):
            raise a.corrupt(at, "a bitmap does not mark the pointer slots and nothing else")
        at += (size + 7) & ~7
    a.refuse(at != end, start, "the bitmaps do not fill bm")
    return sum(map(len, words))


def _bitmap(bits):
    """The serialized form of a set of bits, of which there is only one."""
    head = b"".join(n.to_bytes(size, "little")
                    for n, size in ((12346, 4), (1, 4), (0, 2), (len(bits) - 1, 2), (16, 4)))
    if len(bits) <= 4096:
        return head + b"".join(bit.to_bytes(2, "little") for bit in bits)
    mask = bytearray(CHUNK_WORDS // 8)
    for bit in bits:
        mask[bit // 8] |= 1 << bit % 8
    return head + bytes(mask)


def _tables(a):
    for table in a.tables:
        for column, kind in enumerate(table.columns):
            if kind != 1:
                for row in range(table.rows):
                    a.cell(table, column, row)


def _counts(a, slots):
    records = a.methods.values()
    entries = sum(len(section) for block in a.blocks.values() for section in block.entries)
    counts = (len(a.methods) + len(a.rows), sum(1 for it in records if it.flags & UNEXECUTED) + len(a.rows),
              len(a.blocks), len(a.contexts), len(a.types), len(a.symbol_starts), entries, slots)
    _compare(a, 512, counts, a.counts)
    invocations = [a.u64(block.fields[INVOCATIONS]) for block in a.blocks.values() if INVOCATIONS in block.fields]
    sums = [sum(invocations), max(invocations, default=0), 0, 0]
    for block in a.blocks.values():
        for entry in block.entries[0]:
            values = entry.counts(a)
            sums[2] += sum(values)
            sums[3] = max([sums[3]] + values)
    _compare(a, 576, [min(n, MOST) for n in sums], a.summary)


def _compare(a, offset, expected, header):
    for i, (right, found) in enumerate(zip(expected, header)):
        a.refuse(right != found, offset + 8 * i, "the header says %d where the file has %d" % (found, right))
