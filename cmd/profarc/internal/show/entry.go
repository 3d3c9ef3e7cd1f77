package show

import (
	"cmp"
	"fmt"
	"math/bits"
	"strings"

	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// entryPrinters print the entries whose cells engineers want to see in another way
// than printCells lists them: one function for each tag.
var entryPrinters = map[layout.Tag]func(*profilePrinter, reader.Entry){
	layout.TagBranch:          (*profilePrinter).printBranch,
	layout.TagReceiverType:    (*profilePrinter).printReceivers,
	layout.TagVirtualCall:     (*profilePrinter).printReceivers,
	layout.TagVirtualCallType: (*profilePrinter).printReceivers,
	layout.TagCallType:        (*profilePrinter).printCallType,
	layout.TagParametersType:  (*profilePrinter).printParameters,
	layout.TagRet:             (*profilePrinter).printRet,
	layout.TagMultiBranch:     (*profilePrinter).printSwitch,
	layout.TagSpeculativeTrap: (*profilePrinter).printSpeculativeTrap,
	layout.TagCounters:        (*profilePrinter).printCounters,
	layout.TagValueSite:       (*profilePrinter).printValueSite,
	layout.TagBitmap:          (*profilePrinter).printBitmap,
	layout.TagSuccessors:      (*profilePrinter).printSuccessors,
	layout.TagReceivers:       (*profilePrinter).printReceivers,
	layout.TagCallees:         (*profilePrinter).printCallees,
	layout.TagCount:           (*profilePrinter).printCount,
	layout.TagUndecoded:       (*profilePrinter).printUndecoded,
}

// printEntry prints one entry: point, kind, data, and a line for each row.
func (p *profilePrinter) printEntry(e reader.Entry) {
	p.begin = fmt.Sprintf("%*d  %-*s %s", p.inset+pointWidth, e.Point(), kindWidth, p.s.Mapping().Shape().TagName(e.Tag()),
		p.entryNotes(e))
	if printTag, ok := entryPrinters[e.Tag()]; ok {
		printTag(p, e)
	} else {
		p.printCells(e)
	}
}

// printCells prints an entry as the schema of its tag describes it: single cells
// and lists of numbers on the first line, and a line for each row of several
// cells. It leaves out lengths and displacements, which say nothing to people.
func (p *profilePrinter) printCells(e reader.Entry) {
	var first, rows []string
	if schema, ok := disk.SchemaOf(e.Tag()); ok && len(schema.Subs) > 0 {
		first = append(first, subText(e))
	}
	if e.Tag().ByProducer() {
		first = append(first, producersHeader(e)...)
	}
	for group := range p.s.Mapping().Shape().Groups(disk.Entry(e.Bytes())) {
		switch {
		case group.Repeat == disk.Once:
			first = append(first, p.cellTexts(e, group, 0)...)
		case group.Repeat == disk.PerGap && group.N == 0:
		case len(group.Cells) == 1 && !group.HasPointers():
			first = append(first, p.listText(e, group))
		default:
			for row := range group.N {
				rows = append(rows, strings.Join(p.cellTexts(e, group, row), ", "))
			}
		}
	}
	p.line("%s", strings.Join(first, ", "))
	for _, row := range rows {
		p.row("%s", row)
	}
}

// producersHeader returns the sub and the flags of a producer's entry, whose meaning it alone knows.
func producersHeader(e reader.Entry) (texts []string) {
	if sub := e.Sub(); sub != 0 {
		texts = append(texts, fmt.Sprintf("sub %d", sub))
	}
	if flags := e.Flags(); flags != 0 {
		texts = append(texts, fmt.Sprintf("flags %#x", uint8(flags)))
	}
	return texts
}

// cellTexts returns the names and values of the cells of a row.
func (p *profilePrinter) cellTexts(e reader.Entry, group disk.Rows, row int) (texts []string) {
	for i, c := range group.Cells {
		if c.Kind != disk.CellLength && c.Kind != disk.CellDisplacement {
			texts = append(texts, c.Name+" "+p.cellText(e, group.Cell(row, i), c))
		}
	}
	return texts
}

// listText returns the name of a list of numbers and its values.
func (p *profilePrinter) listText(e reader.Entry, group disk.Rows) string {
	text := group.Name
	for row := range group.N {
		text += " " + p.cellText(e, group.Cell(row, 0), group.Cells[0])
	}
	return text
}

// cellText returns the value of a cell.
func (p *profilePrinter) cellText(e reader.Entry, cell int, c disk.CellSpec) string {
	kind := c.Kind
	switch kind {
	case disk.CellType:
		return p.typeName(e.TypeCell(cell).Type)
	case disk.CellTypeWord:
		return p.typeWord(e.TypeCell(cell))
	case disk.CellMethod:
		m, err := e.MethodCell(cell)
		p.err = cmp.Or(p.err, err)
		return p.methodName(m)
	}
	v := e.Cell(cell).Load()
	switch {
	case len(c.Bits) > 0:
		return c.BitNames(v)
	case kind == disk.CellSuccessor:
		return successorText(v)
	case kind == disk.CellFlags, cell == 0 && disk.Entry(e.Bytes()).SignedCount():
		return fmt.Sprint(int64(v))
	}
	return fmt.Sprint(v)
}

// subText returns what the sub field of an entry says, in the words of its schema.
func subText(e reader.Entry) string {
	if e.Tag() == layout.TagValueSite && e.Sub() == layout.SubMemOpSize {
		return "memory operation size"
	}
	if schema, ok := disk.SchemaOf(e.Tag()); ok && int(e.Sub()) < len(schema.Subs) && schema.Subs[e.Sub()] != "" {
		return strings.ReplaceAll(schema.Subs[e.Sub()], "-", " ")
	}
	return fmt.Sprintf("kind %d", e.Sub())
}

// entryNotes returns the traps and flags of an entry.
func (p *profilePrinter) entryNotes(e reader.Entry) string {
	notes := ""
	if mark, ok := p.marks.At(p.marked, e.Point()); ok {
		notes += mark.String() + " "
	}
	if e.Traps() != 0 {
		notes += fmt.Sprintf("trap(%s) ", p.trapReasons().At(e))
	}
	if e.Flags()&layout.EntryNullSeen != 0 && e.Tag() != layout.TagCount && !e.Tag().ByProducer() {
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

// shareRow prints a count, its share of a whole, and the name of what was counted.
func (p *profilePrinter) shareRow(count, whole uint64, of string) {
	p.row("%12d  %.2f  %s", count, cli.Share(count, whole), of)
}

func (p *profilePrinter) printBranch(e reader.Entry) {
	b, _ := e.Branch()
	taken, not := b.Taken.Load(), b.NotTaken.Load()
	p.line("taken %d (%.2f), not taken %d", taken, cli.Share(taken, disk.SaturatingAdd(taken, not)), not)
}

func (p *profilePrinter) printCallType(e reader.Entry) {
	p.line("count %d", e.Cell(0).Load())
	p.printTypes(e)
}

func (p *profilePrinter) printParameters(e reader.Entry) {
	p.line("")
	p.printTypes(e)
}

func (p *profilePrinter) printSpeculativeTrap(e reader.Entry) {
	m, err := e.Trap()
	p.err = cmp.Or(p.err, err)
	p.line("in %s", p.methodName(m))
}

// printReceivers prints a type profile, and the argument types of a call that has both. Shares are of all
// receivers, with and without a row. Failed type checks are counted as negative numbers and get a line of
// their own: only some of them have a row, so that their shares are not known.
func (p *profilePrinter) printReceivers(e reader.Entry) {
	r, _ := e.Receivers()
	other, gap := r.Other().Load(), ""
	if n, ok := r.Gap(); ok && n.Load() > 0 {
		gap = fmt.Sprintf(", not profiled %d", n.Load())
	}
	if disk.Entry(e.Bytes()).SignedCount() {
		p.line("count %d%s", int64(other), gap)
	} else {
		p.line("count %d%s", other, gap)
	}
	unlisted := r.Unlisted(other)
	whole := unlisted.Types + unlisted.Untyped // one of them is 0
	for row := range r.All() {
		whole = disk.SaturatingAdd(whole, row.Count.Load())
	}
	for row := range r.All() {
		p.shareRow(row.Count.Load(), whole, p.typeName(row.Type))
	}
	if unlisted.Failed > 0 {
		p.row("%12d        checks that failed", unlisted.Failed)
	}
	p.printTypes(e)
}

// printTypes prints the types of arguments or parameters and of the return value, if the entry has any.
func (p *profilePrinter) printTypes(e reader.Entry) {
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

func (p *profilePrinter) printRet(e reader.Entry) {
	rows, _ := e.Rows()
	p.line("count %d", rows.Head(0).Load())
	for i := range rows.Len() {
		if n := rows.Cell(i, 1).Load(); n > 0 {
			p.row("%12d  to bci %d", n, rows.Cell(i, 0).Load())
		}
	}
}

func (p *profilePrinter) printSwitch(e reader.Entry) {
	rows, _ := e.Rows()
	whole := rows.Head(0).Load()
	for i := range rows.Len() {
		whole = disk.SaturatingAdd(whole, rows.Cell(i, 0).Load())
	}
	p.line("default %d (%.2f)", rows.Head(0).Load(), cli.Share(rows.Head(0).Load(), whole))
	labels := p.casesAt(e.Point(), rows.Len())
	for i := range rows.Len() {
		text := fmt.Sprintf("case index %d", i)
		if labels != nil {
			text = fmt.Sprintf("label %d", labels[i])
		}
		p.shareRow(rows.Cell(i, 0).Load(), whole, text)
	}
}

// casesAt returns the labels of the cases of a switch, nil if they are not known.
func (p *profilePrinter) casesAt(point int32, n int) []int32 {
	if p.listed == nil || !p.listed.Placed() {
		return nil
	}
	if i, ok := p.listed.At(int(point)); ok && len(i.Labels) == n {
		return i.Labels
	}
	return nil
}

func (p *profilePrinter) printCount(e reader.Entry) {
	by := ""
	if e.Flags()&layout.EntryInterpreted != 0 {
		by = ", interpreted"
	}
	p.line("%s %d%s", subText(e), e.Cell(0).Load(), by)
}

// countersPerLine is the number of counters in a line.
const countersPerLine = 8

func (p *profilePrinter) printCounters(e reader.Entry) {
	rows, _ := e.Rows()
	p.line("%d counters", rows.Len())
	p.printCounterRows(rows)
}

func (p *profilePrinter) printCounterRows(rows reader.Rows) {
	for first := 0; first < rows.Len(); first += countersPerLine {
		line := fmt.Sprintf("%4d:", first)
		for i := first; i < min(first+countersPerLine, rows.Len()); i++ {
			line += fmt.Sprintf(" %d", rows.Cell(i, 0).Load())
		}
		p.row("%s", line)
	}
}

// printShares prints the counts in the second cells of rows, and what each is of.
func (p *profilePrinter) printShares(rows reader.Rows, of func(row int) string) {
	sum := uint64(0)
	for i := range rows.Len() {
		sum = disk.SaturatingAdd(sum, rows.Cell(i, 1).Load())
	}
	for i := range rows.Len() {
		p.shareRow(rows.Cell(i, 1).Load(), sum, of(i))
	}
}

func (p *profilePrinter) printValueSite(e reader.Entry) {
	rows, _ := e.Rows()
	p.line("%s", subText(e))
	p.printSiteValues(e, rows)
}

func (p *profilePrinter) printSiteValues(e reader.Entry, rows reader.Rows) {
	p.printShares(rows, func(i int) string {
		v := rows.Cell(i, 0).Load()
		if e.Sub() == layout.SubMemOpSize {
			return fmt.Sprintf("%d bytes", v)
		}
		return p.target(e.Sub(), v)
	})
}

// target names the function or vtable whose id is a value, if the archive has it.
func (p *profilePrinter) target(sub layout.Sub, id uint64) string {
	text, err := p.targets.Text(p.s, sub, id)
	p.err = cmp.Or(p.err, err)
	return p.screen.Spelling.Function(text)
}

func (p *profilePrinter) printBitmap(e reader.Entry) { p.line("%s", bitmapText(e)) }

// bitmapText describes how many bits of a bitmap are set, and which.
func bitmapText(e reader.Entry) string {
	b, _ := e.Bitmap()
	set := 0
	for _, v := range b {
		set += bits.OnesCount8(v)
	}
	return fmt.Sprintf("%d of %d bits set: %x", set, 8*len(b), b)
}

func (p *profilePrinter) printSuccessors(e reader.Entry) {
	rows, _ := e.Rows()
	p.line("%d successors", rows.Len())
	p.printShares(rows, func(i int) string { return "to " + successorText(rows.Cell(i, 0).Load()) })
}

// successorText returns the point and the index that a successor cell packs.
func successorText(cell uint64) string {
	point, index := disk.UnpackSuccessor(cell)
	return fmt.Sprintf("%d (%d)", point, index)
}

func (p *profilePrinter) printCallees(e reader.Entry) {
	rows, _ := e.Rows()
	p.line("%d callees", rows.Len())
	p.printShares(rows, func(i int) string {
		m, err := rows.Method(i)
		p.err = cmp.Or(p.err, err)
		return p.methodName(m)
	})
}

// wordsPerLine is the number of raw words in a line.
const wordsPerLine = 4

// printUndecoded prints the words of entries that the dump did not know, and why they are there.
func (p *profilePrinter) printUndecoded(e reader.Entry) {
	of := ""
	if e.Flags()&layout.EntryOneOf != 0 {
		of = ", those of one of several runs"
	}
	p.line("%s from an entry of HotSpot's tag %d on, which was not known%s: not adopted",
		cli.Amount(e.Cells(), "raw word"), disk.UndecodedTag(disk.Entry(e.Bytes())), of)
	for first := 0; first < e.Cells(); first += wordsPerLine {
		line := fmt.Sprintf("%4d:", first)
		for i := first; i < min(first+wordsPerLine, e.Cells()); i++ {
			line += fmt.Sprintf(" %016x", e.Cell(i).Trained())
		}
		p.row("%s", line)
	}
}
