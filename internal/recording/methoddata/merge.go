package methoddata

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/layout"
)

type Merger struct {
	Shape disk.Shape
	LLVM  bool // the domain is a domain of LLVM
	Room  int  // minimum number of rows of a wide type profile
	Refs  refOrder
	Rules Rules

	Certain  []Certain // sites noted since the caller last emptied it
	Unmerged uint64    // number of entries and values that merges dropped
	// Lost has the counts in dropped entries and values. The caller sets it, and empties it after each merge.
	Lost      ledger.Totals
	Saturated map[ledger.Unit]bool // units in which a dropped count has the highest value; the caller sets it
	Reason    string               // why it dropped them, or ""; the caller empties it
	Domain    layout.Domain
	merged    Parts        // result of the last merge
	out       *sectionData // section of the result that is being merged; nil if blocks are merged in place
}

// RefShift is the number of bits by which a reference in a pointer cell is shifted left, which leaves room for the tags
// of a type word. Cells hold references until the archive is laid out.
const RefShift = 3

// A refOrder compares the records that references name, independent of the reference numbers.
type refOrder interface {
	CompareTypes(x, y uint32) int
	CompareMethods(x, y uint32) int
}

type Rules struct {
	Weight layout.Weight  // factor for the counts of the second block; 0 means 1
	AsLLVM bool           // imitate the release of llvm-profdata in Params
	Params *layout.Params // settings of the archive
}

// Merge returns the merged block. Its bytes are valid until the next call.
func (m *Merger) Merge(have, more disk.Block) []byte {
	if m.Rules.AsLLVM && m.numCounters(have) != m.numCounters(more) {
		m.dropsSizes(m.numCounters(have), m.numCounters(more))
		m.counter().AddBlock(more)
		return have
	}
	out := &m.merged
	out.reset()
	m.fields(have, more, out)
	for s := disk.SectionData; s < disk.SectionDirectory; s++ {
		m.out = &out.Sections[s]
		x := m.entries(have.Section(s))
		y := m.entries(more.Section(s))
		m.section(x, m.mergeable(x, y))
	}
	out.Encode()
	return out.Block
}

func (m *Merger) mergeable(x, y []disk.Entry) []disk.Entry {
	if !m.LLVM {
		return y
	}
	have := bitmapRows(x)
	more := bitmapRows(y)
	if m.Rules.AsLLVM {
		return m.asLLVM(x, y, have != more)
	}
	if have != more && (have == 0 || more == 0) {
		m.Unmerged++
	}
	return y
}

// bitmapRows returns the size of the bitmap among entries, or 0 without a bitmap.
func bitmapRows(all []disk.Entry) int {
	for _, e := range all {
		if e.Tag() == layout.TagBitmap {
			return e.Rows()
		}
	}
	return 0
}

func (m *Merger) numCounters(b disk.Block) int {
	if data := b.Section(disk.SectionData); len(data) > 0 {
		if e, _, err := m.Shape.NextEntry(data); err == nil && e.Tag() == layout.TagCounters {
			return e.Rows()
		}
	}
	return 0
}

func (m *Merger) entries(section []byte) (all []disk.Entry) {
	EachEntryIn(m.Shape, section, func(e disk.Entry) { all = append(all, e) })
	return all
}

func (m *Merger) section(x, y []disk.Entry) {
	slices.SortStableFunc(x, comparePlaces)
	slices.SortStableFunc(y, comparePlaces)
	for len(x) > 0 || len(y) > 0 {
		var atX, atY []disk.Entry
		c := comparePoints(x, y)
		if c <= 0 {
			atX, x = cutPoint(x)
		}
		if c >= 0 {
			atY, y = cutPoint(y)
		}
		m.point(atX, atY)
	}
}

