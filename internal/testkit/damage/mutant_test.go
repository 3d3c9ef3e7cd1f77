package damage

import (
	"fmt"
	"math/rand/v2"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// A mutator randomly changes one to three fields of an archive. Since it copies other references, flips bits and uses
// extreme numbers, most of the archive stays valid.
type mutator struct {
	*forger
	r          *rand.Rand
	references []reference
	regions    []layout.Span // header and nonempty regions
}

// newMutator returns a mutator of a sound archive. The same seed gives the same mutants.
func newMutator(data []byte, seed uint64) (*mutator, error) {
	f, err := newForger(data)
	if err != nil {
		return nil, err
	}
	references, err := listReferences(data)
	if err != nil {
		return nil, err
	}
	m := &mutator{forger: f, r: rand.New(rand.NewPCG(seed, 0)), references: references,
		regions: []layout.Span{{Size: disk.HeaderSize}}}
	for r := disk.RegionIX; r <= disk.RegionRW; r++ {
		if s := disk.RegionOf(f.h, r); s.Size > 0 {
			m.regions = append(m.regions, s)
		}
	}
	return m, nil
}

// References returns all references of the sound archive.
func (m *mutator) References() []reference { return m.references }

// Next creates the next mutant with valid checksums, and describes the changes.
func (m *mutator) Next() (changes []string) {
	m.Undo()
	for n := 1 + m.r.IntN(6)/3*m.r.IntN(3); n > 0; n-- {
		at, width, value, what := m.chooseChange()
		old := m.readNumber(at, width)
		m.putNumber(at, width, value)
		changes = append(changes, fmt.Sprintf("%s at 0x%x: 0x%x becomes 0x%x", what, at, old, m.readNumber(at, width)))
	}
	m.updateChecksums()
	return changes
}

// Recount writes counts and summary to the header.
func (m *mutator) Recount(c layout.Counts, s layout.Summary) {
	h := *m.h
	h.Counts, h.Summary = c, s
	b := disk.AppendHeader(nil, &h)
	for at := int64(countsAt); at < producerIDAt; at += disk.Unit {
		m.replaceWord(at, le.Uint64(b[at:]))
	}
	m.updateChecksums()
}

func (m *mutator) readNumber(at int64, width int) uint64 {
	return le.Uint64(m.data[at&^7:]) >> (8 * (at & 7)) & (1<<(8*width) - 1)
}

func (m *mutator) chooseChange() (at int64, width int, value uint64, what string) {
	if m.r.IntN(3) == 0 && len(m.references) > 0 {
		r := m.references[m.r.IntN(len(m.references))]
		return r.At, r.width(), m.chooseTarget(r), r.What
	}
	s := m.regions[m.r.IntN(len(m.regions))]
	width = []int{1, 2, 4, 8}[m.r.IntN(4)]
	at = s.Offset + m.r.Int64N(s.Size/int64(width))*int64(width)
	return at, width, m.chooseNumber(m.readNumber(at, width), width), disk.RegionAt(m.h, at).String()
}

// chooseTarget returns the value of another reference, mostly of the same kind, or 0.
func (m *mutator) chooseTarget(r reference) uint64 {
	if m.r.IntN(8) == 0 {
		return 0
	}
	for range 16 {
		other := m.references[m.r.IntN(len(m.references))]
		if other.Form == r.Form && (other.What == r.What || m.r.IntN(16) == 0) {
			return m.readNumber(other.At, other.width())
		}
	}
	return m.chooseNumber(m.readNumber(r.At, r.width()), r.width())
}

func (m *mutator) chooseNumber(old uint64, width int) uint64 {
	switch m.r.IntN(6) {
	case 0:
		return []uint64{0, 1, 2, 1<<63 - 1, 1 << 63, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1<<64 - 1, 1<<64 - 2}[m.r.IntN(10)]
	case 1:
		return old + 1
	case 2:
		return old - 1
	case 3:
		return m.r.Uint64()
	}
	return old ^ 1<<m.r.IntN(8*width)
}
