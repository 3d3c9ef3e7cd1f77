package jamaica

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// ErrDomain means that the archive has another domain.
var ErrDomain = errors.New("not the profiles of a JamaicaVM")

// Export writes an archive of domain jamaica. The lines of each keyword are sorted by descending number, as by
// sort -rn -k2.
func (*Exporter) Export(w io.Writer, s *reader.Store) (*codec.Report, error) {
	if d := s.Header().Domain; d != layout.DomainJamaica {
		return nil, fmt.Errorf("%s: %w: it is of domain %s", s.Mapping().Name(), ErrDomain, d)
	}
	t := &textWriter{s: s, report: &codec.Report{Totals: ledger.Totals{}}}
	t.counter = ledger.Counter{Domain: layout.DomainJamaica, Shape: (*mapped.Mapping)(s.Mapping()).Shape()}
	t.addMethods()
	t.readTables()
	if t.Err != nil {
		return nil, t.Err
	}
	out := bufio.NewWriter(w)
	t.writeLines(out)
	return t.report, out.Flush()
}

// An outLine is a line to be written. Its share is computed after all lines have been collected.
type outLine struct {
	n           uint64
	beforeShare string // text before the share, n if empty
	afterShare  string // text after the share
}

// A textWriter collects the lines of an archive.
type textWriter struct {
	s       *reader.Store
	report  *codec.Report
	lines   [numKeywords][]outLine
	totals  [numKeywords]uint64 // totals that the archive stores, or 0
	heap    [2]uint64           // references and words
	columns uint64              // column at which the VM truncated "(interpreted)" marks, 0 if it truncated none
	foreign []string            // lines with unknown keywords
	counter ledger.Counter      // counts parts of profiles that are lost
	parse.FirstError
}

// addLoss adds the loss of a part of a method's profile to the report. lost is the totals of its counts.
func (t *textWriter) addLoss(what codec.LossKind, name string, lost ledger.Totals) {
	parse.AddLoss(&t.report.Lost, codec.Loss{What: what, Count: 1, First: []string{name}}, lost)
}

func (t *textWriter) addTotal(unit ledger.Unit, n uint64) {
	ledger.Totals(t.report.Totals).Add(unit, n)
}

// addLine adds a line that starts with n. rest follows n and its share.
func (t *textWriter) addLine(key keyword, n uint64, rest string) {
	t.lines[key] = append(t.lines[key], outLine{n: n, afterShare: rest})
}

// printed is the order of keywords in the output. The VM's documentation puts instantiations before invocations,
// and these before the heap.
var keywordOrder = []keyword{
	keyInstances,
	keyBytecodes,
	keyCycles,
	keyNative,
	keyInvoke,
	keyNewArray,
	keyThread,
	keyThreads,
	keyReflected,
	keyHeapUse,
	keyHeapRefs,
}

func (t *textWriter) writeLines(w io.Writer) {
	for _, key := range keywordOrder {
		sum := uint64(0)
		for _, l := range t.lines[key] {
			sum = disk.SaturatingAdd(sum, l.n)
		}
		total := max(sum, t.totals[key])
		slices.SortFunc(t.lines[key], func(a, b outLine) int {
			return cmp.Or(cmp.Compare(b.n, a.n), strings.Compare(b.afterShare, a.afterShare))
		})
		for _, l := range t.lines[key] {
			fmt.Fprintln(w, t.truncateMark(formatLine(key, l, percentShare(l.n, total))))
		}
	}
	for _, l := range t.foreign {
		fmt.Fprintln(w, l)
	}
}

// truncateMark truncates the mark of the interpreter at t.columns. It keeps the first character of the mark, so that
// Read recognizes it.
func (t *textWriter) truncateMark(line string) string {
	signature, marked := strings.CutSuffix(line, interpretedMark)
	if !marked || t.columns == 0 || t.columns >= uint64(len(line)) {
		return line
	}
	return line[:max(int(t.columns), len(signature)+1)]
}

// Columns at which the VM prints the names.
const (
	bytecodesColumn = 24
	cyclesColumn    = 28
)

// formatLine formats a line. It ignores share if the keyword's lines have no share.
func formatLine(key keyword, l outLine, share uint64) string {
	b := append([]byte(lineForms[key].name), ':')
	switch {
	case l.beforeShare != "":
		b = append(append(b, ' '), l.beforeShare...)
	case len(lineForms[key].numbers) > 0:
		b = strconv.AppendUint(append(b, ' '), l.n, 10)
	}
	column := 0
	if _, ok := shareTotals[key]; ok {
		b = fmt.Appendf(b, " (%d%%)", share)
	}
	switch key {
	case keyBytecodes, keyNative:
		column = bytecodesColumn
	case keyCycles:
		column = cyclesColumn
	}
	if l.afterShare != "" {
		b = fmt.Appendf(b, "%*s %s", max(0, column-1-len(b)), "", l.afterShare)
	}
	return string(b)
}

