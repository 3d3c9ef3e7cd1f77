package publish

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"
)

// ErrNotStored is the error if a file differs from the data written, although every write succeeded.
var ErrNotStored = errors.New("it does not hold what was written to it: the disk or the file system is faulty; " +
	"write to another one")

type writtenBlock struct {
	at, end int64
	sum     uint64
}

// writtenBlocks records the writes of a file, which are read back before the file gets its name.
type writtenBlocks struct {
	mu     sync.Mutex
	blocks []writtenBlock
}

func (p *writtenBlocks) recordWrite(b []byte, at int64) {
	sum := xxhash.Sum64(b)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.blocks = append(p.blocks, writtenBlock{at, at + int64(len(b)), sum})
}

// errWrittenTwice is the error if a byte was written twice, so that the expected value is unknown.
var errWrittenTwice = errors.New("a byte was written twice")

// readBack compares the file with all writes. The error matches ErrNotStored or comes from f.
func (p *writtenBlocks) readBack(f io.ReaderAt) error {
	slices.SortFunc(p.blocks, func(a, b writtenBlock) int { return cmp.Compare(a.at, b.at) })
	buffer := []byte(nil)
	end := int64(0)
	for _, one := range p.blocks {
		if one.at < end {
			return errWrittenTwice
		}
		end = one.end
		buffer = slices.Grow(buffer[:0], int(one.end-one.at)) // no more than writeBlock
		b := buffer[:one.end-one.at]
		if n, err := f.ReadAt(b, one.at); n < len(b) {
			if err == io.EOF || err == nil {
				return fmt.Errorf("byte %d: %w", one.at+int64(n), ErrNotStored)
			}
			return err
		}
		if xxhash.Sum64(b) != one.sum {
			return fmt.Errorf("bytes %d to %d: %w", one.at, one.end-1, ErrNotStored)
		}
	}
	return nil
}
