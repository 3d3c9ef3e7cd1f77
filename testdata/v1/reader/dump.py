"""The JSON dump of an archive, byte for byte as the format fixes it."""

import re

import profiles as p
from container import DOMAINS
from records import SHOWN_FLAGS
from tables import COLUMN_NAMES

# Quotes, control characters, and characters that cannot be seen or turn the direction of text. Surrogates come from
# bytes that are no UTF-8.
_ESCAPED = re.compile(
    '["\\\\\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb'
    '\U000e0000-\U000e007f\udc80-\udcff]')


def _escape(match):
    c = match.group()
    if c in '"\\':
        return "\\" + c
    n = ord(c)
    return "\\udb40\\u%04x" % (0xDC00 | n & 0x3FF) if n > 0xFFFF else "\\u%04x" % n


def string(text):
    return '"' + _ESCAPED.sub(_escape, text.decode("utf-8", "surrogateescape")) + '"'


def hex64(n):
    return '"%016x"' % n


def signed(n):
    return n - (1 << 64) if n >> 63 else n


def numbers(values):
    return "[" + ",".join(map(str, values)) + "]"


def some(key, text):
    """A key with a string that is left out if it is empty."""
    return ',"%s":%s' % (key, string(text)) if text else ""


def above_0(key, n):
    """A key with a number that is left out if it is 0."""
    return ',"%s":%d' % (key, n) if n else ""


def type_value(it):
    return '{"name":%s%s}' % (string(it.name), some("loader", it.loader)) if it else "null"


def method_value(it):
    if not it:
        return "null"
    cls, name, signature, loader = it.key
    return '{"name":%s%s%s%s}' % (string(name), some("class", cls), some("signature", signature),
                                  some("loader", loader))