func (t *textWriter) addMethods() {
	for m := range poll.Values(t.s.Methods(), &t.Err) {
		if m.Unexecuted() {
			t.report.Lost.Add(LossNeverRan, 1)
		}
		profiles := 0
		for p := range poll.Values(m.Profiles(), &t.Err) {
			t.addProfile(m, p)
			profiles++
		}
		t.report.Methods += min(profiles, 1)
	}
}

func (t *textWriter) addProfile(m reader.Method, p reader.Profile) {
	name := t.methodName(m)
	_, ok, err := p.Context()
	t.Fail(err)
	if ok || p.Code() != 0 {
		t.report.Lost.Add(LossContext, 1)
	}
	if disk.Block(p.Bytes()).Presence()&^(disk.FileFields|disk.HasCode|disk.HasSections|disk.HasDirectory) != 0 {
		lost := ledger.Totals{}
		invocations, _ := p.Invocations()
		backedges, _ := p.Backedges()
		lost.Add(ledger.Invocations, invocations.Trained())
		lost.Add(ledger.Backedges, backedges.Trained())
		t.addLoss(LossCounter, name, lost)
	}
	for e := range p.Entries() {
		t.addEntry(name, e)
	}
	for section := disk.SectionExtra; section < disk.SectionDirectory; section++ {
		for range p.Section(section) {
			t.report.Lost.Add(LossEntry, 1)
		}
	}
}

// methodName returns the signature with the class, as the VM prints it.
func (t *textWriter) methodName(m reader.Method) string {
	k, err := m.Key()
	t.Fail(err)
	text := k.Name + k.Signature
	if k.Class != "" {
		text = k.Class + "." + text
	}
	return t.checkedName(text)
}

// checkedName returns text, or quotes it and reports a loss if Read would not read it back.
func (t *textWriter) checkedName(text string) string {
	if !isValidName(text) || strings.ContainsAny(text, " \t") || text != strings.Trim(text, quoteCharacters) {
		t.report.Lost.Add(LossName, 1)
		return fmt.Sprintf("%q", text)
	}
	return text
}

func (t *textWriter) addEntry(name string, e reader.Entry) {
	key, ok := keywordOf(e)
	if !ok || e.Point() < 0 {
		t.addLoss(LossEntry, name, parse.TotalsOfEntry(t.counter, disk.Entry(e.Bytes())))
		return
	}
	t.report.Entries++
	if e.Flags()&disk.EntryInterpreted != 0 {
		if key == keyInvoke || !isCompleteSignature(name) {
			t.report.Lost.Add(LossFlags, 1)
		} else {
			name += interpretedMark
		}
	}
	switch key {
	case keyInvoke:
		t.addCallees(name, e)
		return
	case keyNewArray:
		name = newArrayText(uint64(e.Point()), name)
	}
	n := e.Cell(0).Trained()
	t.addTotal(ledger.UnitOf(layout.DomainJamaica, e.Tag(), e.Sub()), n)
	t.addLine(key, n, name)
}

// newArrayText returns the part of a PROFILE_NEWARRAY line after its count.
func newArrayText(point uint64, name string) string { return fmt.Sprintf("%d  %s", point, name) }

// keywordOf returns the keyword for the lines of an entry. ok is false if no keyword can express the entry.
func keywordOf(e reader.Entry) (keyword, bool) {
	if e.Tag() == layout.TagCallees {
		return keyInvoke, true
	}
	for key, sub := range countSubs {
		if e.Tag() == layout.TagCount && e.Sub() == sub {
			return key, e.Point() == 0 || key == keyNewArray
		}
	}
	return 0, false
}

func (t *textWriter) addCallees(caller string, e reader.Entry) {
	rows, _ := e.Rows()
	for i := range rows.Len() {
		m, err := rows.Method(i)
		t.Fail(err)
		n := rows.Cell(i, 1).Trained()
		if !m.Valid() {
			t.addLoss(LossEntry, caller, ledger.Totals{ledger.CallCounts: n})
			continue
		}
		t.addTotal(ledger.CallCounts, n)
		t.addLine(keyInvoke, n, fmt.Sprintf("%d  %s %s", e.Point(), caller, t.methodName(m)))
	}
}

