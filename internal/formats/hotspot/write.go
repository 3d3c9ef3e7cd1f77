package hotspot

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/internal/names/javanames"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A textWriter prints an archive as the VM would.
type textWriter struct {
	out    *bufio.Writer
	line   []byte // buffer of the current line, without its end
	store  *reader.Store
	report *codec.Report

	settings textSettings
	types    map[uint32]string // printed types, by ordinal
	total    uint64            // total of the printed sizes
	counter  ledger.Counter    // counts parts of profiles that are lost
	method   string            // name of the current method
	parse.FirstError
}

// Export prints the profiles of an archive like -XX:+PrintMethodData. They are in their original order if the
// archive has it, and otherwise sorted by invocations, highest first. Archives lack the bytecodes between entries.
func (*Exporter) Export(out io.Writer, s *reader.Store) (*codec.Report, error) {
	if d := s.Header().Domain; d != layout.DomainHotSpot {
		return nil, fmt.Errorf("profiles of domain %s cannot be printed as HotSpot's method data: "+
			"export them in the format of their own domain", d)
	}
	w := &textWriter{out: bufio.NewWriterSize(out, 1<<16), store: s, types: map[uint32]string{},
		report: &codec.Report{Totals: ledger.Totals{}}}
	w.counter = ledger.Counter{Domain: layout.DomainHotSpot, Shape: (*mapped.Mapping)(s.Mapping()).Shape()}
	if err := s.Mapping().Guard(w.writeDump); err != nil {
		return nil, err
	}
	return w.report, nil
}

func (w *textWriter) writeDump() error {
	w.settings, w.Err = readSettings(w.store)
	profiles, err := w.profilesToPrint()
	w.Fail(err)
	for _, p := range profiles {
		if w.Err == nil {
			w.writeProfile(p)
		}
	}
	if w.Err != nil {
		return w.Err
	}
	return w.writeDumpEnd()
}

func (w *textWriter) writeDumpEnd() error {
	if w.settings.hasTotal {
		w.total = w.settings.total
	}
	w.writeLine(append(w.line, rule...))
	w.writeLine(fmt.Appendf(w.line, "%s%d%s", totalPrefix, w.total, totalSuffix))
	return w.out.Flush()
}

// writeLine prints a line from the buffer w.line. Flush returns earlier errors at the end.
func (w *textWriter) writeLine(line []byte) {
	line = append(line, '\n')
	_, _ = w.out.Write(line)
	w.line = line[:0]
}

func (w *textWriter) addTotal(unit ledger.Unit, c reader.Counter) uint64 {
	ledger.Totals(w.report.Totals).Add(unit, c.Trained())
	return c.Load()
}

// addLoss adds the loss of a part of the current method to the report. lost is the totals of its counts.
func (w *textWriter) addLoss(what codec.LossKind, lost ledger.Totals) {
	parse.AddLoss(&w.report.Lost, codec.Loss{What: what, Count: 1, First: []string{w.method}}, lost)
}

// textSettings are the properties in which VMs' texts differ.
type textSettings struct {
	dialect  Dialect
	plain    bool // use the trap reasons of a VM without JVMCI
	total    uint64
	hasTotal bool
	own      bool       // print all invocations instead of interpreted ones
	shape    disk.Shape // shape with the rows of the widest entry
}

// readSettings reads the settings from the properties of an archive. By default it uses the dialect of the archive's
// VM.
func readSettings(s *reader.Store) (textSettings, error) {
	set := textSettings{shape: (*mapped.Mapping)(s.Mapping()).Shape(), dialect: JDK25}
	if set.shape.Gap > 0 {
		set.dialect = JDK17
	}
	properties, err := entries.Properties(s)
	for _, name := range properties[PropertyDialect] {
		if d, ok := parseDialect(name); ok {
			set.dialect = d
		}
	}
	set.plain = lastValue(properties[PropertyReasons]) == plainReasons
	set.own = lastValue(properties[PropertyInterpreted]) == OwnInterpreted
	n, numberErr := strconv.ParseUint(lastValue(properties[PropertyTotal]), 10, 64)
	set.total = n
	set.hasTotal = numberErr == nil
	return set, err
}

func lastValue(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[len(values)-1]
}

func (w *textWriter) writeProfile(p reader.Profile) {
	m, err := p.Method()
	if err != nil {
		w.Fail(err)
		return
	}
	class, ok, errClass := m.Class()
	key, errKey := m.Key()
	w.Fail(cmp.Or(errClass, errKey))
	w.method = key.Class + classEnd + key.Name + key.Signature
	if !ok {
		w.addLoss(LossNoClass, parse.TotalsOfBlock(w.counter, disk.Block(p.Bytes())))
		return
	}
	w.report.Methods++
	w.writeLine(append(w.line, rule...))
	w.writeHeader(m, class)
	w.writeCounters(p)
	w.countHiddenParts(p, class)
	w.writeParameters(p)
	w.writeEntries(p)
}

func (w *textWriter) writeHeader(m reader.Method, class reader.Type) {
	b := w.line
	for _, mod := range modifiers {
		if m.Access()&mod.access != 0 {
			b = append(b, mod.word...)
		}
	}
	w.writeLine(javanames.AppendQuoted(w.appendMethod(b, m, class), w.Text(m.Signature())))
}

