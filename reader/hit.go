package reader

import (
	"errors"
	"runtime"
	"sync/atomic"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mmap"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/layout"
)

// The hit path leads from an id to a profile with two dependent reads, one of an index line and one of the beginning
// of the block. It has a branch for each condition that nearly always holds. Everything else and every error goes to
// the search in lookup.go. Examples are unchecked records, records outside the first line of the probe sequence, and
// ids shared by several methods.
//
// The hit path trusts only the parts of the file that the line's ready word marks as checked. It still checks offsets
// that could lead outside the file, because another process may overwrite the file.
type hitPath struct {
	ix, data, words words.View // index, file and ready words
	lines           uint64     // number of index lines
	seed            uint64     // seed for method ids, see disk.MixSeeded
	first, end      uint64     // start and end of rw in units
	memory          []byte     // mapped memory of words; nil if words is on the heap
	inRanges        bool       // unchecked parts of the file may be missing

	// last is the last unit at which a block can begin. It is 0 after closing, so that all slots are invalid.
	last atomic.Uint64
}

// Each index line has a ready word with three bits per slot and one for the line. The first bit of a slot is set if it
// leads to a checked profile without context that is the only one of its method. The second is set if the strings of
// the key in that profile are checked. The third is set if the slot leads to the first of several versions, which are
// all checked. The bit of the line is set first, so that every non-zero word means a checked line. The word is loaded
// before the line, because the line may be missing before it is checked, see [archive.OpenRanges].
const (
	readyKeys     = disk.LineSlots     // second bit of slot 0
	readyVersions = 2 * disk.LineSlots // third bit of slot 0
	readyLine     = 3*disk.LineSlots + 1
)

// noIndex is the empty line that stands for an empty index.
var noIndex [disk.LineSize]byte

func (p *hitPath) initPath(h *layout.Header, data []byte) {
	end := uint64(disk.RegionOf(h, disk.RegionRW).End() / disk.Unit)
	p.ix, p.data, p.lines = words.ViewOf(noIndex[:]), words.ViewOf(data), 1
	p.first = uint64(disk.RegionOf(h, disk.RegionRW).Offset / disk.Unit)
	p.seed = disk.MixSeed(disk.KindMethod, h.Seed)
	p.end = end
	p.last.Store(end - disk.HeadSize/disk.Unit)
	if h.Buckets > 0 && h.MaxProbe > 0 {
		p.ix = words.ViewOf(data[disk.RegionOf(h, disk.RegionIX).Offset:])
		p.lines = h.Buckets
	}
	p.allocateReady()
}

func (p *hitPath) isClosed() bool { return p.last.Load() == 0 }

// manyWords is the minimum size in bytes of ready words for a separate mapping.
const manyWords = 1 << 15

// allocateReady allocates the ready words. Large arrays are mapped, so that only the pages in use take memory.
func (p *hitPath) allocateReady() {
	size := int(4 * p.lines)
	if size >= manyWords {
		if memory, err := mmap.MapZeroed(size); err == nil {
			p.memory, p.words = memory, words.ViewOf(memory)
			return
		}
	}
	p.words = words.ViewOf(words.AlignedBytes(size))
}

func (p *hitPath) setReadyBits(line uint64, bits uint32) {
	if word := p.words.Word32(4 * line); word.Load()&bits != bits {
		word.Or(bits)
	}
	runtime.KeepAlive(p)
}

// markReady marks the slot of the last candidate as leading to a checked profile and, with key, to a compared key.
func (q *search) markReady(key bool) {
	n := q.currentLine().Record(q.slot)
	if q.lines != 1 || !q.s.isInRW(n) {
		return // the hit path reads only the first line
	}
	bits := uint32(1) << q.slot
	if q.s.hit.presence(uint64(n))&uint32(disk.HasLinks) != 0 {
		if !q.s.versionsChecked(n) {
			return
		}
		bits <<= readyVersions
	}
	if key {
		bits |= 1 << (q.slot + readyKeys)
	}
	q.s.hit.setReadyBits(q.bucket, bits)
}

// mostVersions is the maximum number of versions of a method on the hit path.
const mostVersions = 64

// versionsChecked checks all profiles of a method without context, beginning with first, and reports whether they are
// sound. It returns false if there are too many.
func (s *Store) versionsChecked(first layout.Ref) bool {
	c := profileChain{s: s, method: layout.Ref(s.hit.data.Uint32(uint64(first)*disk.Unit + disk.BlockMethod)), next: first}
	for range mostVersions {
		var p Profile
		if c.readNext(&p) != nil {
			return false
		}
		if c.next == 0 {
			return true
		}
	}
	return false
}

