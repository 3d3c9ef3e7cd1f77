package reader

import (
	"math/bits"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// A search iterates over the records that the index offers for a hash. Most are
// the right one; a fingerprint of 16 bits lets a few others through.
type search struct {
	s      *Store
	hash   disk.Hash
	bucket uint64
	lines  uint32 // that were read; the last is that of bucket
	slots  uint32 // of the last, still to be offered
}

func (s *Store) search(id uint64, kind disk.RecordKind) search {
	h := disk.Mix(id, kind, s.h.Seed)
	return search{s: s, hash: h, bucket: h.Bucket(s.h.Buckets)}
}

// next returns the next candidate, 0 if there is no more. Every candidate lies in
// one of the indexed sections.
func (q *search) next() (layout.Ref, error) {
	for q.slots == 0 {
		more, err := q.nextLine()
		if !more {
			return 0, err
		}
	}
	i := bits.TrailingZeros32(q.slots)
	q.slots &= q.slots - 1
	n := q.line().Record(i)
	if !q.s.indexed(n) {
		return 0, q.s.corrupt(layout.RegionIX, q.s.lineOffset(q.bucket), "slot %d leads to 0x%x, where no record is", i, n.Offset())
	}
	return n, nil
}

func (q *search) nextLine() (more bool, err error) {
	switch {
	case q.lines == 0:
		if q.s.h.MaxProbe == 0 {
			return false, q.s.open()
		}
	case q.lines == q.s.h.MaxProbe || !q.line().Overflowed(q.hash):
		return false, nil
	default:
		if q.bucket++; q.bucket == q.s.h.Buckets {
			q.bucket = 0
		}
	}
	if err := q.s.m.Check(layout.RegionIX, q.s.lineOffset(q.bucket), disk.LineSize); err != nil {
		return false, err
	}
	q.lines++
	q.slots = q.line().Match(q.hash.Fingerprint())
	return true, nil
}

// line is the line that was read last.
func (q *search) line() disk.Line {
	return q.s.data[q.s.lineOffset(q.bucket):][:disk.LineSize]
}

// lineOffset is where in the file a line of the index lies.
func (s *Store) lineOffset(bucket uint64) int64 {
	return s.h.Region(layout.RegionIX).Offset + int64(bucket)*disk.LineSize
}

// indexed reports whether a record that the index may name can lie at n.
func (s *Store) indexed(n layout.Ref) bool {
	return s.inMethods(n) || s.isType(n)
}

func (s *Store) inMethods(n layout.Ref) bool {
	return s.h.Parts[disk.PartMethods].Holds(n.Offset(), disk.MinMethodSize)
}

func (s *Store) isContext(n layout.Ref) bool {
	return isRow(s.h.Parts[disk.PartContexts], n, disk.ContextSize)
}

func (s *Store) isType(n layout.Ref) bool {
	return isRow(s.h.Parts[disk.PartTypes], n, disk.TypeSize)
}

// isRow reports whether a record of a section of records of one size begins at n.
func isRow(section layout.Span, n layout.Ref, size int64) bool {
	return section.Holds(n.Offset(), size) && (n.Offset()-section.Offset)%size == 0
}
