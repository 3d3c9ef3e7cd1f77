package iprof

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A sourceOrder is the order of the imported file.
type sourceOrder struct {
	version  string
	sections []orderedSection
}

type orderedSection struct {
	kind     sectionKind
	key      string        // key of a foreign section
	listed   int           // number of rows or records
	ids      []int64       // ids of listed types or methods
	profiles []layout.Ref  // profiles of listed records
	ordinals []ordinalMark // sorted by item
}

// An ordinalMark sets the ordinal of an item, which is its rank among the records of the section in its profile.
type ordinalMark struct{ item, ordinal int }

var errOrder = errors.New("the source order does not fit")

// readOrder reads the source order. It ignores an order that does not match the archive.
func (e *exporter) readOrder() {
	runs, err1 := e.store.TableOrEmpty(disk.TableOrderRuns)
	lists, err2 := e.store.TableOrEmpty(disk.TableOrder)
	if e.Fail(cmp.Or(err1, err2)) || runs.Rows == 0 && lists.Rows == 0 {
		return
	}
	err := e.parseOrder(&runs, &lists)
	if err == nil && e.orderMatchesArchive() {
		return
	}
	if err != nil && !errors.Is(err, errOrder) {
		e.Fail(err)
		return
	}
	e.source = nil
	e.listed = [listProfiles][]layout.Ref{}
	e.report.Lost.Add(LossOrder, 1)
}

// An orderParser decodes a source order, which is untrusted. It limits all numbers by the content of the archive. A
// mismatch is an errOrder.
type orderParser struct {
	*exporter
	lists [orderLists][]layout.Ref // unread rest of the lists
	seen  map[sectionIdentity]bool
}

type sectionIdentity struct {
	kind sectionKind
	key  string // key of a foreign section
}

func (e *exporter) parseOrder(runs, lists *reader.Table) error {
	p := &orderParser{exporter: e, lists: unwrapLists(lists), seen: map[sectionIdentity]bool{}}
	e.source = &sourceOrder{}
	for i := range e.listed {
		e.listed[i] = make([]layout.Ref, 0, len(p.lists[i]))
	}
	for row := range runs.Rows {
		if err := p.parseRun(runs, row); err != nil {
			return err
		}
	}
	for _, list := range p.lists {
		if len(list) > 0 {
			return errOrder
		}
	}
	e.source.version = e.versionProperty()
	if !versionText().MatchString(e.source.version) {
		return errOrder
	}
	return nil
}

// unwrapLists returns the lists of types, methods and profiles without the empty cells after their ends.
func unwrapLists(t *reader.Table) (lists [orderLists][]layout.Ref) {
	of := map[disk.ColumnKind]orderList{disk.ColumnType: listTypes, disk.ColumnMethod: listMethods,
		disk.ColumnProfile: listProfiles}
	for column := range t.Columns() {
		to, ok := of[t.Column(column)]
		for row := 0; ok && row < t.Rows; row++ {
			lists[to] = append(lists[to], layout.Ref(t.Cell(column, row)))
		}
	}
	for i, list := range lists {
		for len(list) > 0 && list[len(list)-1] == 0 {
			list = list[:len(list)-1]
		}
		lists[i] = list
	}
	return lists
}

// parseRun appends a run to the last section, or starts another section.
func (p *orderParser) parseRun(runs *reader.Table, row int) error {
	key, err := runs.Text(0, row)
	if err != nil {
		return err
	}
	kept := keptAs(runs.Cell(1, row))
	items := runs.Cell(2, row)
	first := runs.Cell(3, row)
	section := sectionIdentity{kind: kindOf[key]}
	if kept == keptWhole {
		section = sectionIdentity{foreign, key}
	} else if section.kind == foreign || kept > keptListed {
		return errOrder
	}
	all := &p.source.sections
	if kept == keptWhole || len(*all) == 0 || (*all)[len(*all)-1].kind != section.kind {
		if p.seen[section] {
			return errOrder
		}
		p.seen[section] = true
		*all = append(*all, orderedSection{kind: section.kind, key: section.key})
	}
	if section.kind <= version {
		return nil
	}
	s := &(*all)[len(*all)-1]
	if err := p.takeListed(s, items, first); err != nil {
		return err
	}
	s.listed += int(items)
	return nil
}

