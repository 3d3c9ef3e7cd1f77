package iprof

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Export writes the profiles of an archive as an iprof file, in one line like GraalVM. An archive imported from one
// file reproduces that file with its ids and order. For other archives Export assigns ids. The error matches
// builder.ErrMismatch for an archive of another domain.
func (o *Exporter) Export(w io.Writer, s *reader.Store) (*codec.Report, error) {
	if d := s.Header().Domain; d != layout.DomainGraal {
		return nil, fmt.Errorf("%w: %s has profiles of domain %s, and iprof is of %s", builder.ErrMismatch,
			s.Mapping().Name(), d, layout.DomainGraal)
	}
	if o.Version != "" && !slices.Contains(Versions, o.Version) {
		return nil, fmt.Errorf("%w: %q: write one of %s", ErrVersion, o.Version, strings.Join(Versions, ", "))
	}
	e := &exporter{store: s, options: *o, out: output{bufio.NewWriterSize(w, outputSize)},
		report: &codec.Report{Totals: ledger.Totals{}},
		raws:   map[string]string{}, items: map[layout.Ref]*profileItems{}}
	e.counter = ledger.Counter{Domain: layout.DomainGraal, Shape: (*mapped.Mapping)(s.Mapping()).Shape()}
	for _, step := range []func(){e.surveyArchive, e.readForeign, e.readOrder, e.markUsedByTexts, e.chooseVersion,
		e.assignTypeIDs, e.assignMethodIDs, e.writeFile} {
		step()
		if e.Err != nil {
			return nil, e.Err
		}
	}
	return e.report, e.out.Flush()
}

// An exporter writes one archive.
type exporter struct {
	store   *reader.Store
	options Exporter
	out     output
	report  *codec.Report
	parse.FirstError

	methods  []reader.Method // methods in archive order
	types    []reader.Type
	profiles []layout.Ref
	found    [sectionKinds]int // number of items, by section
	used     references
	counter  ledger.Counter // counts parts of profiles that are lost
	checks   uint64         // total of the counts of instanceof profiles

	foreignKeys []string                   // unknown keys in archive order
	raws        map[string]string          // values of unknown keys, by JSON pointer
	source      *sourceOrder               // nil without a usable source order
	listed      [listProfiles][]layout.Ref // types and methods to write, in order

	ofOldVersion bool // the imported file had the keys of 0.2.0

	version   string
	sections  []orderedSection // sections to write
	typeIDs   []int64          // type ids, by ordinal
	methodIDs map[layout.Ref]int64
	typeByKey map[string]int64 // type ids, by spelling in signatures
	extra     []extraType

	items     map[layout.Ref]*profileItems // cache of profileItemsAt
	itemsText int                          // bytes of callers in the cache
}

// An extraType is a type that only signatures name.
type extraType struct {
	id   int64
	name string
}

type references struct {
	types    []bool // used types, by ordinal
	methods  map[layout.Ref]bool
	contexts map[layout.Ref]bool // contexts whose callers are in methods
}

// chooseVersion chooses the version and the sections to write.
func (e *exporter) chooseVersion() {
	e.version = cmp.Or(e.options.Version, e.sourceVersion())
	if e.version == "" {
		if e.ofOldVersion {
			e.report.Lost.Add(LossVersion, 1)
		}
		e.version = "1.0.0"
		if e.found[instanceofs] > 0 {
			e.version = "1.1.0"
		}
	}
	if e.source != nil && e.version == e.source.version {
		e.sections = e.source.sections
	} else {
		e.sections = e.sectionsInOrder(keyOrder(e.version))
	}
	if !slices.ContainsFunc(e.sections, func(s orderedSection) bool { return s.kind == instanceofs }) {
		parse.AddLoss(&e.report.Lost, codec.Loss{What: LossInstanceof, Count: e.found[instanceofs]},
			ledger.Totals{ledger.TypeCounts: e.checks})
	}
}

// sourceVersion returns the version of the imported file if Write supports it, or "".
func (e *exporter) sourceVersion() string {
	v := e.versionProperty()
	e.ofOldVersion = versionText().MatchString(v) && oldVersion(v)
	if !versionText().MatchString(v) || e.ofOldVersion || e.source == nil && v < "1.1.0" && e.found[instanceofs] > 0 {
		return ""
	}
	return v
}