// blockFits reports whether a block of that many units fits into rw at unit n, which must not be after last.
func (p *hitPath) blockFits(n uint64, units uint32) bool {
	const least = disk.BlockHeaderSize / disk.Unit
	return uint64(units)-least <= p.end-least-n // units < least wraps around and fails the test
}

func (p *hitPath) presence(n uint64) uint32 { return p.data.Uint32(n*disk.Unit + disk.BlockPresence) }

// ProfileID looks up the profile of a method without context, by the id of the method and a code id. It returns the
// same as [Store.FindID] followed by [Method.Profile] in a third of the time. It does not allocate. The error matches
// ErrNotFound, or ErrAmbiguous if several methods have the id or if code is layout.CodeAny and there are several
// versions.
func (s *Store) ProfileID(id, code uint64) (Profile, error) {
	hash := disk.MixSeeded(id, s.hit.seed)
	line, rest := hash.SplitBucket(s.hit.lines)
	at := line * disk.LineSize
	ready := s.hit.words.Word32(4 * line).Load()
	if ready == 0 {
		return s.lookupProfile(id, code)
	}
	word := s.hit.ix.Uint32(at + disk.LineWord)
	slot := disk.SlotOf(word, rest)
	if s.hit.ix.Uint16(at+2*slot) != hash.Fingerprint() {
		if disk.NotInLine(word, hash) && !s.hit.isClosed() {
			return Profile{}, ErrNotFound
		}
		return s.lookupProfile(id, code)
	}
	n := uint64(s.hit.ix.Uint32(at + disk.LineRefs + 4*slot))
	if ready>>(slot&31)&1 == 0 || n > s.hit.last.Load() || code != layout.CodeAny {
		return s.lookupProfile(id, code)
	}
	at = n * disk.Unit
	units := s.hit.data.Uint32(at)
	if s.hit.data.Uint64(at+disk.BlockHeaderSize) != id || !s.hit.blockFits(n, units) {
		return s.lookupProfile(id, code)
	}
	return Profile{s: s, place: extentInFile{layout.Ref(n), units},
		first: uint8(s.hit.data.Uint32(at + disk.BlockPresence))}, nil
}

// lookupProfile is ProfileID for profiles outside their own slot, one of several versions, and unchecked profiles.
func (s *Store) lookupProfile(id, code uint64) (Profile, error) {
	if p, err := s.readyProfile(id, code, nil); err != errNotReady {
		return p, err
	}
	q := s.searchIndex(id, disk.KindMethod)
	m, err := q.onlyMethod(id)
	if err != nil {
		return Profile{}, err
	}
	p, _, err := m.Profile(code)
	if err == nil {
		q.markReady(false)
	}
	return p, err
}

// readyProfile returns the profile of a method from any slot of the first line of the probe sequence, if it was
// checked. It compares the key unless k is nil. Otherwise the error is errNotReady.
func (s *Store) readyProfile(id, code uint64, k *layout.Key) (Profile, error) {
	hash := disk.MixSeeded(id, s.hit.seed)
	line, rest := hash.SplitBucket(s.hit.lines)
	at := line * disk.LineSize
	ready := s.hit.words.Word32(4 * line).Load()
	if ready == 0 {
		return Profile{}, errNotReady
	}
	word := s.hit.ix.Uint32(at + disk.LineWord)
	own := disk.SlotOf(word, rest)
	if s.hit.ix.Uint16(at+2*own) == hash.Fingerprint() {
		if p, err := s.readySlot(id, code, k, at, own, ready); err != errNotReady {
			return p, err
		}
	}
	if !disk.Spilled(word) {
		return Profile{}, errNotReady
	}
	for slot := range uint64(disk.LineSlots) {
		if s.hit.ix.Uint16(at+2*slot) != hash.Fingerprint() {
			continue
		}
		if p, err := s.readySlot(id, code, k, at, slot, ready); err != errNotReady {
			return p, err
		}
	}
	return Profile{}, errNotReady
}

