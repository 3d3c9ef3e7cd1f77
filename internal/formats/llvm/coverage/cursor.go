package coverage

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// A cursor decodes numbers. After its first error it returns zeros.
type cursor struct {
	rest []byte
	err  error
}

var errCut = errors.New("a number that does not end")

// readNumber decodes a number, which has at most 32 bits.
func (c *cursor) readNumber() uint64 {
	if c.err != nil {
		return 0
	}
	n, size := binary.Uvarint(c.rest)
	switch {
	case size <= 0:
		c.err = errCut
		return 0
	case n > math.MaxUint32:
		c.err = fmt.Errorf("%d, where numbers have 32 bits", n)
		return 0
	}
	c.rest = c.rest[size:]
	return n
}

// readCount decodes the number of following items, which have at least least bytes each.
func (c *cursor) readCount(of string, least int) int {
	n := c.readNumber()
	if c.err == nil && n > uint64(len(c.rest)/least) {
		c.err = fmt.Errorf("%d %s in %d bytes", n, of, len(c.rest))
	}
	if c.err != nil {
		return 0
	}
	return int(n)
}

func (c *cursor) readBytes(n uint64) []byte {
	if c.err == nil && n > uint64(len(c.rest)) {
		c.err = fmt.Errorf("%d bytes, where %d are left", n, len(c.rest))
	}
	if c.err != nil {
		return nil
	}
	b := c.rest[:n]
	c.rest = c.rest[n:]
	return b
}