// versionProperty returns the version of the imported file, or "".
func (e *exporter) versionProperty() string {
	properties, err := entries.Properties(e.store)
	e.Fail(err)
	return append(properties[versionProperty], "")[0]
}

// sectionsInOrder returns the sections of the source, or all sections without a source order, in the order of kinds.
// Unknown keys follow.
func (e *exporter) sectionsInOrder(kinds []sectionKind) (all []orderedSection) {
	for _, k := range kinds {
		if e.source == nil {
			all = append(all, orderedSection{kind: k})
			continue
		}
		for _, s := range e.source.sections {
			if s.kind == k {
				all = append(all, s)
			}
		}
	}
	for _, key := range e.foreignKeys {
		if slices.ContainsFunc(all, func(s orderedSection) bool { return sectionKeys[s.kind] == key }) {
			e.report.Lost.Add(LossForeign, 1)
			continue
		}
		all = append(all, orderedSection{kind: foreign, key: key})
	}
	return all
}

// surveyArchive collects the types, methods and profiles of the archive, their references and their losses.
func (e *exporter) surveyArchive() {
	for t := range poll.Values(e.store.Types(), &e.Err) {
		e.types = append(e.types, t)
		e.surveyType(t)
	}
	e.used = references{make([]bool, len(e.types)), map[layout.Ref]bool{}, map[layout.Ref]bool{}}
	for m := range poll.Values(e.store.Methods(), &e.Err) {
		e.methods = append(e.methods, m)
		for p := range poll.Values(m.Profiles(), &e.Err) {
			e.surveyProfile(m, p)
		}
	}
	e.surveyTables()
}

func (e *exporter) surveyType(t reader.Type) {
	flags, err := t.Flags()
	e.Fail(err)
	loader := e.Text(t.Loader())
	if flags&^layout.TypeNotMatchable != 0 || e.Text(t.Alias()) != "" || loader != "" && loader[0] != numberMark {
		e.report.Lost.Add(LossLoader, 1)
	}
}

// supportedFields are the optional fields of a profile that iprof has, or that only describe the block's layout.
const supportedFields = disk.FileFields | disk.HasCode | disk.HasInvocations | disk.HasSections | disk.HasDirectory

func (e *exporter) surveyProfile(m reader.Method, p reader.Profile) {
	e.profiles = append(e.profiles, p.Ref())
	if p.Code() != 0 {
		e.report.Lost.Add(LossCode, 1)
	}
	name := e.Text(m.Name())
	if disk.Block(p.Bytes()).Presence()&^supportedFields != 0 {
		backedges, _ := p.Backedges()
		e.addLoss(LossCounter, name, ledger.Totals{ledger.Backedges: backedges.Trained()})
	}
	if _, ok := p.Invocations(); ok {
		e.found[calls]++
	}
	for entry := range p.Entries() {
		kind := sectionOf(entry)
		e.found[kind]++
		if kind == foreign {
			e.addLoss(LossEntry, name, parse.TotalsOfEntry(e.counter, disk.Entry(entry.Bytes())))
			continue
		}
		e.surveyRows(kind, entry, name)
	}
	for section := disk.SectionExtra; section < disk.SectionDirectory; section++ {
		for range p.Section(section) {
			e.report.Lost.Add(LossEntry, 1)
		}
	}
	e.markUsed(m, p)
}

func sectionOf(entry reader.Entry) sectionKind {
	switch tag, sub := entry.Tag(), entry.Sub(); {
	case tag == layout.TagCount && sub == layout.SubCalls && disk.Entry(entry.Bytes()).Flags() == 0:
		return calls
	case tag == layout.TagSuccessors && sub == layout.SubConditional:
		return conditionals
	case tag == layout.TagReceivers && sub == layout.SubVirtualCall:
		return virtuals
	case tag == layout.TagReceivers && sub == layout.SubTypeCheck:
		return instanceofs
	}
	return foreign
}