class Dump:
    def __init__(self, archive):
        self.a = archive

    def lines(self):
        """The lines of the dump, without their ends."""
        a = self.a
        yield "{"
        yield '"header":%s,' % self.header()
        yield from self.list("types", map(self.type, a.types.values()), ",")
        yield from self.list("methods", map(self.method, a.in_order()), ",")
        yield from self.list("tables", map(self.table, a.tables), "")
        yield "}"

    def list(self, name, elements, end):
        yield '"%s":[' % name
        last = None
        for element in elements:
            if last is not None:
                yield last + ","
            last = element
        if last is not None:
            yield last
        yield "]" + end

    def header(self):
        a = self.a
        return ('{"format":"1","domain":"%s","producer":%s,"file_size":%d,"base":%s,"producer_id":"%s",'
                '"fingerprint":"%s","dump_id":"%s","dump_time":%d,"flags":%d,"settings":%s,"seed":%s,"lines":%d,'
                '"max_probe":%d,"counts":%s,"summary":%s}' % (
                    DOMAINS[a.domain], string(a.producer), a.file_size, hex64(a.base), a.producer_id.hex(),
                    a.fingerprint.hex(), a.dump_id.hex(), a.dump_time, a.flags, numbers(a.settings), hex64(a.seed),
                    a.lines, a.max_probe, numbers(a.counts), numbers(a.summary)))

    def type(self, it):
        return '{"id":%s,"name":%s%s%s%s}' % (hex64(it.id), string(it.name), some("loader", it.loader),
                                              some("alias", it.alias), above_0("flags", it.flags))

    def method(self, it):
        blocks = ",".join(map(self.profile, self.a.profiles(it)))
        return '{"id":%s,%s%s%s,"profiles":[%s]}' % (
            hex64(it.id), method_value(it)[1:-1], above_0("flags", it.flags & SHOWN_FLAGS),
            above_0("access", it.access), blocks)

    def frames(self, context):
        return "[" + ",".join('{"caller":%s,"point":%d}' % (
            method_value(self.a.methods[frame.caller]), frame.point) for frame in self.a.frames(context)) + "]"

    def place(self, it):
        """The code id and the context of a block."""
        context = ',"context":' + self.frames(self.a.contexts[it.context]) if it.context else ""
        return '"code":%s%s' % (hex64(it.code), context)

    def profile(self, it):
        a, fields = self.a, it.fields
        parts = [self.place(it)]

        def add(bit, key, form):
            if bit in fields:
                values = a.unpack(form, fields[bit])
                parts.append('"%s":%s' % (key, values[0] if form == "Q" else numbers(values)))

        add(p.SIZE, "size", "2I")
        add(p.INVOCATIONS, "invocations", "Q")
        add(p.BACKEDGES, "backedges", "Q")
        add(p.INTERPRETED, "interpreted", "Q")
        add(p.HISTORY, "history", "4I")
        add(p.COMPILE, "compile", "3Bx2H")
        add(p.ESCAPE, "escape", "4Q")
        if p.TRAPS in fields:
            at = fields[p.TRAPS] + 8
            parts.append('"traps":' + numbers(a.data[at:at + a.u32(at - 8)]))
        for name, entries in zip(("data", "extra", "parameters", "handlers"), it.entries):
            if entries or name == "data":
                parts.append('"%s":[%s]' % (name, ",".join(map(self.entry, entries))))
        return "{" + ",".join(parts) + "}"

    # Entries.

    def entry(self, it):
        a = self.a
        name = p.NAMES[it.tag] if it.tag in p.NAMES else a.shapes[it.tag].name
        second = above_0("traps", it.traps) if it.tag < 64 else above_0("sub", it.sub)
        keys = self.hotspot(it) if it.tag < 64 else self.wide(it)
        return '{"tag":"%s","point":%d%s%s%s}' % (name, it.point, above_0("flags", it.flags), second, keys)

    def record(self, slot, role):
        it = self.a.pointer(slot, role)
        return method_value(it) if role == "m" else type_value(it)

    def word(self, slot):
        value = self.a.u64(slot)
        return '{"type":%s%s%s}' % (self.record(slot, "w"), ',"null_seen":true' if value & 1 else "",
                                    ',"unknown":true' if value & 2 else "")

    def arguments(self, slot):
        """From the cell that counts the cells after it."""
        n = self.a.u64(slot)
        args = ",".join('{"slot":%d,"type":%s}' % (self.a.u64(at), self.word(at + 8))
                        for at in range(slot + 8, slot + 8 + n // 2 * 16, 16))
        result = ',"return":' + self.word(slot + 8 * n) if n % 2 else ""
        return ',"args":[%s]%s' % (args, result)

    def hotspot(self, it):
        a, tag, at = self.a, it.tag, it.cells
        cells = a.cells(it)
        if tag == 1:
            return ""
        if tag == 2:
            return ',"count":%d' % cells
        if tag == 3:
            return ',"taken":%d,"displacement":%d' % (cells[0], signed(cells[1]))
        if tag in (4, 5, 11):
            types, _, gap = a.settings[:3]
            rows = ",".join('{"type":%s,"count":%d}' % (self.record(at + 8 * i, "t"), cells[i + 1])
                            for i in range(1 + gap, 1 + gap + 2 * types, 2))
            more = self.arguments(at + 8 * (1 + gap + 2 * types)) if tag == 11 else ""
            return ',"count":%d,"gap":%s,"rows":[%s]%s' % (
                signed(cells[0]) if tag == 4 else cells[0], numbers(cells[1:1 + gap]), rows, more)
        if tag == 6:
            rows = ["[%d,%d,%d]" % (cells[i], cells[i + 1], signed(cells[i + 2])) for i in range(1, len(cells), 3)]
            return ',"count":%d,"rows":[%s]' % (cells[0], ",".join(rows))
        if tag == 7:
            return ',"taken":%d,"displacement":%d,"not_taken":%d' % (cells[0], signed(cells[1]), cells[2])
        if tag == 8:
            cases = ["[%d,%d]" % (cells[i], signed(cells[i + 1])) for i in range(1, len(cells), 2)]
            return ',"default":%s,"cases":[%s]' % (cases[0], ",".join(cases[1:]))
        if tag == 9:
            return ',"modified":' + numbers(map(signed, cells[1:]))
        if tag == 10:
            return ',"count":%d%s' % (cells[0], self.arguments(at + 8))
        if tag == 12:
            return self.arguments(at)
        return ',"method":' + self.record(at, "m")

    def wide(self, it):
        a, tag = self.a, it.tag
        cells = a.cells(it)
        if tag == 64:
            return ',"counts":' + numbers(cells)
        if tag == 65:
            return ',"values":[%s]' % ",".join(numbers(cells[i:i + 2]) for i in range(0, len(cells), 2))
        if tag == 66:
            return ',"bytes":"%s"' % a.data[it.cells:it.cells + it.rows].hex()
        if tag == 67:
            rows = ((a.unpack("iIQ", at)) for at in range(it.cells, it.cells + 8 * len(cells), 16))
            return ',"rows":[%s]' % ",".join(map(numbers, rows))
        if tag in (68, 69):
            first, role, key = (2, "t", "type") if tag == 68 else (0, "m", "method")
            other = ',"other":%d,"traps":%d' % cells[:2] if tag == 68 else ""
            rows = ('{"%s":%s,"count":%d}' % (key, self.record(it.cells + 8 * i, role), cells[i + 1])
                    for i in range(first, len(cells), 2))
            return '%s,"rows":[%s]' % (other, ",".join(rows))
        if tag == 70:
            return ',"count":%d' % cells
        if tag == 71:
            return ',"words":' + numbers(cells)
        return self.producers(it, cells)

    def producers(self, it, cells):
        shape = self.a.shapes[it.tag]
        values = [self.record(it.cells + 8 * i, role) if role in "tm" else str(cells[i])
                  for i, role in enumerate(it.roles)]
        fixed, width = len(shape.fixed), len(shape.row)
        text = "".join(',"%s":%s' % (name, value) for (name, _), value in zip(shape.fixed, values))
        if not width:
            return text
        rows = [values[i:i + width] for i in range(fixed, len(values), width)]
        if "t" in it.row or "m" in it.row:
            shown = ("{" + ",".join('"%s":%s' % (name, value) for (name, _), value in zip(shape.row, row)) + "}"
                     for row in rows)
        else:
            shown = (numbers(row) if width > 1 else row[0] for row in rows)
        return text + ',"rows":[%s]' % ",".join(shown)

    # Tables.

    def table(self, it):
        rows = ("[" + ",".join(self.table_cell(it, i, row) for i in range(len(it.columns))) + "]"
                for row in range(it.rows))
        return '{"kind":%d%s,"columns":[%s],"rows":[%s]}' % (
            it.kind, above_0("flags", it.flags), ",".join('"%s"' % COLUMN_NAMES[c] for c in it.columns),
            ",".join(rows))

    def table_cell(self, table, column, row):
        kind, value = table.columns[column], self.a.cell(table, column, row)
        if kind == 1:
            return str(value)
        if value is None:
            return "null"
        if kind == 2:
            return string(value)
        if kind == 3:
            return type_value(value)
        if kind == 4:
            return method_value(value)
        if kind == 5:
            return '{"method":%s,%s}' % (method_value(self.a.methods[value.method]), self.place(value))
        return '{"method":%s,"code":%s,"context":%s}' % (method_value(value.method), hex64(0), self.frames(value))
