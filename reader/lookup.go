package reader

import (
	"iter"
	"math/bits"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// Find looks up a method by key. It does not allocate. The error matches ErrNotFound if there is no such method.
func (s *Store) Find(k layout.Key) (Method, error) { return s.findMethod(k.ID(s.h.Domain), &k) }

func (s *Store) findMethod(id uint64, k *layout.Key) (Method, error) {
	if m, ok := s.readyMethod(id, k); ok {
		return m, nil
	}
	q := s.searchIndex(id, disk.KindMethod)
	m, err := q.nextWithKey(id, k)
	if err == ErrNotFound {
		return s.findMethodRow(k)
	}
	if err == nil && m.head.Flags()&disk.MethodSharedID == 0 {
		q.markReady(true)
	}
	return m, err
}

func (q *search) nextWithKey(id uint64, k *layout.Key) (Method, error) {
	for {
		m, err := q.nextMethod(id)
		if err == ErrNotFound {
			return q.findCrowdedMethod(id, k)
		} else if err != nil {
			return Method{}, err
		}
		if same, err := m.keyEquals(k); err != nil {
			return Method{}, err
		} else if same {
			return m, nil
		}
	}
}

// FindID looks up a method by its id (layout.Key.ID). It does not allocate. The error matches ErrNotFound, or
// ErrAmbiguous if several keys of the archive have the id. Use Find in that case. Most unexecuted methods have no id
// in the index, and only Find finds them.
func (s *Store) FindID(id uint64) (Method, error) {
	if m, ok := s.readyMethod(id, nil); ok {
		return m, nil
	}
	q := s.searchIndex(id, disk.KindMethod)
	m, err := q.onlyMethod(id)
	if err == nil {
		q.markReady(false)
	}
	return m, err
}

// onlyMethod returns the method with an id. The error matches ErrAmbiguous if several methods have it.
func (q *search) onlyMethod(id uint64) (Method, error) {
	m, err := q.nextMethod(id)
	if err == ErrNotFound {
		m, err = q.findCrowdedMethod(id, nil)
	}
	if err == nil && m.head.Flags()&disk.MethodSharedID != 0 {
		return Method{}, ErrAmbiguous
	}
	return m, err
}

// nextMethod returns the next method with an id that has a slot in the index.
func (q *search) nextMethod(id uint64) (Method, error) {
	for {
		n, err := q.nextCandidate()
		if err != nil {
			return Method{}, err
		}
		if n == 0 {
			return Method{}, ErrNotFound
		}
		if q.s.isType(n) {
			continue
		}
		m, is, err := q.s.methodFromIndex(n)
		if err != nil {
			return Method{}, err
		}
		if is == id {
			return m, nil
		}
	}
}

// methodFromIndex returns the method that an index slot leads to, with its id. The slot leads to the first profile
// without context, or to the record of a method that has none.
func (s *Store) methodFromIndex(n layout.Ref) (m Method, id uint64, err error) {
	if s.isInMethods(n) {
		m, err = s.readMethod(n)
		if err == nil {
			id, err = m.indexedID()
		}
		return m, id, err
	}
	b, err := s.readBlock(n)
	if err != nil {
		return m, 0, err
	}
	m, err = s.readMethod(b.Method())
	if err != nil {
		return m, 0, err
	}
	id, ok := b.ID()
	if !ok || m.firstProfile() != n {
		err = s.corruptError(disk.RegionRW, n.Offset(), "the index leads to a profile that is not the first of its method")
	}
	return m, id, err
}

func (m Method) keyEquals(k *layout.Key) (bool, error) {
	if m.head.Flags()&disk.MethodNamed != 0 {
		if k.Class != "" || k.Signature != "" || k.Loader != "" {
			return false, nil
		}
		return m.heldNameEquals(k.Name)
	}
	rec := m.readRecord()
	if same, err := m.s.symbolEquals(rec.Name, k.Name); !same || err != nil {
		return false, err
	}
	if same, err := m.s.signatureEquals(rec.Signature, k.Signature); !same || err != nil {
		return false, err
	}
	if rec.Holder == 0 {
		return k.Class == "" && k.Loader == "", nil
	}
	t, err := m.s.readTypeRecord(rec.Holder)
	if err != nil {
		return false, err
	}
	return m.s.typeEquals(t, k.Class, k.Loader)
}

// FindType looks up a type by name and loader without allocating. The error matches ErrNotFound if there is none.
func (s *Store) FindType(name, loader string) (Type, error) {
	id := layout.TypeID(name, loader)
	for q := s.searchIndex(id, disk.KindType); ; {
		n, err := q.nextCandidate()
		if err != nil {
			return Type{}, err
		}
		if n == 0 {
			return q.findCrowdedType(id, name, loader)
		}
		if !s.isType(n) {
			continue
		}
		t, err := s.readTypeRecord(n)
		if err != nil {
			return Type{}, err
		}
		if t.ID != id {
			continue
		}
		if same, err := s.typeEquals(t, name, loader); err != nil {
			return Type{}, err
		} else if same {
			return s.typeOfRecord(n), nil
		}
	}
}

func (s *Store) typeEquals(t disk.TypeRecord, name, loader string) (bool, error) {
	if same, err := s.symbolEquals(t.Name, name); !same || err != nil {
		return false, err
	}
	return s.symbolEquals(t.Loader, loader)
}

// A search iterates over the records in the index for a hash. The 16-bit fingerprint lets a few others through.
type search struct {
	s      *Store
	hash   disk.Hash
	rest   uint64
	bucket uint64
	lines  uint32 // number of lines read
	slots  uint32 // remaining candidate slots of the last line, as bits
	slot   int    // slot of the last candidate
}

func (s *Store) searchIndex(id uint64, kind disk.RecordKind) search {
	h := disk.MixHash(id, kind, s.h.Seed)
	bucket, rest := h.SplitBucket(s.h.Buckets)
	return search{s: s, hash: h, rest: rest, bucket: bucket}
}

// nextCandidate returns the reference of the next candidate, or 0 after the last. The reference is in the methods, the
// types or rw.
func (q *search) nextCandidate() (layout.Ref, error) {
	for q.slots == 0 {
		more, err := q.nextLine()
		if !more {
			return 0, err
		}
	}
	q.slot = bits.TrailingZeros32(q.slots)
	q.slots &= q.slots - 1
	n := q.currentLine().Record(q.slot)
	if !q.s.isInMethods(n) && !q.s.isType(n) && !q.s.isInRW(n) {
		return 0, q.s.corruptError(disk.RegionIX, q.s.lineOffset(q.bucket), "slot %d leads to 0x%x, where no record is",
			q.slot, n.Offset())
	}
	return n, nil
}

func (q *search) nextLine() (more bool, err error) {
	switch {
	case q.lines == 0:
		if q.s.h.MaxProbe == 0 {
			return false, q.s.checkOpen()
		}
	case q.lines == q.s.h.MaxProbe || !q.currentLine().Overflowed(q.hash):
		return false, nil
	default:
		if q.bucket++; q.bucket == q.s.h.Buckets {
			q.bucket = 0
		}
	}
	if err := q.s.m.Check(disk.RegionIX, q.s.lineOffset(q.bucket), disk.LineSize); err != nil {
		return false, err
	}
	q.lines++
	q.slots = q.currentLine().Candidates(q.hash, q.rest)
	q.s.hit.setReadyBits(q.bucket, 1<<readyLine)
	return true, nil
}

func (q *search) currentLine() disk.Line { return q.s.data[q.s.lineOffset(q.bucket):][:disk.LineSize] }

func (s *Store) lineOffset(bucket uint64) int64 {
	return disk.RegionOf(s.h, disk.RegionIX).Offset + int64(bucket)*disk.LineSize
}

func (s *Store) isInRW(n layout.Ref) bool {
	return disk.RegionOf(s.h, disk.RegionRW).Holds(n.Offset(), disk.BlockHeaderSize)
}

func (s *Store) isInMethods(n layout.Ref) bool {
	return s.h.Parts[disk.PartMethods].Holds(n.Offset(), disk.MinMethodSize)
}

func (s *Store) isContext(n layout.Ref) bool {
	return isRecordOf(s.h.Parts[disk.PartContexts], n, disk.ContextSize)
}
func (s *Store) isType(n layout.Ref) bool {
	return isRecordOf(s.h.Parts[disk.PartTypes], n, disk.TypeSize)
}

func isRecordOf(section layout.Span, n layout.Ref, size int64) bool {
	return section.Holds(n.Offset(), size) && (n.Offset()-section.Offset)%size == 0
}

// A profileChain iterates over the MethodData blocks of a method in one context. They are linked by ascending code id
// and have ascending offsets.
type profileChain struct {
	s       *Store
	method  layout.Ref
	context layout.Ref
	next    layout.Ref
	code    uint64 // code id of the previous profile
	begun   bool
}

func (m Method) profileChain(first, context layout.Ref) profileChain {
	return profileChain{s: m.s, method: m.at, context: context, next: first}
}

func (c *profileChain) readNext(p *Profile) error {
	if c.next == 0 {
		*p = Profile{}
		return nil
	}
	at := c.next
	b, err := c.s.readBlock(at)
	if err != nil {
		return err
	}
	context, next := b.Links()
	code := b.Code()
	_, head := b.ID()
	switch {
	case head != (context == 0 && !c.begun):
		return c.corruptError(at, "only the first profile of a method has its id")
	case b.Method() != c.method:
		return c.corruptError(at, "the profile is of the method at 0x%x, 0x%x leads to it", b.Method().Offset(),
			c.method.Offset())
	case context != c.context:
		return c.corruptError(at, "the profile is in context 0x%x, 0x%x leads to it", context.Offset(), c.context.Offset())
	case c.begun && code <= c.code:
		return c.corruptError(at, "the profile is of code %#x, which follows %#x", code, c.code)
	case next != 0 && next <= at:
		return c.corruptError(at, "the next profile of the method lies before, at 0x%x", next.Offset())
	}
	c.next, c.code, c.begun = next, code, true
	*p = c.s.profileOf(at, b)
	return nil
}

func (c *profileChain) corruptError(at layout.Ref, format string, args ...any) error {
	return c.s.corruptError(disk.RegionRW, at.Offset(), format, args...)
}

// findVersion sets *p to the profile of the given version of the code. With CodeAny, the chain must have only one
// version. *p is undefined after an error.
func (c *profileChain) findVersion(code uint64, p *Profile) error {
	for {
		err := c.readNext(p)
		switch {
		case err != nil:
			return err
		case p.s == nil:
			return ErrNotFound
		case code == layout.CodeAny && c.next != 0:
			return ErrAmbiguous
		case code == layout.CodeAny || c.code == code:
			return nil
		case c.code > code:
			return ErrNotFound
		}
	}
}

// Profile looks up the profile of the given version of the code in a calling context, whose frames begin with the
// direct caller. layout.CodeAny selects the only version. layout.CodeUnknown selects the profile recorded without a
// code id.
//
// It returns the profile with the longest context that is a prefix of frames, which can be the empty one. depth is the
// number of frames in that context. It does not allocate. The error matches ErrNotFound if there is no such profile,
// and ErrAmbiguous if code is CodeAny and there are several versions.
func (m Method) Profile(code uint64, frames ...Frame) (p Profile, depth int, err error) {
	if m.s == nil {
		return Profile{}, 0, ErrNotFound
	}
	for len(frames) > 0 && m.head.Flags()&disk.MethodInContext != 0 {
		p, depth, err := m.findInDeepest(code, frames)
		if err != ErrNotFound {
			return p, depth, err
		}
		frames = frames[:max(depth, 1)-1] // the next shorter context may have the version
	}
	c := m.profileChain(m.firstProfile(), 0)
	if err = c.findVersion(code, &p); err != nil {
		p = Profile{}
	}
	return p, 0, err
}

// findInDeepest is Profile for the longest context that has any profiles, which answers nearly every lookup.
func (m Method) findInDeepest(code uint64, frames []Frame) (p Profile, depth int, err error) {
	t, err := m.contextTrie()
	if err != nil {
		return Profile{}, 0, err
	}
	down := descent{trie: t, at: t.method}
	var first, context layout.Ref
	for i, f := range frames {
		if f.Caller.s != m.s || f.Caller.isRow() { // no context leads to a row
			break
		}
		profiles, err := down.stepToCaller(f.Caller.at, f.Point)
		if err == ErrNotFound {
			break
		} else if err != nil {
			return Profile{}, 0, err
		}
		if profiles != 0 {
			first = profiles
			context = down.at
			depth = i + 1
		}
	}
	if p, ok := m.findOnly(code, first, context); ok {
		return p, depth, nil
	}
	c := m.profileChain(first, context)
	if err = c.findVersion(code, &p); err != nil {
		p = Profile{}
	}
	return p, depth, err
}

func (m Method) findOnly(code uint64, first, context layout.Ref) (p Profile, ok bool) {
	if !m.s.isInRW(first) || !m.s.isCheckedBlock(first.Offset()) || m.s.hit.isClosed() {
		return Profile{}, false
	}
	d := &m.s.hit.data
	n := uint64(first)
	at := n * disk.Unit
	presence := m.s.hit.presence(n)
	links, codeAt := disk.VersionOffsets(presence)
	if n+disk.VersionReach/disk.Unit > m.s.hit.end || presence&uint32(disk.HasID|disk.HasLinks) != uint32(disk.HasLinks) ||
		d.Uint32(at+disk.BlockMethod) != uint32(m.at) || d.Uint32(at+links) != uint32(context) {
		return Profile{}, false
	}
	alone := d.Uint32(at+links+4) == 0
	own := uint64(layout.CodeUnknown)
	if presence&uint32(disk.HasCode) != 0 {
		own = d.Uint64(at + codeAt)
	}
	if own != code && !(code == layout.CodeAny && alone) {
		return Profile{}, false
	}
	p, err := m.s.profileAtUnit(n)
	return p, err == nil
}

// isFatal reports whether err ends a lookup regardless of longer contexts.
func isFatal(err error) bool { return err != nil && err != ErrNotFound && err != ErrAmbiguous }

// Profiles iterates over all profiles of the method. Profiles without context come first, then the others by context,
// each sorted by code id. A damaged profile and the later versions behind it are replaced by one error, and the
// iteration goes on with the next context.
func (m Method) Profiles() iter.Seq2[Profile, error] {
	return func(yield func(Profile, error) bool) {
		if m.s == nil || !m.yieldChain(m.firstProfile(), 0, yield) {
			return
		}
		for c, err := range m.Contexts() {
			if err != nil {
				yield(Profile{}, err)
				return
			}
			if !m.yieldChain(c.rec.Profiles, c.at, yield) {
				return
			}
		}
	}
}

func (m Method) yieldChain(first, context layout.Ref, yield func(Profile, error) bool) bool {
	for c := m.profileChain(first, context); ; {
		var p Profile
		if err := c.readNext(&p); err != nil {
			return yield(Profile{}, err)
		}
		if !p.Valid() {
			return true
		}
		if !yield(p, nil) {
			return false
		}
	}
}
