package verify

import (
	"math/bits"

	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/layout"
)

// atOnce is how many records are hashed or looked for together, so that the waits for memory become one.
const atOnce = 64

// A keyed is a method whose key must have an id: that of a record, or if the method has a profile that of the
// profile. To a row of an unexecuted method the index does not lead, and it has no id.
type keyed struct {
	recordKey
	id     uint64
	ref    layout.Ref // where the index must lead; 0 for a row
	shared bool       // another method has this id
}

// keyedAt returns a method whose record has the key and the id, or the profile that is given.
func keyedAt(k recordKey, rec *disk.MethodRecord, record, profile layout.Ref, id uint64) keyed {
	shared := rec.Flags&disk.MethodSharedID != 0
	if profile == 0 || shared {
		profile = record
	}
	return keyed{k, id, profile, shared}
}

func (k *keyed) sought() sought { return sought{k.id, disk.KindMethod, k.ref, k.shared} }

// hash checks the texts and the id of a method, and that the index leads to it, now or with others.
func (w *worker) hash(k keyed) bool {
	if w.keys = append(w.keys, k); len(w.keys) < atOnce {
		return true
	}
	return w.hashAll()
}

func (w *worker) hashAll() bool {
	defer func() { w.keys = w.keys[:0] }()
	if w.h.Domain.LLVM() {
		return w.hashNames()
	}
	w.places = w.places[:0]
	for i := range w.keys {
		k := &w.keys[i].key
		w.places = append(w.places, k.Class.Offset(), k.Name.Offset(), k.Signature.Offset())
	}
	w.m.Prefetch(w.places)
	for i := range w.keys {
		k := &w.keys[i]
		key, ok := w.keyText(k)
		if !ok {
			return false
		}
		if k.ref != 0 && (key.ID(w.h.Domain) != k.id || !w.seek(k.sought())) {
			return false
		}
	}
	return true
}

// hashNames is like hashAll for names that are whole keys, hashed in pairs.
func (w *worker) hashNames() bool {
	var names [atOnce]string
	var ids [atOnce]uint64
	for i := range w.keys {
		key, ok := w.keyText(&w.keys[i])
		if !ok {
			return false
		}
		names[i] = key.Name
	}
	disk.NameRefs(names[:len(w.keys)], ids[:])
	for i, k := range w.keys {
		if k.ref != 0 && (ids[i] != k.id || !w.seek(k.sought())) {
			return false
		}
	}
	return true
}

// keyText returns the texts of a key, and adds up how long they are. The signature is
// valid until the next one is read.
func (w *worker) keyText(k *keyed) (text layout.Key, ok bool) {
	if k.named {
		return layout.Key{Name: k.held}, true
	}
	class, classed := w.name(k.key.Class)
	name, named := w.name(k.key.Name)
	signature, size, signed := w.signature(k.key.Signature)
	loader, loaded := w.name(k.key.Loader)
	w.found.methodText += size + int64(len(class)+len(name)+len(loader))
	return layout.Key{Class: class, Name: name, Signature: signature, Loader: loader},
		k.key.Name != 0 && classed && named && signed && loaded && (k.key.Class == 0 || class != "")
}

// A sought is a record to which the index must lead.
type sought struct {
	id     uint64
	kind   disk.RecordKind
	ref    layout.Ref
	shared bool
}

// seek looks for a record in the index, now or with others.
func (w *worker) seek(r sought) bool {
	if w.sought = append(w.sought, r); len(w.sought) < atOnce {
		return true
	}
	return w.seekAll()
}

func (w *worker) seekAll() bool {
	defer func() { w.sought = w.sought[:0] }()
	w.places = w.places[:0]
	for i := range w.sought {
		hash := disk.Mix(w.sought[i].id, w.sought[i].kind, w.h.Seed)
		bucket, _ := hash.Split(w.h.Buckets)
		w.places = append(w.places, w.lineOffset(bucket))
	}
	w.m.Prefetch(w.places)
	for i := range w.sought {
		if !w.finds(&w.sought[i]) {
			return false
		}
	}
	return true
}

// flush checks what waits for others.
func (w *worker) flush() bool { return w.hashAll() && w.seekAll() }

func (p *proof) lineOffset(n uint64) int64 {
	return p.h.Region(disk.RegionIX).Offset + int64(n)*disk.LineSize
}

// finds searches for a record. A search for a method meets another with its id if, and only
// if, the method shares the id.
func (p *proof) finds(r *sought) bool {
	hash := disk.Mix(r.id, r.kind, p.h.Seed)
	bucket, rest := hash.Split(p.h.Buckets)
	found, shared := false, false
	for range p.h.MaxProbe {
		at := p.lineOffset(bucket)
		line := disk.Line(p.data[at : at+disk.LineSize])
		for slots := line.Candidates(hash, rest); slots != 0; slots &= slots - 1 {
			n := line.Record(bits.TrailingZeros32(slots))
			if n == r.ref {
				found = true
				continue
			}
			id, ok := p.methodID(n)
			if !ok {
				return false
			}
			shared = shared || id == r.id
		}
		if !line.Overflowed(hash) {
			break
		}
		bucket = (bucket + 1) % p.h.Buckets
	}
	return found && (r.kind == disk.KindType || shared == r.shared)
}

// methodID returns the id of the method to which a slot leads, 0 if it leads to a type.
func (p *proof) methodID(n layout.Ref) (id uint64, ok bool) {
	if p.isType(n) {
		return 0, true
	}
	if p.starts.methods.has(n) {
		rec := p.record(n.Offset())
		if rec.Profiles == 0 {
			return rec.ID, rec.Units != 0
		}
		n = rec.Profiles
	}
	if !p.h.Region(disk.RegionRW).Holds(n.Offset(), disk.HeadSize) {
		return 0, false
	}
	return disk.Block(p.data[n.Offset():]).ID()
}

// lines checks the lines of a span of the index by themselves, and counts their slots in use.
func (w *worker) lines(span layout.Span) bool {
	for at := span.Offset; at < span.End(); at += disk.LineSize {
		line := disk.Line(w.data[at : at+disk.LineSize])
		if !line.Valid() {
			return false
		}
		for i := range disk.LineSlots {
			if le.Uint16(line[2*i:]) != 0 {
				w.found.used++
			}
		}
	}
	return true
}
