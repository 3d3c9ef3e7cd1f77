package llvm

import (
	"encoding/binary"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

var le = binary.LittleEndian

// A record is one profile as LLVM sees it: a window on the archive.
type record struct {
	hash   uint64
	block  layout.Ref                    // where it lies
	counts []byte                        // 8 bytes a counter, one counter at least
	sites  [valueKindsKnown][]disk.Entry // ValueSite entries, by kind
	bitmap []byte
}

func (r *record) contextSensitive() bool { return r.hash&ContextSensitive != 0 }

// cold reports whether nothing of the record ever ran.
func (r *record) cold() bool { return allZero(r.counts) && allZero(r.bitmap) }

func allZero(b []byte) bool {
	for _, v := range b {
		if v != 0 {
			return false
		}
	}
	return true
}

// A recordWalk goes through the functions of an archive.
type recordWalk struct {
	store   *reader.Store
	shape   disk.Shape
	lost    *codec.Losses // nil: not counted
	records []record
}

func newRecordWalk(s *reader.Store, lost *codec.Losses) *recordWalk {
	return &recordWalk{store: s, shape: disk.ShapeOf(&s.Header().Params), lost: lost}
}

// each goes through all functions that have records, in the order of their
// names. The records of one are valid until the next.
func (w *recordWalk) each(yield func(m reader.Method, records []record) error) error {
	for m, err := range w.store.Methods() {
		if err != nil {
			return err
		}
		records, err := w.of(m)
		if err != nil {
			return err
		}
		if len(records) == 0 {
			w.lost.Add(LossNoRecord, 1)
			continue
		}
		if err := yield(m, records); err != nil {
			return err
		}
	}
	return nil
}

// of gives the records of a function, in the order of their hashes. They are
// valid until the next call.
func (w *recordWalk) of(m reader.Method) ([]record, error) {
	w.records = w.records[:0]
	for p, err := range m.Profiles() {
		if err != nil {
			return nil, err
		}
		if _, inContext, err := p.Context(); err != nil {
			return nil, err
		} else if inContext {
			w.lost.Add(LossContext, 1)
			continue
		}
		w.add(p)
	}
	return w.records, nil
}

// add appends the record of a profile, unless it has no counters. What the
// slices of the record that lay there before have room for is used again.
func (w *recordWalk) add(p reader.Profile) {
	n := len(w.records)
	if n < cap(w.records) {
		w.records = w.records[:n+1]
	} else {
		w.records = append(w.records, record{})
	}
	r := &w.records[n]
	r.hash, r.block, r.counts, r.bitmap = p.Code(), p.Ref(), nil, nil
	for kind := range r.sites {
		r.sites[kind] = r.sites[kind][:0]
	}
	w.entries(r, p.Block().Section(layout.SectionData))
	if len(r.counts) == 0 {
		w.lost.Add(LossNoCounters, 1)
		w.records = w.records[:n]
	}
}

// entries sorts the entries of a profile. The block was checked when it was
// fetched.
func (w *recordWalk) entries(r *record, data []byte) {
	for len(data) > 0 {
		e, rest, err := w.shape.Next(data)
		if err != nil {
			return
		}
		if !r.take(e) {
			w.lost.Add(LossEntry, 1)
		}
		data = rest
	}
}

// take reports whether an entry is one that LLVM has: a second array, or a site
// whose predecessor is missing, is none.
func (r *record) take(e disk.Entry) bool {
	kind := e.Sub()
	switch {
	case e.Tag() == layout.TagCounters && e.Point() == 0 && r.counts == nil:
		r.counts = e[disk.WideHeaderSize:]
	case e.Tag() == layout.TagBitmap && e.Point() == 0 && r.bitmap == nil:
		r.bitmap = e[disk.WideHeaderSize : disk.WideHeaderSize+e.Rows()]
	case e.Tag() == layout.TagValueSite && kind < valueKindsKnown && int(e.Point()) == len(r.sites[kind]):
		r.sites[kind] = append(r.sites[kind], e)
	default:
		return false
	}
	return true
}
