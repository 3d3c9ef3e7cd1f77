package replay

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/layout"
)

// A drawnData is a MethodData as a VM has it, with the names of its pointers.
type drawnData struct {
	words         []uint64
	oops, methods []string
	sections      [disk.SectionDirectory]int // number of entries
}

func (d *drawnData) add(t *rapid.T, shape disk.Shape, section disk.BlockSection, tag layout.Tag, bci, length int) {
	_, e := disk.NewEntry(nil, tag, 0, uint16(bci), 0, shape.Cells(tag, length))
	for cell, kind := range shape.WalkCells(e) {
		switch kind {
		case disk.CellLength:
			e.SetCell(cell, uint64(length))
		case disk.CellCount:
			e.SetCell(cell, rapid.Uint64Range(0, 1<<31).Draw(t, "count"))
		}
	}
	for cell, kind := range shape.Pointers(e) {
		at := len(d.words) + 1 + cell
		switch {
		case kind == disk.CellMethod:
			e.SetCell(cell, 0x7f0000001000)
			d.methods = append(d.methods, fmt.Sprintf("%d zoo/Ape climb ()V", at))
		case rapid.Bool().Draw(t, "named"):
			e.SetCell(cell, 0x7f0000002000)
			d.oops = append(d.oops, fmt.Sprintf("%d zoo/C%d", at, at))
		}
	}
	for at := 0; at < len(e); at += disk.CellSize {
		d.words = append(d.words, binary.LittleEndian.Uint64(e[at:]))
	}
	d.sections[section]++
}

func drawData(t *rapid.T, shape disk.Shape) (d drawnData) {
	bci := 0
	for range rapid.IntRange(0, 6).Draw(t, "entries") {
		bci += rapid.IntRange(1, 99).Draw(t, "distance")
		tag := rapid.SampledFrom([]layout.Tag{layout.TagCounter, layout.TagJump, layout.TagBranch, layout.TagMultiBranch,
			layout.TagRet, layout.TagReceiverType, layout.TagVirtualCall, layout.TagCallType,
			layout.TagVirtualCallType}).Draw(t, "tag")
		length := rapid.IntRange(0, 5).Draw(t, "length")
		if tag == layout.TagMultiBranch {
			length = 2 + 2*length
		}
		d.add(t, shape, disk.SectionData, tag, bci, length)
	}
	for range rapid.IntRange(0, 2).Draw(t, "traps") {
		tag := rapid.SampledFrom([]layout.Tag{layout.TagBit, layout.TagSpeculativeTrap}).Draw(t, "trap")
		d.add(t, shape, disk.SectionExtra, tag, rapid.IntRange(0, 999).Draw(t, "bci of trap"), 0)
	}
	d.words = append(d.words, make([]uint64, rapid.IntRange(0, 3).Draw(t, "free words"))...)
	d.add(t, shape, disk.SectionExtra, layout.TagArgInfo, 0, rapid.IntRange(0, 3).Draw(t, "arguments"))
	if rapid.Bool().Draw(t, "parameters") {
		d.add(t, shape, disk.SectionParameters, layout.TagParametersType, 0, 2)
	}
	for range rapid.IntRange(0, 2).Draw(t, "handlers") {
		d.add(t, shape, disk.SectionHandlers, layout.TagBit, rapid.IntRange(0, 999).Draw(t, "bci of handler"), 0)
	}
	return d
}

// line returns the line of the replay file.
func (d *drawnData) line(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "ciMethodData zoo/Main %s ()V 2 1 orig 2 0 7 data %d", name, len(d.words))
	for _, w := range d.words {
		fmt.Fprintf(&b, " 0x%x", w)
	}
	fmt.Fprintf(&b, " oops %d %s methods %d %s\n", len(d.oops), strings.Join(d.oops, " "), len(d.methods),
		strings.Join(d.methods, " "))
	return b.String()
}

// Whatever a VM has in its MethodData is read, entry by entry, without a loss of counts.
func TestAnyMethodDataIsRead(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		shape := disk.Shape{TypeRows: rapid.IntRange(0, 8).Draw(t, "rows"), BciRows: 2,
			Gap: rapid.IntRange(0, 1).Draw(t, "gap")}
		d := drawData(t, shape)
		f, err := readFile(&codec.Input{Reader: strings.NewReader(d.line("run"))}, false)
		if err != nil {
			t.Fatal(err)
		}
		parts, ok := f.methods[0].split(shape)
		if !ok {
			t.Fatalf("not decoded: %s", d.line("run"))
		}
		for section, entries := range parts {
			if len(entries) != d.sections[section] {
				t.Errorf("section %d has %d entries, want %d: %s", section, len(entries), d.sections[section], d.line("run"))
			}
		}
		if _, err := f.build(&codec.Input{}, nil); err != nil || f.report.Lost.Count(LossData) > 0 {
			t.Errorf("lost %v: %v", f.report.Lost, err)
		}
	})
}

// No file makes the importer panic, and all counts that it adds up are in the archive or lost by name.
func FuzzImport(f *testing.F) {
	f.Add("JvmtiExport can_a 0\nciMethod A b ()V 0 0 7 0 -1\nciMethodData A b ()V 2 7 orig 1 0 data 2 0x30002 0x5 oops 0 methods 0\n")
	f.Add("ciMethodData A b ()V 2 7 orig 0 data 9 0x50005 0x1 0x0 0x7f 0x2 0x0 0x0 0x9 0x0 oops 1 3 A methods 0")
	f.Add("ciMethodData A b ()V 2 7 orig 0 data 6 0x1 0xd 0x7f 0x0 0x9 0x0 oops 0 methods 1 2 A b ()V\n")
	f.Add("instanceKlass  @bci A b ()V 4 ; # A$$Lambda+0x1\nciMethodData  @bci A b ()V 4 ; a ()V 2 7 orig 0 data 0 oops 0 methods 0\n")
	f.Add("ciMethodData A b ()V 2 7 orig 0 data 3 0xc 0x2 0x8 oops 0 methods 0\nhsdb> ciMethodData A b ()V 2 7 orig 0 data 1 0x7")
	f.Fuzz(func(t *testing.T, text string) {
		report, err := (&Importer{Salvage: true}).Import(&codec.Input{Reader: strings.NewReader(text)})
		if err != nil {
			return
		}
		if _, written, err := report.Dumps[0].Bytes(); err != nil || written.Unaccounted != nil {
			t.Fatalf("%v, unaccounted %v", err, written.Unaccounted)
		}
		for _, l := range report.Lost {
			if l.Amount > ledger.Totals(report.Totals)[l.Unit] && l.What != LossData {
				t.Errorf("%+v of %v", l, report.Totals)
			}
		}
	})
}
