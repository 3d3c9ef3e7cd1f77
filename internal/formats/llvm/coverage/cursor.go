package coverage

import (
	"encoding/binary"
	"fmt"
	"math"
)

// A cursor decodes numbers. After its first error it returns zeros.
type cursor struct {
	rest []byte
	err  error
}

// fail records an error, unless there was one before.
func (c *cursor) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// readNumber decodes a number, which has at most 32 bits.
func (c *cursor) readNumber() uint64 {
	n, size := binary.Uvarint(c.rest)
	switch {
	case size <= 0:
		c.fail("a number that does not end")
	case n > math.MaxUint32:
		c.fail("%d, where numbers have 32 bits", n)
	}
	if c.err != nil {
		return 0
	}
	c.rest = c.rest[size:]
	return n
}

// readCount decodes the number of following items, which have at least least bytes each.
func (c *cursor) readCount(of string, least int) int {
	n := c.readNumber()
	if n > uint64(len(c.rest)/least) {
		c.fail("%d %s in %d bytes", n, of, len(c.rest))
	}
	if c.err != nil {
		return 0
	}
	return int(n)
}

func (c *cursor) readBytes(n uint64) []byte {
	if n > uint64(len(c.rest)) {
		c.fail("%d bytes, where %d are left", n, len(c.rest))
	}
	if c.err != nil {
		return nil
	}
	b := c.rest[:n]
	c.rest = c.rest[n:]
	return b
}