// readySlot is readyProfile for one slot of the index line at offset line.
func (s *Store) readySlot(id, code uint64, k *layout.Key, line, slot uint64, ready uint32) (Profile, error) {
	ready, n := ready>>(slot&31), uint64(s.hit.ix.Uint32(line+disk.LineRefs+4*slot))
	if ready&(1|1<<readyVersions) == 0 || n > s.hit.last.Load() {
		return Profile{}, errNotReady
	}
	at := n * disk.Unit
	units := s.hit.data.Uint32(at)
	if s.hit.data.Uint64(at+disk.BlockHeaderSize) != id || !s.hit.blockFits(n, units) {
		return Profile{}, errNotReady
	}
	p := Profile{s: s, place: extentInFile{layout.Ref(n), units}, first: uint8(s.hit.data.Uint32(at + disk.BlockPresence))}
	if k != nil && (ready>>readyKeys&1 == 0 || !s.keyEquals(n, k)) {
		return Profile{}, errNotReady
	}
	if ready&1 != 0 && code == layout.CodeAny {
		return p, nil
	}
	return s.readyVersion(n, code)
}

// readyVersion returns the profile of the given version of the code. n is the unit of the first profile of the method
// without context. All these profiles were checked, so only their offsets are checked again.
func (s *Store) readyVersion(n, code uint64) (Profile, error) {
	for n+disk.VersionReach/disk.Unit <= s.hit.end {
		at := n * disk.Unit
		presence := s.hit.presence(n)
		links, codeAt := disk.VersionOffsets(presence)
		next := uint64(0)
		own := uint64(layout.CodeUnknown)
		if presence&uint32(disk.HasLinks) != 0 {
			next = uint64(s.hit.data.Uint32(at + links + 4))
		}
		if presence&uint32(disk.HasCode) != 0 {
			own = s.hit.data.Uint64(at + codeAt)
		}
		switch {
		case code == layout.CodeAny && next != 0:
			return Profile{}, ErrAmbiguous
		case code == layout.CodeAny || own == code:
			return s.profileAtUnit(n)
		case own > code || next == 0:
			return Profile{}, ErrNotFound
		case next <= n:
			return Profile{}, errNotReady
		}
		n = next
	}
	return Profile{}, errNotReady
}

func (s *Store) profileAtUnit(n uint64) (Profile, error) {
	units := s.hit.data.Uint32(n * disk.Unit)
	presence := s.hit.presence(n)
	if !s.hit.blockFits(n, units) {
		return Profile{}, errNotReady
	}
	return Profile{s: s, place: extentInFile{layout.Ref(n), units}, first: uint8(presence)}, nil
}

// Profile looks up the profile of a method without context, by the key of the method and a code id. It returns the
// same as [Store.Find] followed by [Method.Profile] in half of the time. It does not allocate. The error matches
// ErrNotFound, or ErrAmbiguous if code is layout.CodeAny and there are several versions.
func (s *Store) Profile(k layout.Key, code uint64) (Profile, error) {
	return s.findProfile(k.ID(s.h.Domain), &k, code)
}

// findProfile begins like ProfileID and readyProfile. A common function would cost a call, a tenth of a miss.
func (s *Store) findProfile(id uint64, k *layout.Key, code uint64) (Profile, error) {
	hash := disk.MixSeeded(id, s.hit.seed)
	line, rest := hash.SplitBucket(s.hit.lines)
	at := line * disk.LineSize
	ready := s.hit.words.Word32(4 * line).Load()
	if ready == 0 {
		return s.searchProfile(id, k, code)
	}
	word := s.hit.ix.Uint32(at + disk.LineWord)
	slot := disk.SlotOf(word, rest)
	if s.hit.ix.Uint16(at+2*slot) == hash.Fingerprint() {
		if p, err := s.readySlot(id, code, k, at, slot, ready); err != errNotReady {
			return p, err
		}
	} else if disk.NotInLine(word, hash) && !s.hit.isClosed() {
		return Profile{}, ErrNotFound
	}
	if disk.Spilled(word) {
		if p, err := s.readyProfile(id, code, k); err != errNotReady {
			return p, err
		}
	}
	return s.searchProfile(id, k, code)
}

func (s *Store) searchProfile(id uint64, k *layout.Key, code uint64) (Profile, error) {
	q := s.searchIndex(id, disk.KindMethod)
	m, err := q.nextWithKey(id, k)
	if err != nil {
		return Profile{}, err
	}
	p, _, err := m.Profile(code)
	if err == nil && m.head.Flags()&disk.MethodSharedID == 0 {
		q.markReady(true)
	}
	return p, err
}