// takeListed consumes the items of a run from the list of their section.
func (p *orderParser) takeListed(s *orderedSection, items, first uint64) error {
	list, ok := s.kind.sourceList()
	most := len(p.lists[list])
	if !ok {
		most = p.found[s.kind]
		if s.kind == monitors { // an empty record has no row in the table
			most = 1
		}
	}
	switch {
	case items > uint64(most):
		return errOrder
	case !ok:
		return nil
	case list == listProfiles:
		return p.takeRecords(s, items, first)
	}
	for id := int64(first); items > 0; id++ {
		if len(p.lists[list]) == 0 {
			return errOrder
		}
		if ref := p.lists[list][0]; ref != 0 {
			p.listed[list] = append(p.listed[list], ref)
			s.ids = append(s.ids, id)
			items--
		}
		p.lists[list] = p.lists[list][1:]
	}
	return nil
}

// takeRecords consumes the profiles of a run's records.
func (p *orderParser) takeRecords(s *orderedSection, items, first uint64) error {
	profiles := p.lists[listProfiles][:items]
	if first > math.MaxInt32 || slices.Contains(profiles, 0) {
		return errOrder
	}
	if first > 0 {
		s.ordinals = append(s.ordinals, ordinalMark{s.listed, int(first) - 1})
	}
	s.profiles = append(s.profiles, profiles...)
	p.lists[listProfiles] = p.lists[listProfiles][items:]
	return nil
}

// orderMatchesArchive reports whether the order lists all content of the archive once.
func (e *exporter) orderMatchesArchive() bool {
	var typed [sectionKinds]int
	for _, s := range e.source.sections {
		if s.kind == foreign {
			if _, ok := e.raws[foreignPointer(s.key)]; !ok {
				return false
			}
			continue
		}
		typed[s.kind] = s.listed
	}
	for k := calls; k <= samples; k++ {
		if k != monitors && typed[k] != e.found[k] {
			return false
		}
	}
	return typed[monitors] >= e.found[monitors] && typed[types] == len(e.listed[listTypes]) &&
		typed[methods] == len(e.listed[listMethods]) && e.rowsMatchOrder() && e.profilesMatchOrder()
}

// rowsMatchOrder reports whether the order lists every type and method that has a row once.
func (e *exporter) rowsMatchOrder() bool {
	seen := map[layout.Ref]bool{}
	for _, list := range e.listed {
		for _, n := range list {
			if seen[n] {
				return false
			}
			seen[n] = true
		}
	}
	for _, n := range e.listed[listTypes] {
		if _, err := e.store.TypeAt(n); e.Fail(err) {
			return false
		}
	}
	for _, t := range e.types {
		if _, dangling := e.typeSpelling(t); !dangling && !seen[e.typeRef(t)] {
			return false
		}
	}
	for _, m := range e.methods {
		if _, dangling := e.danglingMethod(m); !dangling && !seen[m.Ref()] {
			return false
		}
		delete(seen, m.Ref())
	}
	isLeft := func(n layout.Ref) bool { return seen[n] } // not a reference of a method
	return !slices.ContainsFunc(e.listed[listMethods], isLeft)
}

func (e *exporter) typeRef(t reader.Type) layout.Ref {
	section := e.store.Header().Parts[disk.PartTypes]
	return disk.RefOf(section.Offset + int64(t.Ordinal())*disk.TypeSize)
}

// profilesMatchOrder reports whether the order lists every entry of the profiles once.
func (e *exporter) profilesMatchOrder() bool {
	type entryID struct {
		profile layout.Ref
		ordinal int
	}
	for _, s := range e.source.sections {
		seen := map[entryID]bool{}
		ordinals := s.recordOrdinals()
		for i, n := range s.profiles {
			ordinal := ordinals[i]
			p := e.profileItemsAt(n)
			if ordinal >= len(p.of[s.kind]) || seen[entryID{n, ordinal}] {
				return false
			}
			seen[entryID{n, ordinal}] = true
		}
	}
	return true
}

// recordOrdinals returns the ordinals of the listed records.
func (s *orderedSection) recordOrdinals() []int {
	ordinals := make([]int, len(s.profiles))
	next := map[layout.Ref]int{}
	marks := s.ordinals
	for i, profile := range s.profiles {
		ordinals[i] = next[profile]
		if len(marks) > 0 && marks[0].item == i {
			ordinals[i] = marks[0].ordinal
			marks = marks[1:]
		}
		next[profile] = ordinals[i] + 1
	}
	return ordinals
}
