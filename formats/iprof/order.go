package iprof

import (
	"encoding/binary"
	"errors"
)

// The source order of an archive is a table of one column of symbols, and then
// of columns of types, methods and profiles. Those of one kind, read column by
// column without the empty cells, are one list: the rows of types and methods
// that the file has, and the profiles of its records. It is wrapped so that the
// table has few cells that are empty. The symbol of the first row says the rest:
//
//	uvarint      1: the version of this
//	text         version of the file (uvarint length, bytes)
//	uvarint      number of keys, and for each
//	  uvarint    what the key holds (sectionKind)
//	  foreign:   text, the key; what it holds is a row of TableForeign
//	  others:    uvarint number of items
//	             uvarint number of items that are kept as text, in rows of
//	               TableForeign, and for each: uvarint distance to the one before,
//	               uvarint 1 if it is in the lists too
//	  types,
//	  methods:   for all ids: uvarint how many, varint distance of each to the
//	               one before
//	  in
//	  profiles:  uvarint number of records that are not the next of their section
//	               in their profile, and for each: uvarint distance to the one
//	               before, uvarint its number there
type sourceOrder struct {
	version  string
	sections []orderedSection
}

type orderedSection struct {
	kind     sectionKind
	key      string // of a foreign one
	items    int
	raws     []raw         // without their texts
	ids      []int64       // of the typed items
	ordinals []placedEntry // by item
}

// A placedEntry is a typed item that is entry number ordinal of its section in
// its profile.
type placedEntry struct{ item, ordinal int }

// typed is the number of items that are in the lists.
func (s *orderedSection) typed() int {
	n := s.items
	for _, r := range s.raws {
		if !r.typed {
			n--
		}
	}
	return n
}

const orderVersion = 1

func (o *sourceOrder) append(b []byte) []byte {
	b = binary.AppendUvarint(b, orderVersion)
	b = appendText(b, o.version)
	b = binary.AppendUvarint(b, uint64(len(o.sections)))
	for i := range o.sections {
		b = o.sections[i].append(b)
	}
	return b
}

func (s *orderedSection) append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(s.kind))
	if s.kind == foreign {
		return appendText(b, s.key)
	}
	b = binary.AppendUvarint(b, uint64(s.items))
	b = binary.AppendUvarint(b, uint64(len(s.raws)))
	before := 0
	for _, r := range s.raws {
		b = binary.AppendUvarint(b, uint64(r.item-before))
		b = append(b, bit(r.typed))
		before = r.item
	}
	if s.kind == types || s.kind == methods {
		return appendIDs(b, s.ids)
	}
	if !s.kind.inProfiles() {
		return b
	}
	b = binary.AppendUvarint(b, uint64(len(s.ordinals)))
	before = 0
	for _, p := range s.ordinals {
		b = binary.AppendUvarint(b, uint64(p.item-before))
		b = binary.AppendUvarint(b, uint64(p.ordinal))
		before = p.item
	}
	return b
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

func appendText(b []byte, t string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(t))), t...)
}

// appendIDs appends runs of ids that are equally far apart.
func appendIDs(b []byte, ids []int64) []byte {
	before := int64(-1)
	for len(ids) > 0 {
		step, n := ids[0]-before, 0
		for n < len(ids) && ids[n]-before == step {
			before = ids[n]
			n++
		}
		b = binary.AppendVarint(binary.AppendUvarint(b, uint64(n)), step)
		ids = ids[n:]
	}
	return b
}

var errOrder = errors.New("the source order does not fit")

// An orderReader decodes a source order. Nothing in it is trusted: no count is
// believed beyond what the archive has.
type orderReader struct {
	b      []byte
	failed bool
}

func (r *orderReader) uvarint() int {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > 1<<40 {
		r.failed, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return int(v)
}

func (r *orderReader) varint() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.failed, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *orderReader) text() string {
	n := r.uvarint()
	if n > len(r.b) {
		r.failed, r.b = true, nil
		return ""
	}
	t := string(r.b[:n])
	r.b = r.b[n:]
	return t
}

// parseOrder decodes the symbol of a source order. most is how many references
// the lists have.
func parseOrder(b []byte, most int) (*sourceOrder, error) {
	r := &orderReader{b: b}
	if r.uvarint() != orderVersion {
		return nil, errOrder
	}
	o := &sourceOrder{version: r.text()}
	for n := r.uvarint(); n > 0 && !r.failed; n-- {
		o.sections = append(o.sections, r.section(most))
	}
	if r.failed || len(r.b) > 0 || !versionText.MatchString(o.version) {
		return nil, errOrder
	}
	return o, nil
}

func (r *orderReader) section(most int) (s orderedSection) {
	kind := r.uvarint()
	if kind >= sectionKinds {
		r.failed = true
		return s
	}
	if s.kind = sectionKind(kind); s.kind == foreign {
		s.key = r.text()
		return s
	}
	s.items = r.uvarint()
	item := 0
	for n := r.uvarint(); n > 0 && !r.failed; n-- {
		item += r.uvarint()
		s.raws = append(s.raws, raw{item: item, typed: r.uvarint() == 1})
	}
	listed := s.kind == types || s.kind == methods || s.kind.inProfiles()
	if listed && s.typed() > most || s.typed() < 0 {
		r.failed = true
		return s
	}
	if s.kind == types || s.kind == methods {
		s.ids = r.ids(s.typed())
	}
	if s.kind.inProfiles() {
		item = 0
		for n := r.uvarint(); n > 0 && !r.failed; n-- {
			item += r.uvarint()
			s.ordinals = append(s.ordinals, placedEntry{item, r.uvarint()})
		}
	}
	return s
}

func (r *orderReader) ids(n int) (ids []int64) {
	before := int64(-1)
	for len(ids) < n && !r.failed {
		run, step := r.uvarint(), r.varint()
		if run == 0 || run > n-len(ids) {
			r.failed = true
			return nil
		}
		for range run {
			before += step
			ids = append(ids, before)
		}
	}
	return ids
}