// keyEquals compares the key of the method whose first profile without context is at unit n.
func (s *Store) keyEquals(n uint64, k *layout.Key) bool {
	at := n * disk.Unit
	presence := s.hit.presence(n)
	key, ok := disk.KeyOffset(presence)
	if !ok {
		return presence&uint32(disk.HasID) != 0 && k.Class == "" && k.Signature == "" && k.Loader == "" &&
			s.recordNameEquals(uint64(s.hit.data.Uint32(at+disk.BlockMethod)), k.Name)
	}
	field := at + key
	return field+16 <= s.hit.end*disk.Unit && s.textEquals(s.hit.data.Uint32(field), k.Class) &&
		s.textEquals(s.hit.data.Uint32(field+4), k.Name) &&
		s.signatureTextEquals(s.hit.data.Uint32(field+8), k.Signature) && s.textEquals(s.hit.data.Uint32(field+12), k.Loader)
}

func (s *Store) textEquals(symbol uint32, text string) bool {
	if symbol == 0 {
		return text == ""
	}
	at := uint64(symbol) * disk.Unit
	n := uint64(len(text))
	return at+lengthSize+n <= s.hit.end*disk.Unit && uint64(s.hit.data.Uint32(at)) == n &&
		s.hit.data.String(at+lengthSize, n) == text
}

func (s *Store) signatureTextEquals(symbol uint32, text string) bool {
	at := uint64(symbol) * disk.Unit
	if symbol == 0 || at+lengthSize > s.hit.end*disk.Unit || s.hit.data.Uint32(at)>>31 == 0 {
		return s.textEquals(symbol, text)
	}
	same, err := s.signatureEquals(layout.Ref(symbol), text)
	return same && err == nil
}

func (s *Store) recordNameEquals(record uint64, text string) bool {
	if record >= s.hit.end {
		return false
	}
	at := record * disk.Unit
	head := disk.MethodHead(s.hit.data.Uint64(at))
	n := uint64(len(text))
	end := at + uint64(head.Size())
	if head.Flags()&(disk.MethodNamed|disk.MethodHasID) != disk.MethodNamed || n > disk.MaxNamed ||
		disk.NamedUnits(disk.MethodNamed, len(text)) != head.Units() || end > s.hit.end*disk.Unit {
		return false
	}
	if rest := n % disk.Unit; rest != 0 && s.hit.data.Uint64(end-disk.Unit)>>(8*rest) != 0 {
		return false
	}
	return s.hit.data.String(at+disk.MinMethodSize, n) == text
}

// readyMethod returns the method with an id from its own slot if its first profile was checked, with key k unless nil.
func (s *Store) readyMethod(id uint64, k *layout.Key) (m Method, ok bool) {
	hash := disk.MixSeeded(id, s.hit.seed)
	line, rest := hash.SplitBucket(s.hit.lines)
	at := line * disk.LineSize
	ready := s.hit.words.Word32(4 * line).Load()
	if ready == 0 {
		return Method{}, false
	}
	slot := disk.SlotOf(s.hit.ix.Uint32(at+disk.LineWord), rest)
	ready >>= slot & 31
	n := uint64(s.hit.ix.Uint32(at + disk.LineRefs + 4*slot))
	if s.hit.ix.Uint16(at+2*slot) != hash.Fingerprint() || ready&(1|1<<readyVersions) == 0 || n > s.hit.last.Load() {
		return Method{}, false
	}
	if block := n * disk.Unit; s.hit.data.Uint64(block+disk.BlockHeaderSize) != id {
		return Method{}, false
	}
	if k != nil && (ready>>readyKeys&1 == 0 || !s.keyEquals(n, k)) {
		return Method{}, false
	}
	return s.readyRecord(layout.Ref(s.hit.data.Uint32(n*disk.Unit + disk.BlockMethod)))
}

func (s *Store) readyRecord(n layout.Ref) (m Method, ok bool) {
	if !s.isInMethods(n) {
		return Method{}, false
	}
	m = Method{s: s, at: n, head: disk.MethodHead(s.hit.data.Uint64(uint64(n) * disk.Unit))}
	if !m.head.HasValidSize() || !s.h.Parts[disk.PartMethods].Holds(n.Offset(), m.head.Size()) {
		return Method{}, false
	}
	return m, true
}

var errNotReady = errors.New("not checked yet")
