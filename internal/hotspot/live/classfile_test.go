package live

import (
	"encoding/binary"
	"fmt"
)

// A classFile is read just far enough to find its methods' code.
type classFile struct {
	b    []byte
	utf8 map[uint16]string
}

func (c *classFile) take(n int) []byte {
	out := c.b[:n]
	c.b = c.b[n:]
	return out
}

func (c *classFile) u2() int { return int(binary.BigEndian.Uint16(c.take(2))) }
func (c *classFile) u4() int { return int(binary.BigEndian.Uint32(c.take(4))) }

// codeOf returns the bytecodes of the methods of a class file, by name and signature.
func codeOf(b []byte) (code map[string][]byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("not a class file: %v", r)
		}
	}()
	c := &classFile{b: b, utf8: map[uint16]string{}}
	c.take(8)
	c.pool()
	c.take(6)
	c.take(2 * c.u2())
	for range c.u2() { // fields
		c.take(6)
		c.attributes(nil)
	}
	code = map[string][]byte{}
	for range c.u2() {
		c.take(2)
		name := c.utf8[uint16(c.u2())]
		name += c.utf8[uint16(c.u2())]
		c.attributes(func(kind string, b []byte) {
			if kind == "Code" {
				n := binary.BigEndian.Uint32(b[4:])
				code[name] = b[8 : 8+n]
			}
		})
	}
	return code, nil
}

func (c *classFile) pool() {
	sizes := map[byte]int{3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4,
		19: 2, 20: 2}
	n := c.u2()
	for i := 1; i < n; i++ {
		tag := c.take(1)[0]
		if tag == 1 {
			c.utf8[uint16(i)] = string(c.take(c.u2()))
			continue
		}
		size, ok := sizes[tag]
		if !ok {
			panic(tag)
		}
		c.take(size)
		if tag == 5 || tag == 6 {
			i++
		}
	}
}

func (c *classFile) attributes(yield func(kind string, b []byte)) {
	for range c.u2() {
		kind := c.utf8[uint16(c.u2())]
		b := c.take(c.u4())
		if yield != nil {
			yield(kind, b)
		}
	}
}
