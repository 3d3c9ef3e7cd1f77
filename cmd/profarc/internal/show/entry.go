package show

import (
	"cmp"
	"fmt"
	"math/bits"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/formats/hotspot"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// entry prints one entry: point, kind, data, and a line for each row.
func (p *profilePrinter) entry(e reader.Entry) {
	p.begin = fmt.Sprintf("%*d  %-*s %s", pointWidth, e.Point(), kindWidth, e.Tag(), entryNotes(e))
	if e.Tag().Wide() {
		p.wide(e)
	} else {
		p.hotspot(e)
	}
}

// entryNotes are the traps and flags of an entry.
func entryNotes(e reader.Entry) string {
	notes := ""
	if traps := e.Traps(); traps != 0 {
		notes += fmt.Sprintf("trap(%s) ", hotspot.TrapText(traps))
	}
	if e.Flags()&layout.EntryNullSeen != 0 && e.Tag() != layout.TagCount {
		notes += "null_seen "
	}
	return notes
}

// line prints the first line of an entry, which its point and kind begin.
func (p *profilePrinter) line(format string, args ...any) {
	fmt.Fprintln(p.w, strings.TrimRight(p.begin+fmt.Sprintf(format, args...), " "))
}

// row prints a line below the data of an entry.
func (p *profilePrinter) row(format string, args ...any) {
	fmt.Fprintf(p.w, "%*s   "+format+"\n", append([]any{p.indent, ""}, args...)...)
}

// shareRow prints a count, its share of a whole, and what it is of.
func (p *profilePrinter) shareRow(count, whole uint64, of string) {
	p.row("%12d  %.2f  %s", count, app.Share(count, whole), of)
}

// hotspot prints the data of an entry of HotSpot's tags.
func (p *profilePrinter) hotspot(e reader.Entry) {
	switch e.Tag() {
	case layout.TagCounter:
		p.line("count %d", e.Cell(0).Load())
	case layout.TagJump:
		p.line("taken %d", e.Cell(0).Load())
	case layout.TagBranch:
		b, _ := e.Branch()
		taken, not := b.Taken.Load(), b.NotTaken.Load()
		p.line("taken %d (%.2f), not taken %d", taken, app.Share(taken, disk.SaturatingAdd(taken, not)), not)
	case layout.TagReceiverType, layout.TagVirtualCall, layout.TagVirtualCallType:
		p.receivers(e)
		p.callTypes(e)
	case layout.TagCallType:
		p.line("count %d", e.Cell(0).Load())
		p.callTypes(e)
	case layout.TagParametersType:
		p.line("")
		p.callTypes(e)
	case layout.TagRet:
		p.ret(e)
	case layout.TagMultiBranch:
		p.multiBranch(e)
	case layout.TagSpeculativeTrap:
		m, err := e.Trap()
		if err != nil && p.err == nil {
			p.err = err
		}
		p.line("in %s", p.methodName(m))
	case layout.TagArgInfo:
		p.argInfo(e)
	default:
		p.line("")
	}
}

// receivers prints a type profile. Shares are of all whose types the rows or the
// count beside them show. Type checks that failed are counted below 0 and have a
// line of their own: of some the rows have the types and of others not, so that
// nothing is a share of all checks.
func (p *profilePrinter) receivers(e reader.Entry) {
	r, _ := e.Receivers()
	other, gap := r.Other().Load(), ""
	if n, ok := r.Gap(); ok && n.Load() > 0 {
		gap = fmt.Sprintf(", not profiled %d", n.Load())
	}
	if e.Raw().SignedCount() {
		p.line("count %d%s", int64(other), gap)
	} else {
		p.line("count %d%s", other, gap)
	}
	beside := r.Unlisted(other)
	whole := beside.Types + beside.Untyped // one of them is 0
	for row := range r.All() {
		whole = disk.SaturatingAdd(whole, row.Count.Load())
	}
	for row := range r.All() {
		p.shareRow(row.Count.Load(), whole, p.typeName(row.Type))
	}
	if beside.Failed > 0 {
		p.row("%12d        checks that failed", beside.Failed)
	}
}

// callTypes prints the types of arguments or parameters and of the return
// value, if the entry has such.
func (p *profilePrinter) callTypes(e reader.Entry) {
	types, ok := e.Types()
	if !ok {
		return
	}
	for i := range types.Args() {
		slot, word := types.Arg(i)
		p.row("slot %d: %s", slot, p.typeWord(word))
	}
	if word, ok := types.Return(); ok {
		p.row("return: %s", p.typeWord(word))
	}
}

func (p *profilePrinter) typeWord(w reader.TypeWord) string {
	text := p.typeName(w.Type)
	if w.Unknown {
		text = "several types"
	}
	if w.NullSeen {
		text += ", null_seen"
	}
	return text
}

func (p *profilePrinter) ret(e reader.Entry) {
	rows, _ := e.Rows()
	p.line("count %d", rows.Head(0).Load())
	for i := range rows.Len() {
		if n := rows.Cell(i, 1).Load(); n > 0 {
			p.row("%12d  to bci %d", n, rows.Cell(i, 0).Load())
		}
	}
}

func (p *profilePrinter) multiBranch(e reader.Entry) {
	rows, _ := e.Rows()
	whole := rows.Head(0).Load()
	for i := range rows.Len() {
		whole = disk.SaturatingAdd(whole, rows.Cell(i, 0).Load())
	}
	p.line("default %d (%.2f)", rows.Head(0).Load(), app.Share(rows.Head(0).Load(), whole))
	labels := p.casesAt(e.Point(), rows.Len())
	for i := range rows.Len() {
		text := fmt.Sprintf("case %d", i)
		if labels != nil {
			text = fmt.Sprintf("label %d", labels[i])
		}
		p.shareRow(rows.Cell(i, 0).Load(), whole, text)
	}
}

// casesAt are the labels of the cases of a switch, nil if they are not known.
func (p *profilePrinter) casesAt(point int32, n int) []int32 {
	if p.cases == nil {
		return nil
	}
	if labels := p.cases(int(point)); len(labels) == n {
		return labels
	}
	return nil
}

func (p *profilePrinter) argInfo(e reader.Entry) {
	rows, _ := e.Rows()
	modified := ""
	for i := range rows.Len() {
		modified += fmt.Sprintf(" %d", int64(rows.Cell(i, 0).Load()))
	}
	p.line("modified%s", modified)
}

// countNames say what a Count entry counts.
var countNames = map[uint16]string{
	layout.SubCalls: "calls", layout.SubBytecodes: "bytecodes", layout.SubCycles: "cycles",
	layout.SubNativeCalls: "native calls", layout.SubNewArrays: "new arrays", layout.SubSamples: "samples",
}

// siteNames say what the values of a ValueSite entry are.
var siteNames = map[uint16]string{
	layout.SubIndirectCall: "indirect call", layout.SubMemOpSize: "memory operation size", layout.SubVTable: "vtable",
}

// named is the name of a number, or the number.
func named(names map[uint16]string, n uint16) string {
	if name, ok := names[n]; ok {
		return name
	}
	return fmt.Sprintf("kind %d", n)
}

// wide prints the data of an entry of this format's tags.
func (p *profilePrinter) wide(e reader.Entry) {
	switch e.Tag() {
	case layout.TagCounters:
		p.counters(e)
	case layout.TagValueSite:
		p.valueSite(e)
	case layout.TagBitmap:
		p.bitmap(e)
	case layout.TagSuccessors:
		p.successors(e)
	case layout.TagReceivers:
		p.receivers(e)
	case layout.TagCallees:
		p.callees(e)
	case layout.TagCount:
		by := ""
		if e.Flags()&layout.WideInterpreted != 0 {
			by = ", interpreted"
		}
		p.line("%s %d%s", named(countNames, e.Sub()), e.Cell(0).Load(), by)
	}
}

// countersPerLine is how many counters stand in a line.
const countersPerLine = 8

func (p *profilePrinter) counters(e reader.Entry) {
	rows, _ := e.Rows()
	p.line("%d counters", rows.Len())
	p.counterRows(rows)
}

func (p *profilePrinter) counterRows(rows reader.Rows) {
	for first := 0; first < rows.Len(); first += countersPerLine {
		line := fmt.Sprintf("%4d:", first)
		for i := first; i < min(first+countersPerLine, rows.Len()); i++ {
			line += fmt.Sprintf(" %d", rows.Cell(i, 0).Load())
		}
		p.row("%s", line)
	}
}

// whole is the sum of the second cells of the rows.
func whole(rows reader.Rows) (sum uint64) {
	for i := range rows.Len() {
		sum = disk.SaturatingAdd(sum, rows.Cell(i, 1).Load())
	}
	return sum
}

func (p *profilePrinter) valueSite(e reader.Entry) {
	rows, _ := e.Rows()
	p.line("%s", named(siteNames, e.Sub()))
	p.siteValues(e, rows)
}

func (p *profilePrinter) siteValues(e reader.Entry, rows reader.Rows) {
	sum := whole(rows)
	for i := range rows.Len() {
		v := rows.Cell(i, 0).Load()
		text := fmt.Sprintf("%d bytes", v)
		if e.Sub() != layout.SubMemOpSize {
			text = p.target(e.Sub(), v)
		}
		p.shareRow(rows.Cell(i, 1).Load(), sum, text)
	}
}

// target names the function or vtable whose id is a value, if the archive has
// it.
func (p *profilePrinter) target(sub uint16, id uint64) string {
	text, err := p.targets.Text(p.s, sub, id)
	p.err = cmp.Or(p.err, err)
	return text
}

func (p *profilePrinter) bitmap(e reader.Entry) {
	b, _ := e.Bitmap()
	set := 0
	for _, v := range b {
		set += bits.OnesCount8(v)
	}
	p.line("%d of %d bits set: %x", set, 8*len(b), b)
}

func (p *profilePrinter) successors(e reader.Entry) {
	rows, _ := e.Rows()
	p.line("%d successors", rows.Len())
	for i := range rows.Len() {
		point, index := disk.UnpackSuccessor(rows.Cell(i, 0).Load())
		p.shareRow(rows.Cell(i, 1).Load(), whole(rows), fmt.Sprintf("to %d (%d)", point, index))
	}
}

func (p *profilePrinter) callees(e reader.Entry) {
	rows, _ := e.Rows()
	p.line("%d callees", rows.Len())
	for i := range rows.Len() {
		m, err := rows.Method(i)
		if err != nil && p.err == nil {
			p.err = err
		}
		p.shareRow(rows.Cell(i, 1).Load(), whole(rows), p.methodName(m))
	}
}
