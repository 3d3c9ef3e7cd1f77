package iprof

import (
	"errors"
	"math"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// survey goes through the archive: what there is, what refers to what, and what
// iprof cannot say.
func (e *exporter) survey() error {
	for t, err := range e.s.Types() {
		if err != nil {
			return err
		}
		e.types = append(e.types, t)
		if err := e.surveyType(t); err != nil {
			return err
		}
	}
	e.used = usage{make([]bool, len(e.types)), map[layout.Ref]bool{}, map[layout.Ref]bool{}}
	for m, err := range e.s.Methods() {
		if err != nil {
			return err
		}
		e.methods = append(e.methods, m)
		if m.NeverRan() {
			e.report.Seen++
		}
		for p, err := range m.Profiles() {
			if err != nil {
				return err
			}
			if err := e.surveyProfile(m, p); err != nil {
				return err
			}
		}
	}
	e.report.Profiles = len(e.profiles)
	return e.surveyTables()
}

func (e *exporter) surveyType(t reader.Type) error {
	flags, err1 := t.Flags()
	alias, err2 := t.Alias()
	loader, err3 := t.Loader()
	if flags&^layout.TypeNotMatchable != 0 || alias.Len() > 0 || loader.Len() > 0 && loader.String()[0] != numberMark {
		e.report.Lost.Add(LossLoader, 1)
	}
	return errors.Join(err1, err2, err3)
}

// sayable are the optional fields of a profile that iprof has, or that only say
// where things lie.
const sayable = disk.HasLinks | disk.HasCode | disk.HasInvocations | disk.HasSections | disk.HasDirectory

func (e *exporter) surveyProfile(m reader.Method, p reader.Profile) error {
	e.profiles = append(e.profiles, p.Ref())
	if p.Code() != 0 {
		e.report.Lost.Add(LossCode, 1)
	}
	if p.Block().Presence()&^sayable != 0 {
		e.report.Lost.Add(LossCounter, 1)
	}
	if _, ok := p.Invocations(); ok {
		e.found[calls]++
	}
	for entry := range p.Entries() {
		kind := sectionOf(entry)
		e.found[kind]++
		if kind == foreign {
			e.report.Lost.Add(LossEntry, 1)
		}
		e.surveyRows(entry)
	}
	for section := layout.SectionExtra; section < layout.SectionDirectory; section++ {
		for range p.Section(section) {
			e.report.Lost.Add(LossEntry, 1)
		}
	}
	return e.use(m, p)
}

// sectionOf is the section that an entry belongs to, foreign for none.
func sectionOf(entry reader.Entry) sectionKind {
	switch tag, sub := entry.Tag(), entry.Sub(); {
	case tag == layout.TagCount && sub == layout.SubCalls && entry.Raw().Flags() == 0:
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

// surveyRows looks at what iprof does not have of a type profile.
func (e *exporter) surveyRows(entry reader.Entry) {
	r, ok := entry.Receivers()
	if !ok {
		return
	}
	if r.Other().Load() != 0 || r.NullSeen() || entry.Traps() != 0 {
		e.report.Lost.Add(LossRows, 1)
	}
	for i := range r.Len() {
		row, ok := r.Row(i)
		if !ok {
			e.report.Lost.Add(LossNoType, 1)
		} else if int(row.Type.Ordinal()) < len(e.used.types) {
			e.used.types[row.Type.Ordinal()] = true
		}
	}
}

// use notes the methods of a profile and its callers.
func (e *exporter) use(m reader.Method, p reader.Profile) error {
	e.used.methods[m.Ref()] = true
	c, ok, err := p.Context()
	for ok && err == nil && !e.used.contexts[c.Ref()] {
		var f reader.Frame
		if f, err = c.Caller(); err != nil {
			return err
		}
		e.used.methods[f.Caller.Ref()], e.used.contexts[c.Ref()] = true, true
		if ok = c.Inner() != 0; ok {
			c, err = e.s.ContextAt(c.Inner())
		}
	}
	return err
}

// surveyTables looks at the tables that are no profiles.
func (e *exporter) surveyTables() error {
	for t, err := range e.s.Tables() {
		if err != nil {
			return err
		}
		switch {
		case t.Kind == layout.TableMonitors && columnsAre(t, layout.ColumnType, layout.ColumnWord):
			e.found[monitors] = min(1, t.Rows)
			err = e.useTypes(t)
		case t.Kind == layout.TableSamples && columnsAre(t, layout.ColumnWord, layout.ColumnMethod, layout.ColumnWord, layout.ColumnWord):
			e.found[samples] = len(stacksOf(t))
			for i := range t.Rows {
				e.used.methods[layout.Ref(t.Cell(1, i))] = true
			}
		case t.Kind.IsSourceOrder(), t.Kind == layout.TableProperties, t.Kind == layout.TableForeign, t.Kind == layout.TableDumps,
			t.Kind == layout.TableRuns, t.Kind == layout.TableClassPath:
		default:
			e.report.Lost.Add(LossTable, 1)
		}
		if err != nil {
			return err
		}
	}
	e.report.Stacks = e.found[samples]
	return nil
}

func columnsAre(t disk.Table, kinds ...layout.ColumnKind) bool {
	for i, k := range kinds {
		if i >= t.Columns() || t.Column(i) != k {
			return false
		}
	}
	return t.Columns() == len(kinds)
}

func (e *exporter) useTypes(t disk.Table) error {
	for i := range t.Rows {
		contended, err := e.s.TypeAt(layout.Ref(t.Cell(0, i)))
		if errors.Is(err, reader.ErrNotFound) {
			e.report.Lost.Add(LossNoType, 1)
			continue
		}
		if err != nil {
			return err
		}
		e.used.types[contended.Ordinal()] = true
	}
	return nil
}

// stacksOf are the first rows of the stacks of a table of samples: the rows of
// one follow one another.
func stacksOf(t disk.Table) (first []int) {
	for i := range t.Rows {
		if i == 0 || t.Cell(0, i) != t.Cell(0, i-1) {
			first = append(first, i)
		}
	}
	return first
}

// number is a count as JSON has it here.
func (e *exporter) number(n uint64) int64 {
	if n > math.MaxInt64 {
		e.report.Lost.Add(LossCount, 1)
		return math.MaxInt64
	}
	return int64(n)
}