func comparePlaces(x, y disk.Entry) int {
	last := func(e disk.Entry) int {
		if e.Tag() == layout.TagArgInfo {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(last(x), last(y)), cmp.Compare(x.Point(), y.Point()))
}

func comparePoints(x, y []disk.Entry) int {
	switch {
	case len(x) == 0:
		return 1
	case len(y) == 0:
		return -1
	}
	return comparePlaces(x[0], y[0])
}

func cutPoint(all []disk.Entry) (at, rest []disk.Entry) {
	n := 1
	for n < len(all) && comparePlaces(all[0], all[n]) == 0 {
		n++
	}
	return all[:n], all[n:]
}

// point merges the entries of one profile point. Entries of the same kind are paired in their order.
func (m *Merger) point(x, y []disk.Entry) {
	if m.tooWide(x, y) {
		x = m.widen(x)
		y = m.widen(y)
	}
	slices.SortStableFunc(x, m.compareKinds)
	slices.SortStableFunc(y, m.compareKinds)
	for len(x) > 0 && len(y) > 0 {
		switch c := m.compareKinds(x[0], y[0]); {
		case c < 0:
			m.keepEntry(x[0])
			x = x[1:]
		case c > 0:
			m.scaled(y[0])
			y = y[1:]
		default:
			m.entry(x[0], y[0])
			x = x[1:]
			y = y[1:]
		}
	}
	for _, e := range x {
		m.keepEntry(e)
	}
	for _, e := range y {
		m.scaled(e)
	}
}

// compareKinds orders the entries of one profile point. Those with the same tag, sub and keys outside rows are merged.
func (m *Merger) compareKinds(x, y disk.Entry) int {
	kind := func(e disk.Entry) layout.Tag {
		if e.Tag() == layout.TagVirtualCallType {
			return layout.TagVirtualCall
		}
		return e.Tag()
	}
	c := cmp.Or(cmp.Compare(kind(x), kind(y)), cmp.Compare(x.Sub(), y.Sub()))
	if c != 0 || !m.Shape.HasIdentity(x.Tag()) {
		return c
	}
	for cell, kind := range m.Shape.Identity(x) {
		if c := m.compareKeys(kind, x.Cell(cell), y.Cell(cell)); c != 0 {
			return c
		}
	}
	return 0
}

// keepEntry adds a copy of an entry and returns it. If blocks are merged in place, it returns the entry itself.
func (m *Merger) keepEntry(e disk.Entry) disk.Entry {
	if m.out == nil {
		return e
	}
	start := len(m.out.Bytes)
	m.out.Bytes = append(m.out.Bytes, e...)
	m.out.Add(start)
	return disk.Entry(m.out.Bytes[start:])
}

func (m *Merger) scaled(e disk.Entry) { m.scaleEntry(m.keepEntry(e)) }

func (m *Merger) entry(x, y disk.Entry) {
	m.noteCertain(x, y)
	schema, _ := m.Shape.Schema(x.Tag())
	_, keyed := schema.RowKey()
	switch {
	case isReceivers(x):
		m.receivers(x, y)
	case x.Tag() == layout.TagRet:
		m.ret(x, y)
	case x.Tag() == layout.TagValueSite && m.Rules.AsLLVM:
		m.valueSiteAsLLVM(x, y)
	case x.Tag() == disk.TagUndecoded:
		m.undecoded(x, y)
	case schema.Declared():
		m.wideRows(x, y, max(x.Rows(), y.Rows()))
	case schema.IsList():
		m.rows(x, y)
	case keyed:
		m.wideRows(x, y, 0)
	case len(x) != len(y) || disk.IsWide(x.Tag()) && x.Rows() != y.Rows():
		m.longer(x, y)
	default:
		m.cells(x, y)
	}
}

// longer adds the entry with more cells. Entries of different sizes cannot belong to the same code.
func (m *Merger) longer(x, y disk.Entry) {
	size := func(e disk.Entry) int {
		if disk.IsWide(e.Tag()) {
			return e.Rows()
		}
		return e.Cells()
	}
	if m.LLVM && x.Tag() == layout.TagCounters {
		m.dropsSizes(size(x), size(y))
	} else {
		m.Unmerged++
	}
	if size(x) >= size(y) {
		m.counter().AddEntry(y)
		m.keepEntry(x)
	} else {
		m.counter().AddEntry(x)
		m.scaled(y)
	}
}

func (m *Merger) dropsSizes(x, y int) {
	m.Unmerged++
	m.Reason = fmt.Sprintf("block counts differ (%d, %d)", min(x, y), max(x, y))
}

// undecoded adds one of two entries whose words have no meaning outside their process. If the entries differ, it sets
// EntryOneOf. It keeps the longer entry, or among equally long ones the one with the higher words, so that the order of
// merges does not matter.
func (m *Merger) undecoded(x, y disk.Entry) {
	words := func(e disk.Entry) []byte { return e[disk.WideHeaderSize:] }
	flags := x.Flags() | y.Flags()
	switch c := cmp.Or(cmp.Compare(len(x), len(y)), bytes.Compare(words(x), words(y))); {
	case c < 0:
		x = y
		flags |= disk.EntryOneOf
	case c > 0:
		flags |= disk.EntryOneOf
	}
	m.keepEntry(x).SetFlags(flags)
}

func (m *Merger) counter() *ledger.Counter {
	return &ledger.Counter{Domain: m.Domain, Shape: m.Shape, Totals: m.Lost, Saturated: m.Saturated}
}
