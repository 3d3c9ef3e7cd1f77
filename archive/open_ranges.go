package archive

import (
	"fmt"
	"io"
	"sync"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/words"
	"github.com/profarc/profarc/layout"
)

// OpenRanges opens an archive of size bytes, of which r reads ranges, for instance out of
// an object store; name stands for the path in errors. What lies before the profiles is read
// now, and of the profiles a piece when something in it is needed for the first time: more
// at once the longer the pieces follow each other. r must be safe for concurrent use and is
// used until the Mapping is closed. The memory has the size of the archive, but the system
// provides only what is read. o.Mode is ignored, and o.Check must be CheckOnTouch. Errors
// about the content are as from Open; others are those of r.
func OpenRanges(name string, r io.ReaderAt, size int64, o Options) (*Mapping, error) {
	m, err := openRanges(name, r, size, o)
	if err != nil {
		return nil, o.reject(named(err, name))
	}
	return m, nil
}

func openRanges(name string, r io.ReaderAt, size int64, o Options) (*Mapping, error) {
	if o.Check != CheckOnTouch {
		return nil, fmt.Errorf("ranges of an archive are checked when they are touched, not as option %d says", o.Check)
	}
	head := make([]byte, min(max(size, 0), headerReach))
	if err := readRange(r, head, 0); err != nil {
		return nil, err
	}
	h, err := disk.ParseHeader(head, size)
	if err == nil {
		err = addressable(size)
	}
	if err != nil {
		return nil, err
	}
	data := words.Aligned(int(size))
	p := &pieces{r: r, data: data, have: make([]bool, (size+pieceSize-1)/pieceSize)}
	copy(data, head)
	p.have[0] = true
	if err := p.fetch(0, h.Region(layout.RegionRW).Offset); err != nil {
		return nil, err
	}
	m := &Mapping{name: name, data: data, pieces: p}
	return m, m.admit(o)
}

// readRange fills b from an offset.
func readRange(r io.ReaderAt, b []byte, at int64) error {
	n, err := r.ReadAt(b, at)
	switch {
	case n == len(b):
		return nil
	case err == io.EOF || err == io.ErrUnexpectedEOF || err == nil:
		return &layout.Error{Offset: at + int64(n), Kind: layout.ErrTruncated, Detail: "it ends before its stated size", Advice: copyAgain}
	}
	return err
}

const (
	pieceSize = headerReach
	// mostAhead is how many pieces are read at once where they follow each other.
	mostAhead = 64
)

// pieces are those parts of an archive that have been read so far.
type pieces struct {
	r     io.ReaderAt
	data  []byte
	mu    sync.Mutex
	have  []bool
	next  int64 // the piece after the last that was read
	ahead int64 // how many were read at once
}

// fetch reads the pieces of a span that are missing.
func (p *pieces) fetch(from, to int64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := (to + pieceSize - 1) / pieceSize
	for first := from / pieceSize; first < last; first++ {
		if p.have[first] {
			continue
		}
		end := first + 1
		for end < last && !p.have[end] {
			end++
		}
		if err := p.read(first, end); err != nil {
			return err
		}
	}
	return nil
}

// touch reads the pieces of a span, and more if they follow those of the last call.
func (p *pieces) touch(part layout.Span) error {
	p.mu.Lock()
	first, last := part.Offset/pieceSize, (part.End()+pieceSize-1)/pieceSize
	missing := false
	for n := first; n < last; n++ {
		missing = missing || !p.have[n]
	}
	if !missing {
		p.mu.Unlock()
		return nil
	}
	ahead := int64(1)
	if first == p.next {
		ahead = min(2*p.ahead, mostAhead)
	}
	to := min(max(last, first+ahead), int64(len(p.have)))
	p.mu.Unlock()
	if err := p.fetch(part.Offset, to*pieceSize); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next, p.ahead = to, to-first
	return nil
}

// read reads pieces none of which has been read.
func (p *pieces) read(first, end int64) error {
	from, to := first*pieceSize, min(end*pieceSize, int64(len(p.data)))
	if err := readRange(p.r, p.data[from:to], from); err != nil {
		return err
	}
	for n := first; n < end; n++ {
		p.have[n] = true
	}
	return nil
}
