package disk_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// The tests of this file hold the code against the tables of docs/format.md:
// what the page says of an offset, a size or a hash is what the code does.

var le = binary.LittleEndian

// page returns the text of docs/format.md.
func page(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../../../docs/format.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// tableBehind gives the cells of the first table behind the mark, which may be
// the beginning of the table itself, without its two heading rows.
func tableBehind(t *testing.T, mark string) [][]string {
	t.Helper()
	_, text, ok := strings.Cut(page(t), "\n"+mark)
	if !ok {
		t.Fatalf("docs/format.md has no %q", mark)
	}
	if strings.HasPrefix(mark, "|") {
		text = mark + text
	}
	var rows [][]string
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.HasPrefix(line, "|") {
			if rows != nil {
				break
			}
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, cells)
	}
	if len(rows) < 3 {
		t.Fatalf("no table behind %q", mark)
	}
	return rows[2:]
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// fieldSize returns the size in bytes of "u32", "16 bytes" or "6 x 24 bytes".
func fieldSize(t *testing.T, typ string) int {
	t.Helper()
	count := 1
	if n, rest, ok := strings.Cut(typ, " x "); ok {
		count, typ = number(t, n), rest
	}
	if n, ok := strings.CutSuffix(typ, " bytes"); ok {
		return count * number(t, n)
	}
	bits := number(t, strings.TrimLeft(typ, "ui"))
	return count * bits / 8
}

// holdRecord checks that the documented fields follow each other without a gap
// up to the end of the record, and hold what want says of each by name.
func holdRecord(t *testing.T, mark string, record []byte, want map[string][]byte) {
	t.Helper()
	end, seen := 0, map[string]bool{}
	for _, row := range tableBehind(t, mark) {
		offset, size, name := number(t, row[0]), fieldSize(t, row[1]), row[2]
		if offset != end {
			t.Errorf("%s: %s is at %d, the field before ends at %d", mark, name, offset, end)
		}
		end = offset + size
		expect := want[name]
		if name == "zero" {
			expect = make([]byte, size)
		}
		if end > len(record) || !bytes.Equal(record[offset:end], expect) {
			t.Errorf("%s: %s at %d: the page's place holds other bytes than the field", mark, name, offset)
		}
		seen[name] = true
	}
	if end != len(record) {
		t.Errorf("%s: the fields end at %d, the record has %d bytes", mark, end, len(record))
	}
	for name := range want {
		if !seen[name] {
			t.Errorf("%s: the page has no field %q", mark, name)
		}
	}
}

// u encodes numbers by their types.
func u(values ...any) (b []byte) {
	for _, v := range values {
		b, _ = binary.Append(b, le, v)
	}
	return b
}

func sampleHeader() *layout.Header {
	h := &layout.Header{
		FileSize: 0x1122334455, Required: 0x21, Optional: 0x22, ReadOnly: 0x23,
		Domain: layout.DomainGraal, Base: 0x1000, RWShift: 16,
		MaxProbe: 3, Seed: 0x31, SumRoot: 0x32, Buckets: 0x33, Fingerprint: [16]byte{1, 2, 3}, DumpID: [16]byte{4, 5, 6},
		DumpTime: -77, Flags: 3, Producer: "Some VM 1.2",
		Counts: layout.Counts{Methods: 41, Unexecuted: 42, Profiles: 43, Contexts: 44, Types: 45, Symbols: 46, Entries: 47,
			Pointers: 48},
		Summary: layout.Summary{TotalInvocations: 51, MaxInvocations: 52, TotalCount: 53, MaxCount: 54},
	}
	for i, v := range disk.Settings(&h.Params) {
		*v = uint32(60 + i)
	}
	for i := range h.Regions {
		h.Regions[i] = layout.Span{Offset: int64(80 + i), Size: int64(90 + i)}
	}
	for i := range h.Parts {
		h.Parts[i] = layout.Span{Offset: int64(100 + i), Size: int64(110 + i)}
	}
	return h
}

// protections as the page's table of regions has them, by kind.
func protections(t *testing.T) map[int]uint32 {
	m := map[int]uint32{}
	for _, row := range tableBehind(t, "| region | kind | protection") {
		if row[2] != "" {
			m[number(t, row[1])] = uint32(number(t, row[2]))
		}
	}
	return m
}

func TestHeaderIsAsDocumented(t *testing.T) {
	h := sampleHeader()
	b := disk.AppendHeader(nil, h)
	sum := xxhash.Sum64(append(bytes.Clone(b[:32]), b[40:]...))
	var regions, sections, settings []byte
	for i, s := range h.Regions {
		regions = append(regions, u(s.Offset, s.Size, protections(t)[i+1], uint32(i+1))...)
	}
	for _, s := range h.Parts {
		sections = append(sections, u(s.Offset, s.Size)...)
	}
	for _, v := range disk.Settings(&h.Params) {
		settings = append(settings, u(*v)...)
	}
	holdRecord(t, "## Header", b, map[string][]byte{
		"magic": disk.Magic[:], "byte order": u(uint32(0x0a0b0c0d)), "version": u(uint32(disk.Version)),
		"header size": u(uint32(len(b))), "file size": u(h.FileSize), "header sum": u(sum),
		"required features": u(h.Required), "optional features": u(h.Optional),
		"read-only features": u(h.ReadOnly), "domain": u(uint32(h.Domain)),
		"page shift": u(uint32(disk.PageShift)), "requested base": u(h.Base), "rw alignment": u(h.RWShift),
		"max probe": u(h.MaxProbe), "seed": u(h.Seed), "sum root": u(h.SumRoot), "index lines": u(h.Buckets),
		"fingerprint": h.Fingerprint[:], "dump id": h.DumpID[:], "dump time": u(h.DumpTime), "flags": u(h.Flags),
		"settings": settings, "producer": append([]byte(h.Producer), make([]byte, 64-len(h.Producer))...),
		"regions": regions, "sections": sections,
		"counts":  u(h.Counts),
		"summary": u(h.Summary), "producer id": h.ProducerID[:],
	})
	holdRecord(t, "**Region row**", b[288:312], map[string][]byte{
		"offset": u(int64(80)), "size": u(int64(90)), "protection": u(uint32(1)), "kind": u(uint32(1))})
	holdRecord(t, "**Section row**", b[432:448], map[string][]byte{"offset": u(int64(100)), "size": u(int64(110))})
	if !strings.Contains(page(t), fmt.Sprintf("This page describes 0x%08x", uint32(disk.Version))) {
		t.Errorf("the page does not describe version 0x%08x", uint32(disk.Version))
	}
}

func TestRecordsAreAsDocumented(t *testing.T) {
	holdRecord(t, "## Type record", disk.TypeRecord{ID: 1 << 60, Name: 2, Loader: 3, Alias: 4, Flags: 1}.Append(nil),
		map[string][]byte{"id": u(uint64(1 << 60)), "name": u(uint32(2)), "loader": u(uint32(3)), "alias": u(uint32(4)),
			"flags": u(uint32(1))})
	holdRecord(t, "## Context record", disk.ContextRecord{Parent: 2, Caller: 4, Point: -5, Profiles: 6}.Append(nil),
		map[string][]byte{"parent": u(uint32(2)), "caller": u(uint32(4)), "point": u(int32(-5)), "profiles": u(uint32(6))})
	m := disk.MethodRecord{ID: 1 << 60, Name: 2, Units: 5, Flags: 7 | disk.MethodHasID, Holder: 8, Signature: 9,
		Profiles: 10, Access: 11, Contexts: 12, NumContexts: 13}
	b := m.Append(nil)
	holdRecord(t, "## Method record", b[:disk.MinMethodSize],
		map[string][]byte{"name": u(uint32(2)), "units": u(uint16(5)), "flags": u(uint16(7 | disk.MethodHasID))})
	if want := u(uint64(1<<60), uint32(8), uint32(9), uint32(10), uint32(11), uint32(12),
		uint32(13)); !bytes.Equal(b[disk.MinMethodSize:], want) {
		t.Errorf("optional fields of a method are % x, want % x", b[disk.MinMethodSize:], want)
	}
	named := disk.MethodRecord{Units: disk.NamedUnits(disk.MethodNamed, 3), Flags: disk.MethodNamed, Profiles: 10}
	if want := u(uint32(10), uint16(2), uint16(64)); !bytes.Equal(named.Append(nil), want) {
		t.Errorf("a named record is % x, want % x", named.Append(nil), want)
	}
}

func TestFlagsAreAsDocumented(t *testing.T) {
	flags := map[string]layout.MethodFlags{"declared": disk.MethodDeclared, "profiled": disk.MethodProfiled,
		"in context": disk.MethodInContext,
		"unexecuted": disk.MethodUnexecuted, "not matchable": layout.MethodNotMatchable, "shared id": disk.MethodSharedID,
		"named": disk.MethodNamed, "with id": disk.MethodHasID}
	rows := tableBehind(t, "| flag | name | adds")
	if len(rows) != len(flags) {
		t.Errorf("the page has %d method flags, the code %d", len(rows), len(flags))
	}
	for _, row := range rows {
		m := disk.MethodRecord{Flags: flags[row[1]]}
		if bit := number(t, strings.TrimPrefix(row[0], "bit ")); m.Flags != 1<<bit {
			t.Errorf("%s is 0x%x, the page says bit %d", row[1], m.Flags, bit)
		}
		if adds := m.Size() > disk.MinMethodSize; adds != (row[2] != "") {
			t.Errorf("%s: a record of %d bytes, the page adds %q", row[1], m.Size(), row[2])
		}
	}
	for _, row := range tableBehind(t, "**Domains.**") {
		if d := layout.Domain(number(t, row[0])); d.String() != row[1] || d.LLVM() != strings.HasPrefix(row[3], "MD5") {
			t.Errorf("domain %d is %v in the code, %s on the page", uint32(d), d, row[1])
		}
	}
}

// TestIndexLineIsAsDocumented fills a line through its exported face and takes it apart as the page says.
func TestIndexLineIsAsDocumented(t *testing.T) {
	line := make(disk.Line, disk.LineSize)
	var slots []disk.Slot
	var prints, records []byte
	for i := range disk.LineSlots { // each has its own slot with the multiplier 1
		slots = append(slots, disk.Slot{Hash: disk.Hash(0x101 + 2*i), Rest: uint64(i)*(1<<63/5) + 1<<50,
			Ref: layout.Ref(0x200 + i)})
		prints, records = append(prints, u(uint16(0x101+2*i))...), append(records, u(uint32(0x200+i))...)
	}
	line.StoreSlots(slots)
	line.SetOverflow(disk.Hash(9<<16 | 5))
	holdRecord(t, "ix is an array of lines.", line, map[string][]byte{
		"fingerprints": prints, "overflow": u(uint16(1 << 9)), "multiplier": {1}, "spilled": {0}, "references": records})
}

func TestBlockIsAsDocumented(t *testing.T) {
	fields := []byte{}
	presence := uint32(0)
	for i, row := range tableBehind(t, "**Optional fields.**") {
		if number(t, row[0]) != i {
			t.Fatalf("presence bit %s in row %d", row[0], i)
		}
		size, _, _ := strings.Cut(row[2], " + n")
		field := make([]byte, number(t, size))
		field[0] = byte(0x80 + i)
		switch row[1] {
		case "traps":
			field = append(u(uint32(3), uint32(0)), 7, 8, 9, 0, 0, 0, 0, 0)
		case "sections":
			field = u(uint32(1), uint32(0), uint32(0), uint32(0))
		case "directory":
			field = u(uint32(1), uint32(0))
		}
		presence |= 1 << i
		fields = append(fields, field...)
	}
	body := append(fields, make([]byte, 8+8+8)...) // data, extra, directory
	b := append(u(uint32((16+len(body))/8), uint32(5), presence, uint32(1)), body...)
	holdRecord(t, "**Block header**", b[:disk.BlockHeaderSize], map[string][]byte{
		"units": u(uint32(len(b) / 8)), "method": u(uint32(5)), "presence": u(presence), "data units": u(uint32(1))})
	block, err := disk.ParseBlock(b)
	if err != nil {
		t.Fatalf("a block with all documented fields: %v", err)
	}
	le.PutUint32(b[8:], presence|1<<len(tableBehind(t, "**Optional fields.**")))
	if _, err := disk.ParseBlock(b); err == nil {
		t.Error("a presence bit that the page does not have was taken")
	}
	le.PutUint32(b[8:], presence)
	if f := block.Field(disk.HasEscape); f == nil || f[0] != 0x8a {
		t.Errorf("escape, presence bit 10, was not found at its place")
	}
	if s := block.SectionSpan(disk.SectionExtra); s.Offset != int64(len(b)-16) || s.Size != 8 {
		t.Errorf("extra entries are %+v", s)
	}
	holdRecord(t, "**Point directory.**", disk.AppendDirectoryRow(nil, -3, 40),
		map[string][]byte{"point": u(int32(-3)), "entry": u(uint32(5))})
	if text := fmt.Sprintf("A block with %d data entries or more has one",
		disk.DirectoryMin); !strings.Contains(page(t), text) {
		t.Errorf("the page does not say: %s", text)
	}
}

func TestTablesAreAsDocumented(t *testing.T) {
	columns := []disk.ColumnKind{disk.ColumnWord, disk.ColumnSymbol}
	b := disk.AppendTable(nil, disk.TableProperties, 9, columns, 3, func(c, r int) uint64 { return uint64(10*c + r) })
	holdRecord(t, "Tables follow the directory", b[:16], map[string][]byte{
		"kind": u(uint32(2)), "flags": u(uint32(9)), "columns": u(uint32(2)), "rows": u(uint32(3))})
	want := u([]byte{1, 2, 0, 0, 0, 0, 0, 0}, uint64(0), uint64(1), uint64(2), uint32(10), uint32(11),
		uint32(12), uint32(0))
	if !bytes.Equal(b[16:], want) {
		t.Errorf("columns are % x, the page says % x", b[16:], want)
	}
	end := 0
	for _, row := range tableBehind(t, "**Directory row**") {
		end += fieldSize(t, row[1])
	}
	if end != disk.TableRowSize {
		t.Errorf("a directory row has %d bytes, the page says %d", disk.TableRowSize, end)
	}
}

func TestTableKindsAreAsDocumented(t *testing.T) {
	rows := tableBehind(t, "| kind | name | columns |")
	kinds := disk.TableKinds()
	if len(rows) != len(kinds) {
		t.Fatalf("the page has %d kinds of tables, layout %d", len(rows), len(kinds))
	}
	for i, kind := range kinds {
		if number(t, rows[i][0]) != int(kind) || rows[i][1] != kind.String() {
			t.Errorf("the page has %v, layout %d %s", rows[i], kind, kind.String())
		}
		text := rows[i][2]
		for c, k := range disk.TableColumns(kind) {
			_, rest, ok := strings.Cut(text, strings.ReplaceAll(disk.TableColumn(kind, c, k).Name, "-", " "))
			if !ok {
				t.Errorf("%s: the page has no column %s where it should: %s", kind, disk.TableColumn(kind, c, k).Name, text)
			}
			text = rest
		}
	}
	if unknown := disk.TableKind(1000); unknown.String() != "1000" ||
		disk.TableColumn(unknown, 1, disk.ColumnType) != (disk.Column{Name: "2", Kind: disk.ColumnType}) {
		t.Errorf("a kind that is not known is %s with %v", unknown, disk.TableColumn(unknown, 1, disk.ColumnType))
	}
}

func TestLimitsAreAsDocumented(t *testing.T) {
	for _, s := range []string{
		fmt.Sprintf("32 GiB (%d bytes)", int64(disk.MaxFileSize)),
		fmt.Sprintf("1 MiB (%d bytes)", disk.MaxName),
		fmt.Sprintf("| frames of a context | %d |", disk.MaxDepth),
		fmt.Sprintf("| lines that a lookup reads | %d |", disk.MaxProbe),
		fmt.Sprintf("64 MiB (%d bytes) or more", disk.LargeRW),
		fmt.Sprintf("64 KiB (%d", disk.PagesRW),
	} {
		if !strings.Contains(page(t), s) {
			t.Errorf("the page does not say %q", s)
		}
	}
}
