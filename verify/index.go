package verify

import (
	"cmp"
	"math/bits"
	"sort"
	"strings"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/layout"
)

// atOnce is the batch size for hashing and index lookups. Cache misses within a batch overlap.
const atOnce = 64

type sought struct {
	id     uint64
	kind   disk.RecordKind
	ref    layout.Ref // target of the index slot; 0 for an unexecuted method's row, which is not indexed
	shared bool       // another method has the same ID
	record layout.Ref // method or type record, or row, for errors
}

func (r *sought) phase() phase {
	if r.kind == disk.KindType {
		return ofTypes
	}
	return ofMethods
}

// A keyed is a method whose ID must match its key. The ID is in the record, or in the first block if there is one.
type keyed struct {
	recordKey
	sought
	idLost  bool       // the block with the ID cannot be read
	foreign layout.Ref // first block, if its key is not the method's
}

// keyedAt returns the method of a record. profile is its first block, or 0, and id is the recorded ID.
func keyedAt(k recordKey, rec *disk.MethodRecord, record, profile layout.Ref, id uint64) keyed {
	shared := rec.Flags&disk.MethodSharedID != 0
	if profile == 0 || shared {
		profile = record
	}
	return keyed{recordKey: k, sought: sought{id, disk.KindMethod, profile, shared, record}}
}

// hash checks the texts and the ID of a method, and that the index leads to it. Methods are processed in batches,
// except in a walk that names problems.
func (w *worker) hash(k keyed) {
	w.keys = append(w.keys, k)
	if len(w.keys) == atOnce || w.naming {
		w.hashAll()
	}
}

func (w *worker) hashAll() {
	w.offsets = w.offsets[:0]
	for i := range w.keys {
		k := &w.keys[i].key
		w.offsets = append(w.offsets, k.Class.Offset(), k.Name.Offset(), k.Signature.Offset())
	}
	w.m.Prefetch(w.offsets)
	for i := range w.keys {
		if key, ok := w.keyText(&w.keys[i]); ok && w.keys[i].ref != 0 {
			w.identify(&w.keys[i], key.Name, key.ID(w.h.Domain))
		}
	}
	w.keys = w.keys[:0]
}

func (w *worker) identify(k *keyed, name string, id uint64) {
	at := k.record.Offset()
	if k.foreign != 0 {
		w.wrong(inMethods, at, disk.RegionRW, k.foreign.Offset(), "the profile does not have the key of its method")
	}
	if k.idLost {
		k.id = id
	}
	if k.id != id {
		w.wrong(inMethods, at, disk.RegionRO, at, "method %.80q has id %016x, recorded is %016x", name, id, k.id)
	}
	w.seek(k.sought)
}

// keyText returns the texts of a key, and adds their lengths to the total. The signature is valid until the next call.
func (w *worker) keyText(k *keyed) (text layout.Key, ok bool) {
	at := k.record.Offset()
	if k.named {
		if strings.IndexByte(k.held, 0) >= 0 {
			w.wrong(inMethods, at, disk.RegionRO, at, "the key of method %q holds a NUL byte", abridged(k.held))
		}
		return layout.Key{Name: k.held}, true
	}
	name, named := w.name(inMethods, at, "name of a method", k.key.Name)
	signature, size, signed := w.signature(at, k.key.Signature)
	class, classed := w.textOf(inMethods, at, k.key.Class)
	loader, loaded := w.textOf(inMethods, at, k.key.Loader)
	if k.inClass && classed && class == "" {
		w.wrong(inMethods, at, disk.RegionRO, at, "a method of a class that has no name")
	}
	w.found.methodText += size + int64(len(class)+len(name)+len(loader))
	return layout.Key{Class: class, Name: name, Signature: signature, Loader: loader}, classed && named && signed && loaded
}

// signature returns a method's signature, and the number of bytes to count towards the limit for all keys. The text of
// a list is valid until the next call. at is the offset of the method's record.
func (w *worker) signature(at int64, n layout.Ref) (text string, counts int64, ok bool) {
	list, ok := w.listAt(n)
	if !ok {
		text, ok = w.optionalName(inMethods, at, "signature", n)
		return text, int64(len(text)), ok
	}
	parts, _ := disk.SymbolParts(list)
	joined, err := w.join(w.list[:0], n.Offset(), list)
	if err != nil {
		w.noteError(inMethods, at, err)
	}
	w.list = joined
	return words.StringOf(w.list), disk.ListText(parts) + int64(len(w.list)), err == nil
}

func (w *worker) seek(r sought) {
	w.sought = append(w.sought, r)
	if len(w.sought) == atOnce {
		w.seekAll()
	}
}

func (w *worker) seekAll() {
	w.offsets = w.offsets[:0]
	for i := range w.sought {
		hash := disk.MixHash(w.sought[i].id, w.sought[i].kind, w.h.Seed)
		bucket, _ := hash.SplitBucket(w.h.Buckets)
		w.offsets = append(w.offsets, w.lineOffset(bucket))
	}
	w.m.Prefetch(w.offsets)
	for i := range w.sought {
		w.findRecord(&w.sought[i])
	}
	w.sought = w.sought[:0]
}

