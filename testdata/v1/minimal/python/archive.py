"""Opening: the header, the page checksums, and Rules for readers 1 to 6 of docs/format.md."""

import struct

from hashes import xxh64


class Refused(Exception):
    """The archive, or a record, must not be used. The argument is the kind of the error."""


def require(ok, kind="corrupt"):
    if not ok:
        raise Refused(kind)


class Archive:
    """An archive of which the header and all checksums are right."""

    def __init__(self, data):
        self.data = data
        self.check_generic_part()
        self.check_fields()
        self.check_regions()
        self.check_sums()

    def numbers(self, form, at):
        return struct.unpack_from("<" + form, self.data, at)

    def u32(self, at):
        return self.numbers("I", at)[0]

    def u64(self, at):
        return self.numbers("Q", at)[0]

    # Header, Rules for readers 1 to 5

    def check_generic_part(self):
        data = self.data
        require(data[:8] == b"\x89PARC\r\n\x1a", "format")
        require(len(data) >= 64, "truncated")
        order, version, size, _, file_size, header_sum, required = self.numbers("4I3Q", 8)
        require(order == 0x0a0b0c0d and 64 <= size <= 65536)
        require(file_size <= len(data) and size <= len(data), "truncated")
        require(file_size == len(data))
        require(xxh64(data[:32] + data[40:size]) == header_sum, "checksum")
        require(version == 1 and required == 0, "unsupported")
        require(size == 640)
        require(1 <= self.u32(64) <= 7, "unsupported")

    def check_fields(self):
        self.domain, shift, self.base = self.numbers("2IQ", 64)
        self.max_probe, self.seed, self.sum_root, self.lines = self.numbers("I3Q", 84)
        require(shift == 12 and self.base % 4096 == 0 and self.base <= 2**62 and self.u64(152) < 4)
        self.type_rows, self.bci_rows, self.gap = self.numbers("3I", 160)
        require(max(self.type_rows, self.bci_rows, self.gap) <= 64)
        require(b"\0" not in self.data[224:288].rstrip(b"\0"))
        require(any(self.data[608:624]) == (self.domain == 6))

    def check_regions(self):
        end, self.regions, self.sections = 640, [], []
        for i, protection in enumerate((1, 1, 1, 3, 3, 2)):
            at, size, *row = self.numbers("2Q2I", 288 + 24 * i)
            bits = 6 if i < 5 or size < 2**16 else 16 if size < 2**26 else 21
            require(size % 8 == 0 and row == [protection, i + 1] and at == -(-end >> bits) << bits)
            end = at + size
            self.regions.append(range(at, end))
        require(end == len(self.data) and self.u32(80) == bits)
        self.ps, self.ix, ro, _, self.ex, self.rw = self.regions
        require(64 * self.lines == len(self.ix) and self.max_probe <= min(self.lines, 255))
        end = ro.start
        for i in range(5):
            at, size = self.numbers("2Q", 432 + 16 * i)
            require(at == end and size % 8 == 0)
            end = at + size
            self.sections.append(range(at, end))
        require(end == ro.stop)
        self.symbols, self.types, self.methods, self.unexecuted, self.contexts = self.sections
        require(24 * self.u64(544) == len(self.types) and 16 * self.u64(536) == len(self.contexts))

    # Page checksums, of all pages at once

    def check_sums(self):
        start, end = self.ix.start, len(self.data)
        cuts = [start, *range((start // 4096 + 1) * 4096, end, 4096), end] if start < end else []
        levels = [[xxh64(self.data[a:b]) for a, b in zip(cuts, cuts[1:])]]
        while len(levels[0]) > 64:
            packed = [struct.pack(f"<{len(group)}Q", *group)
                      for group in (levels[0][i:i + 64] for i in range(0, len(levels[0]), 64))]
            levels.insert(0, [xxh64(group) for group in packed])
        sums = b"".join(struct.pack(f"<{len(level)}Q", *level) for level in levels)
        padding = len(self.ps) - len(sums)
        require(0 <= padding <= 64 + (len(sums) // 256 + 7) // 8 * 8)
        top = sums[:8 * len(levels[0])]
        require(self.data[640:640 + len(sums)] == sums and xxh64(top) == self.sum_root, "checksum")

    def require_inside(self, part, at, size):
        require(part.start <= at and at + size <= part.stop)