func (w *textWriter) appendMethod(b []byte, m reader.Method, class reader.Type) []byte {
	b = append(javanames.AppendExternal(b, javanames.ToModifiedUTF8(w.internalName(class))), classEnd...)
	return javanames.AppendQuoted(b, w.Text(m.Name()))
}

// internalName returns the VM's name of a type, preferably its alias.
func (w *textWriter) internalName(t reader.Type) string {
	if alias := w.Text(t.Alias()); alias != "" {
		return javanames.HiddenInternal(alias) // an alias can have the external form
	}
	return w.Text(t.Name())
}

func (w *textWriter) writeCounters(p reader.Profile) {
	interpreted, _ := p.Interpreted()
	invocations, _ := p.Invocations()
	if w.settings.own {
		interpreted = invocations
	}
	backedges, _ := p.Backedges()
	history, _ := disk.Block(p.Bytes()).History()
	_, size := p.Size()
	w.countClamped(ledger.Invocations, invocations)
	w.countClamped(ledger.Backedges, backedges)
	for _, c := range []struct {
		name string
		n    uint64
	}{
		{firstCounter, interpreted.Load()},
		{"  invocation_counter:", invocations.Load()},
		{"  backedge_counter:", backedges.Load()},
		{"  decompile_count:", uint64(history.Decompiles)},
	} {
		w.writeLine(fmt.Appendf(w.line, "%-32s%11d", c.name, printedCounter(c.n)))
	}
	w.writeLine(fmt.Appendf(w.line, "  mdo size: %d%s", size, totalSuffix))
	w.writeLine(w.line)
	w.total += uint64(size)
}

// printedCounter converts a counter to a signed 32-bit number, as HotSpot prints it. Only counts beyond a VM's range
// are wider.
func printedCounter(n uint64) int64 {
	if n <= math.MaxUint32 {
		return int64(int32(uint32(n)))
	}
	return int64(min(n, math.MaxInt64))
}

// countClamped adds a counter to the totals as printedCounter prints it.
func (w *textWriter) countClamped(unit ledger.Unit, c reader.Counter) {
	n := min(c.Trained(), math.MaxInt64)
	ledger.Totals(w.report.Totals).Add(unit, n)
	if above := c.Trained() - n; above > 0 {
		w.addLoss(LossHighCount, ledger.Totals{unit: above})
	}
}

func (w *textWriter) countHiddenParts(p reader.Profile, class reader.Type) {
	_, ok, err := p.Context()
	w.Fail(err)
	if ok {
		w.report.Lost.Add(LossContext, 1)
	}
	if p.Code() != 0 {
		w.report.Lost.Add(LossCode, 1)
	}
	if loader := w.Text(class.Loader()); loader != "" && !strings.HasPrefix(loader, disk.TwinLoader) {
		w.report.Lost.Add(LossLoaderName, 1)
	}
	history, _ := disk.Block(p.Bytes()).History()
	history.Decompiles = 0
	_, compile := disk.Block(p.Bytes()).Compile()
	_, escape := disk.Block(p.Bytes()).Escape()
	if history != (disk.History{}) || compile || escape || p.TrapHistory() != nil {
		w.report.Lost.Add(LossHeader, 1)
	}
	for range p.Section(disk.SectionHandlers) {
		w.report.Lost.Add(LossHandlers, 1)
	}
}

func (w *textWriter) profilesToPrint() ([]reader.Profile, error) {
	ordered, err := w.sourceOrder()
	if err != nil {
		return nil, err
	}
	known := make(map[layout.Ref]bool, len(ordered))
	for _, p := range ordered {
		known[p.Ref()] = true
	}
	var rest []reader.Profile
	for m := range poll.Values(w.store.Methods(), &err) {
		if m.Unexecuted() {
			w.report.Lost.Add(LossUnexecuted, 1)
		}
		for p := range poll.Values(m.Profiles(), &err) {
			w.widenShape(p)
			if !known[p.Ref()] {
				rest = append(rest, p)
			}
		}
	}
	slices.SortStableFunc(rest, func(a, b reader.Profile) int {
		return cmp.Compare(invocationCount(b), invocationCount(a))
	})
	return append(ordered, rest...), err
}

func invocationCount(p reader.Profile) uint64 {
	c, _ := p.Invocations()
	return c.Load()
}

func (w *textWriter) sourceOrder() (profiles []reader.Profile, err error) {
	t, err := w.store.TableOrEmpty(disk.TableOrder)
	if err != nil || t.Rows == 0 {
		return nil, err
	}
	if t.Columns() != 1 || t.Column(0) != disk.ColumnProfile {
		return nil, disk.Corrupt(disk.RegionEX, -1, "the table of the source order does not have one column of profiles")
	}
	for i := range t.Rows {
		p, err := w.store.ProfileAt(layout.Ref(t.Cell(0, i)))
		if err != nil {
			return nil, err
		}
		profiles = append(profiles, p)
	}
	return profiles, nil
}

// widenShape widens the shape for entries with more rows than the VM has. Offsets are then printed as in a VM with the
// wider shape.
func (w *textWriter) widenShape(p reader.Profile) {
	for e := range p.Entries() {
		switch e.Tag() {
		case layout.TagReceivers:
			w.settings.shape.TypeRows = max(w.settings.shape.TypeRows, disk.Entry(e.Bytes()).Rows())
		case layout.TagSuccessors:
			if e.Sub() == disk.SubReturn {
				w.settings.shape.BciRows = max(w.settings.shape.BciRows, disk.Entry(e.Bytes()).Rows())
			}
		}
	}
}