func (w *worker) flush() {
	w.hashAll()
	w.seekAll()
}

func (w *walk) lineOffset(n uint64) int64 {
	return disk.RegionOf(w.h, disk.RegionIX).Offset + int64(n)*disk.LineSize
}

// findRecord performs the lookup of docs/format.md. For a method, a slot of another method with the same ID must be
// found if and only if the method's record has the flag for a shared ID.
func (w *walk) findRecord(r *sought) {
	hash := disk.MixHash(r.id, r.kind, w.h.Seed)
	first, rest := hash.SplitBucket(w.h.Buckets)
	bucket, found, shared, cut := first, false, false, w.h.MaxProbe > 0
	var stray error // error for a slot that leads to no record
	for range w.h.MaxProbe {
		at := w.lineOffset(bucket)
		line := disk.Line(w.data[at : at+disk.LineSize])
		for slots := line.Candidates(hash, rest); slots != 0; slots &= slots - 1 {
			if n := line.Record(bits.TrailingZeros32(slots)); n == r.ref {
				found = true
			} else if r.kind == disk.KindMethod && stray == nil {
				var id uint64
				id, stray = w.methodID(n)
				shared = shared || id == r.id
			}
		}
		if cut = line.Overflowed(hash); !cut {
			break
		}
		bucket = (bucket + 1) % w.h.Buckets
	}
	if cut {
		row, others := w.crowdedRow(r)
		found = found || row
		shared = shared || others && r.kind == disk.KindMethod
	}
	at := r.record.Offset()
	if !found {
		w.wrong(r.phase(), at, disk.RegionIX, w.lineOffset(first), "the index does not lead to the record at 0x%x",
			r.ref.Offset())
	}
	switch {
	case stray != nil:
		w.noteError(r.phase(), at, stray)
	case shared != r.shared:
		w.wrong(r.phase(), at, disk.RegionRO, at, "the flag that the method shares its id is %v, should be %v", r.shared,
			shared)
	}
}

func (w *walk) methodID(n layout.Ref) (id uint64, err error) {
	if w.isType(n) {
		return 0, nil
	}
	if w.starts.methods.has(n) {
		rec := w.record(n.Offset())
		if rec.Profiles == 0 {
			return rec.ID, nil
		}
		n = rec.Profiles
	}
	if disk.RegionOf(w.h, disk.RegionRW).Holds(n.Offset(), disk.HeadSize) && (!w.naming || w.starts.blocks.mayHave(n)) {
		if id, ok := disk.Block(w.data[n.Offset():]).ID(); ok {
			return id, nil
		}
	}
	switch {
	case n == 0:
		err = disk.Corrupt(disk.RegionIX, w.lineOffset(0), "a slot in use that leads nowhere")
	case w.holdsMethod(n):
		_, err = w.s.MethodAt(n)
	default:
		_, err = w.s.ProfileAt(n)
	}
	return 0, err
}

func (w *worker) lines(span layout.Span) {
	for at := span.Offset; at < span.End(); at += disk.LineSize {
		line := disk.Line(w.data[at : at+disk.LineSize])
		if !line.Valid() {
			w.wrong(inLines, at, disk.RegionIX, at, "a line with an impossible multiplier or mark")
		}
		for i := range disk.LineSlots {
			if le.Uint16(line[2*i:]) != 0 {
				w.found.used++
			}
		}
	}
}

// crowd reads TableCrowded and checks its rows. Their records are found by findRecord, and totals counts them.
func (w *walk) crowd() {
	t, at, err := disk.ReadTable(w.h, disk.TableCrowded, w.m.Bytes)
	if err != nil {
		return // allTables names the problem
	}
	crowded := w.h.Required&disk.FeatureCrowded != 0
	if crowded != (t.Rows > 0) {
		w.wrong(inSlots, 0, disk.RegionEX, at, "the archive is crowded: %v, and its table crowded has %d rows", crowded,
			t.Rows)
	}
	if crowded {
		w.crowded = t
	}
	var before disk.CrowdedRow
	for row := range w.crowded.Rows {
		r := disk.CrowdedRowOf(&t, row)
		order := cmp.Or(cmp.Compare(before.ID, r.ID), cmp.Compare(before.Kind, r.Kind), cmp.Compare(before.Ref, r.Ref))
		if r.Ref == 0 || order >= 0 {
			w.wrong(inSlots, int64(row), disk.RegionEX, at, "row %d of the table crowded is of no record, or not in order",
				row)
			return
		}
		before = r
	}
}

// crowdedRow reports whether TableCrowded has a row of a record, and whether others of its kind have the same id there.
func (w *walk) crowdedRow(r *sought) (found, others bool) {
	from, to := disk.CrowdedRows(&w.crowded, r.id, r.kind)
	at := from + sort.Search(to-from, func(i int) bool {
		return disk.CrowdedRowOf(&w.crowded, from+i).Ref >= r.record
	})
	found = at < to && disk.CrowdedRowOf(&w.crowded, at).Ref == r.record
	return found, to-from > 1 || to > from && !found
}
