"""The outside of an archive: header, regions, sections and page sums."""

import struct

from hashes import xxh64

MAGIC = b"\x89PARC\r\n\x1a"
HEADER_SIZE = 640
PAGE = 4096
FANOUT = 64
CROWDED = 1 << 1  # the required feature of archives with the table crowded
LARGEST_FILE = 32 << 30

REGIONS = ("ps", "ix", "ro", "bm", "ex", "rw")
SECTIONS = ("symbols", "types", "methods", "unexecuted", "contexts")
PROTECTION = (1, 1, 1, 3, 3, 2)
DOMAINS = {1: "hotspot", 2: "llvm-ir", 3: "llvm-frontend", 4: "graal", 5: "jamaica", 6: "custom", 7: "sampled"}


class Damage(Exception):
    """What is wrong with a file: one of the five kinds of errors, and the place that it is about."""

    def __init__(self, kind, region, offset, why):
        super().__init__(why)
        self.kind, self.region, self.offset, self.why = kind, region, offset, why

    def __str__(self):
        return "%s %s 0x%x: %s" % (self.kind, self.region, self.offset, self.why)


def round_up(n, unit):
    return (n + unit - 1) // unit * unit


def levels_of_sums(start, end):
    """The numbers of sums of each level over the range, level 0 first."""
    if start >= end:
        return []
    levels = [(end - 1) // PAGE - start // PAGE + 1]
    while levels[-1] > FANOUT:
        levels.append(-(-levels[-1] // FANOUT))
    return levels


class Container:
    """A file whose header, region table and sections were checked. The sums are checked by check_sums."""

    def __init__(self, data):
        self.data = data
        self._generic_part()
        self._own_part()
        self._regions()
        self._sections()

    # Reading numbers. The callers have checked that they are in the file.

    def u32(self, offset):
        return int.from_bytes(self.data[offset:offset + 4], "little")

    def u64(self, offset):
        return int.from_bytes(self.data[offset:offset + 8], "little")

    def unpack(self, form, offset):
        return struct.unpack_from("<" + form, self.data, offset)

    def region_of(self, offset):
        """The name of the region in which an offset lies, for messages."""
        for name in reversed(REGIONS):
            if offset >= self.region.get(name, (len(self.data), 0))[0]:
                return name
        return "header"

    def corrupt(self, offset, why):
        return Damage("corrupt", self.region_of(offset), offset, why)

    def refuse(self, condition, offset, why):
        if condition:
            raise self.corrupt(offset, why)

    def inside(self, section, offset, size=1):
        """Says whether bytes lie in a section or region."""
        start, end = self.bounds[section]
        return start <= offset and offset + size <= end

    # The header, in the order in which a reader has to check it.

    def _generic_part(self):
        data = self.data
        self.region = {}
        self.bounds = {}
        if data[:8] != MAGIC:
            raise Damage("format", "header", 0, "the file does not begin with the magic of an archive")
        if len(data) < 64:
            raise Damage("truncated", "header", len(data), "the file ends within the generic part of the header")
        self.refuse(self.u32(8) != 0x0A0B0C0D, 8, "another byte order")
        self.version, size = self.unpack("2I", 12)
        self.refuse(not 64 <= size <= 65536, 16, "a header of %d bytes" % size)
        self.file_size = self.u64(24)
        if len(data) < self.file_size:
            raise Damage("truncated", "header", 24, "%d of %d bytes" % (len(data), self.file_size))
        if len(data) > self.file_size or size > len(data) or len(data) > LARGEST_FILE:
            raise self.corrupt(24, "the file has %d bytes, its header says %d" % (len(data), self.file_size))
        if xxh64(data[:32] + data[40:size]) != self.u64(32):
            raise Damage("checksum", "header", 32, "the sum of the header differs")
        if self.version != 1:
            raise Damage("unsupported", "header", 12, "version 0x%x; this reader knows version 1" % self.version)
        required = self.u64(40)
        self.is_crowded = required == CROWDED
        if required & ~CROWDED:
            bits = [i for i in range(64) if required >> i & 1]
            raise Damage("unsupported", "header", 40, "required features, by their bits: %s" % bits)
        self.domain = self.u32(64) if size >= 68 else 0
        if size == HEADER_SIZE and self.domain not in DOMAINS:
            raise Damage("unsupported", "header", 64, "domain %d" % self.domain)
        self.refuse(size != HEADER_SIZE, 16, "a header of %d bytes in version 1" % size)

    def _own_part(self):
        (page_shift, self.base, self.rw_alignment, self.max_probe, self.seed, self.sum_root, self.lines
         ) = self.unpack("I Q 2I 3Q", 68)
        self.fingerprint, self.dump_id = self.data[112:128], self.data[128:144]
        self.dump_time, self.flags = self.unpack("qQ", 144)
        self.settings = self.unpack("16I", 160)
        self.producer = self.data[224:288].rstrip(b"\0")
        self.producer_id = self.data[608:624]
        self.counts, self.summary = self.unpack("8Q", 512), self.unpack("4Q", 576)
        self.refuse(page_shift != 12, 68, "page shift %d" % page_shift)
        self.refuse(self.base % PAGE or self.base > 1 << 62, 72, "requested base 0x%x" % self.base)
        if self.max_probe > 255 or self.max_probe > self.lines:
            raise self.corrupt(84, "a lookup reads up to %d of %d lines" % (self.max_probe, self.lines))
        self.refuse(self.flags & ~3, 152, "unknown flags 0x%x" % self.flags)
        self.refuse(max(self.settings[:3]) > 64, 160, "a setting that sizes entries is above 64")
        self.refuse(b"\0" in self.producer, 224, "a NUL byte in the producer")
        self.refuse(any(self.producer_id) != (self.domain == 6), 608, "the producer id and the domain do not agree")

    def _regions(self):
        end = HEADER_SIZE
        for i, name in enumerate(REGIONS):
            row = 288 + 24 * i
            offset, size, protection, kind = self.unpack("2Q2I", row)
            alignment = 64
            if name == "rw":
                shift = 21 if size >= 64 << 20 else 16 if size >= 64 << 10 else 6
                self.refuse(self.rw_alignment != shift, 80, "rw alignment %d for %d bytes" % (self.rw_alignment, size))
                alignment = 1 << shift
            if (protection, kind) != (PROTECTION[i], i + 1):
                raise self.corrupt(row, "protection %d, kind %d of region %s" % (protection, kind, name))
            if offset != round_up(end, alignment) or size % 8 or size > len(self.data) - offset:
                raise self.corrupt(row, "region %s is not where it can be" % name)
            end = offset + size
            self.region[name] = (offset, size)
            self.bounds[name] = (offset, end)
        self.refuse(end != len(self.data), 24, "the file does not end where rw ends")
        self.refuse(self.region["ix"][1] != 64 * self.lines, 104, "%d lines do not fill the index" % self.lines)
        self.levels = levels_of_sums(self.region["ix"][0], end)
        sums = 8 * sum(self.levels)
        spare = self.region["ps"][1] - sums
        if not 0 <= spare <= 64 + round_up(sums // 256, 8):
            raise self.corrupt(288, "ps has %d bytes for %d bytes of sums" % (self.region["ps"][1], sums))

    def _sections(self):
        at, end = self.bounds["ro"]
        for i, name in enumerate(SECTIONS):
            row = 432 + 16 * i
            offset, size = self.unpack("2Q", row)
            if offset != at or size % 8 or size > end - offset:
                raise self.corrupt(row, "section %s is not where it can be" % name)
            at += size
            self.bounds[name] = (offset, at)
        self.refuse(at != end, 432, "the sections do not fill ro")
        for name, count, size in (("types", 4, 24), ("contexts", 3, 16)):
            start, end = self.bounds[name]
            if self.counts[count] * size != end - start:
                raise self.corrupt(512 + 8 * count, "the count of %s and their section do not agree" % name)

    def check_sums(self):
        """Verifies all pages up to the root in the header."""
        offset, _ = self.region["ps"]
        top_first = list(reversed(self.levels))
        expected = self.sum_root
        if not top_first:
            if xxh64(b"") != expected:
                raise Damage("checksum", "header", 96, "the root of no sums differs")
            return
        # The sums of each level, the top one first; each level is verified by the one above it.
        above = None
        for count in top_first:
            level = self.data[offset:offset + 8 * count]
            if above is None:
                if xxh64(level) != expected:
                    raise Damage("checksum", "ps", offset, "the sum of the top level differs from the root")
            else:
                for i, expected in enumerate(above):
                    if xxh64(level[512 * i:512 * (i + 1)]) != expected:
                        raise Damage("checksum", "ps", offset + 512 * i, "the sum of a group of sums differs")
            above = struct.unpack("<%dQ" % count, level)
            offset += 8 * count
        start = self.region["ix"][0]
        first = start // PAGE
        for i, expected in enumerate(above):
            low, high = max(start, (first + i) * PAGE), min(len(self.data), (first + i + 1) * PAGE)
            if xxh64(self.data[low:high]) != expected:
                raise Damage("checksum", self.region_of(low), low, "the sum of page %d differs" % (first + i))