func (t *textWriter) readTables() {
	for table := range poll.Values(t.s.Tables(), &t.Err) {
		addRow := map[disk.TableKind]func(tableRow){
			disk.TableProperties: t.addPropertyRow,
			disk.TableHeapRefs:   t.addHeapRefsRow,
			disk.TableHeapUse:    t.addHeapUseRow,
			disk.TableInstances:  t.addInstancesRow,
			disk.TableThreads:    t.addThreadRow,
			disk.TableReflected:  t.addReflectedRow,
			disk.TableForeign:    t.addForeignLine,
		}[table.Kind]
		for n := 0; addRow != nil && n < table.Rows; n++ {
			addRow(tableRow{&table, n})
		}
	}
}

type tableRow struct {
	*reader.Table
	n int
}

func (r tableRow) cellAt(column int) uint64 { return r.Cell(column, r.n) }

// propertyTexts returns the texts of a row of two symbols.
func (t *textWriter) propertyTexts(r tableRow) (key, value string) {
	key, keyErr := r.Text(0, r.n)
	value, valueErr := r.Text(1, r.n)
	t.Fail(cmp.Or(keyErr, valueErr))
	return key, value
}

// addPropertyRow uses a property that [Read] has written, and reports any other property as a loss.
func (t *textWriter) addPropertyRow(r tableRow) {
	key, value := t.propertyTexts(r)
	n, numberErr := strconv.ParseUint(value, 10, 64)
	for keyword, of := range shareTotals {
		if key == of.property && numberErr == nil {
			t.totals[keyword] = disk.SaturatingAdd(t.totals[keyword], n)
			return
		}
	}
	switch {
	case key == PropertyThreads && numberErr == nil:
		t.setThreadCount(n)
	case key == PropertyColumns && numberErr == nil: // a merged archive can have several
		t.columns = max(t.columns, n)
	default:
		t.report.Lost.Add(LossProperty, 1)
	}
}

// setThreadCount replaces the line with the number of threads if n is greater.
func (t *textWriter) setThreadCount(n uint64) {
	if old := t.lines[keyThreads]; len(old) > 0 {
		n = max(n, old[0].n)
	}
	t.lines[keyThreads] = []outLine{{n: n}}
}

// addHeapRefsRow adds the references of a run to the only HEAP_REFS line.
func (t *textWriter) addHeapRefsRow(r tableRow) {
	t.heap[0] = disk.SaturatingAdd(t.heap[0], r.cellAt(0))
	t.heap[1] = disk.SaturatingAdd(t.heap[1], r.cellAt(1))
	t.lines[keyHeapRefs] = []outLine{{n: t.heap[0],
		afterShare: fmt.Sprintf("%d (%d%%)", t.heap[1], percentShare(t.heap[0], t.heap[1]))}}
}

func (t *textWriter) addHeapUseRow(r tableRow) {
	t.lines[keyHeapUse] = append(t.lines[keyHeapUse], outLine{r.cellAt(4),
		fmt.Sprintf("%d %d %d %d", r.cellAt(1), r.cellAt(2), r.cellAt(3), r.cellAt(4)),
		fmt.Sprintf("%d (%d%%)  %s", r.cellAt(5), percentShare(r.cellAt(5), r.cellAt(1)), t.className(r.cellAt(0)))})
}

func (t *textWriter) addInstancesRow(r tableRow) {
	class := t.className(r.cellAt(0))
	if r.cellAt(6) != 0 {
		loader, err := r.Text(6, r.n)
		t.Fail(err)
		class = t.checkedName(loader) + " " + class
	}
	t.addLine(keyInstances, r.cellAt(1), fmt.Sprintf("%d %d %d %d (%d%%)  %s",
		r.cellAt(2), r.cellAt(3), r.cellAt(4), r.cellAt(5), percentShare(r.cellAt(5), r.cellAt(1)), class))
}

func (t *textWriter) addThreadRow(r tableRow) {
	t.addLine(keyThread, r.cellAt(0), fmt.Sprintf("%d (%d%%) (%d%%) (%d%%) (%d%%) %d %d",
		r.cellAt(1), r.cellAt(2), r.cellAt(3), r.cellAt(4), r.cellAt(5), r.cellAt(6), r.cellAt(7)))
}

func (t *textWriter) addReflectedRow(r tableRow) {
	t.addLine(keyReflected, 0, t.className(r.cellAt(0)))
}

func (t *textWriter) addForeignLine(r tableRow) {
	key, values := t.propertyTexts(r)
	line := key + ": " + values
	if word, _, _, known := cutKeyword([]byte(line)); known || string(word) != key {
		t.report.Lost.Add(LossProperty, 1)
		return
	}
	t.foreign = append(t.foreign, line)
}

func (t *textWriter) className(cell uint64) string {
	name := ""
	if cell != 0 {
		typ, err := t.s.TypeAt(layout.Ref(cell))
		t.Fail(err)
		name = t.Text(typ.Name())
	}
	return t.checkedName(name)
}