// addLoss adds the loss of a part of a method's profile to the report. lost is the totals of its counts.
func (e *exporter) addLoss(what codec.LossKind, name string, lost ledger.Totals) {
	parse.AddLoss(&e.report.Lost, codec.Loss{What: what, Count: 1, First: []string{name}}, lost)
}

func (e *exporter) surveyRows(kind sectionKind, entry reader.Entry, name string) {
	r, ok := entry.Receivers()
	if !ok {
		return
	}
	if r.Other().Load() != 0 || entry.Flags()&layout.EntryNullSeen != 0 || entry.Traps() != 0 {
		e.addLoss(LossRows, name, ledger.Totals{ledger.TypeCounts: r.Other().Trained()})
	}
	for i := range r.Len() {
		row, ok := r.Row(i)
		if !ok {
			_, free := r.Cells(i)
			e.addLoss(LossNoType, name, ledger.Totals{ledger.TypeCounts: free.Trained()})
			continue
		}
		if kind == instanceofs {
			e.checks += row.Count.Trained()
		}
		if int(row.Type.Ordinal()) < len(e.used.types) {
			e.used.types[row.Type.Ordinal()] = true
		}
	}
}

func (e *exporter) markUsed(m reader.Method, p reader.Profile) {
	e.used.methods[m.Ref()] = true
	c, ok, err := p.Context()
	for !e.Fail(err) && ok && !e.used.contexts[c.Ref()] {
		f, callerErr := c.Caller()
		e.Fail(callerErr)
		e.used.methods[f.Caller.Ref()], e.used.contexts[c.Ref()] = true, true
		ok = c.Inner() != 0
		if ok {
			c, err = e.store.ContextAt(c.Inner())
		}
	}
}

func (e *exporter) surveyTables() {
	for t := range poll.Values(e.store.Tables(), &e.Err) {
		switch {
		case t.Kind == disk.TableMonitors:
			e.found[monitors] = min(1, t.Rows)
			e.markUsedTypes(t)
		case t.Kind == disk.TableSamples:
			e.found[samples] = len(stacksOf(t))
			for i := range t.Rows {
				e.used.methods[layout.Ref(t.Cell(1, i))] = true
			}
		case disk.IsSourceOrder(t.Kind), t.Kind == disk.TableProperties, t.Kind == disk.TableForeign,
			t.Kind == disk.TableDumps,
			t.Kind == disk.TableRuns, t.Kind == disk.TableClassPath, t.Kind == disk.TableInputs, t.Kind == disk.TableLosses,
			t.Kind == disk.TableVersions, t.Kind == disk.TableCrowded:
		default:
			e.report.Lost.Add(LossTable, 1)
		}
	}
}

func (e *exporter) markUsedTypes(t reader.Table) {
	for i := range t.Rows {
		contended, err := e.store.TypeAt(layout.Ref(t.Cell(0, i)))
		if errors.Is(err, reader.ErrNotFound) {
			e.addLoss(LossNoType, "a monitor", ledger.Totals{ledger.Monitors: t.Cell(1, i)})
			continue
		}
		if e.Fail(err) {
			return
		}
		e.used.types[contended.Ordinal()] = true
	}
}

// stacksOf returns the first row of each stack in a table of samples. The rows of a stack are adjacent.
func stacksOf(t reader.Table) (first []int) {
	for i := range t.Rows {
		if i == 0 || t.Cell(0, i) != t.Cell(0, i-1) {
			first = append(first, i)
		}
	}
	return first
}

// clampCount limits a count to the maximum in a file, and adds it to the totals.
func (e *exporter) clampCount(unit ledger.Unit, n uint64) int64 {
	written := min(n, math.MaxInt64)
	ledger.Totals(e.report.Totals).Add(unit, written)
	if n > written {
		parse.AddLoss(&e.report.Lost, codec.Loss{What: LossCount, Count: 1}, ledger.Totals{unit: n - written})
	}
	return int64(written)
}

// writeCounter writes the live count of a counter. The totals have the trained one, as in the archive.
func (e *exporter) writeCounter(unit ledger.Unit, c reader.Counter) {
	e.clampCount(unit, c.Trained())
	e.out.writeInteger(int64(min(c.Load(), math.MaxInt64)))
}
