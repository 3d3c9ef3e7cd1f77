package replay

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/profarc/profarc/internal/formats/hotspot"
)

// Tags of a class file's constant pool.
const (
	poolUtf8      = 1
	poolInteger   = 3
	poolFloat     = 4
	poolLong      = 5
	poolDouble    = 6
	poolClass     = 7
	poolString    = 8
	poolField     = 9
	poolMethod    = 10
	poolInterface = 11
	poolNameType  = 12
	poolHandle    = 15
	poolType      = 16
	poolDynamic   = 17
	poolInvoke    = 18
	poolModule    = 19
	poolPackage   = 20
)

// poolSizes are the sizes in bytes of what follows a tag; that of poolUtf8 is
// the size of its length.
var poolSizes = map[byte]int{
	poolUtf8: 2, poolInteger: 4, poolFloat: 4, poolLong: 8, poolDouble: 8, poolClass: 2, poolString: 2,
	poolField: 4, poolMethod: 4, poolInterface: 4, poolNameType: 4, poolHandle: 3, poolType: 2,
	poolDynamic: 4, poolInvoke: 4, poolModule: 2, poolPackage: 2,
}

// Access flags of a class file that layout does not have.
const (
	accInterface = 0x0200
)

const classMagic = 0xcafebabe

var errClassFile = errors.New("not a sound class file")

// A classFile is what a replay file needs of a class: its constant pool and its
// methods with their code.
type classFile struct {
	name, super string // super is empty of java/lang/Object
	interfaces  []string
	access      uint16
	pool        []poolEntry // entry 0, and those behind a long or double, have tag 0
	methods     []classMethod
}

// A poolEntry is one entry of a constant pool.
type poolEntry struct {
	tag  byte
	data []byte // behind the tag; of poolUtf8 the text
}

// A classMethod is one method.
type classMethod struct {
	name, signature string
	access          uint16
	code            []byte   // nil if it has none
	catches         []uint16 // constants: the classes that its handlers catch
}

// parseClass reads a class file.
func parseClass(b []byte) (*classFile, error) {
	p := &classParser{rest: b}
	if p.u4() != classMagic {
		return nil, errClassFile
	}
	p.u4() // version
	c := &p.class
	p.constants()
	c.access = p.u2()
	c.name, c.super = p.klass(p.u2()), p.klass(p.u2())
	for range p.u2() {
		c.interfaces = append(c.interfaces, p.klass(p.u2()))
	}
	p.members() // fields
	c.methods = p.members()
	if p.bad || c.name == "" {
		return nil, errClassFile
	}
	return c, nil
}

// A classParser takes a class file from front to back. From the first thing
// that does not fit, every call gives zero.
type classParser struct {
	class classFile
	rest  []byte
	bad   bool
}

func (p *classParser) take(n int) []byte {
	if p.bad || n > len(p.rest) {
		p.bad = true
		return nil
	}
	b := p.rest[:n]
	p.rest = p.rest[n:]
	return b
}

func (p *classParser) u1() byte {
	if b := p.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (p *classParser) u2() uint16 {
	if b := p.take(2); b != nil {
		return binary.BigEndian.Uint16(b)
	}
	return 0
}

func (p *classParser) u4() uint32 {
	if b := p.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

// constants reads the constant pool.
func (p *classParser) constants() {
	n := int(p.u2())
	pool := make([]poolEntry, 1, max(n, 1))
	for len(pool) < n && !p.bad {
		tag := p.u1()
		size, known := poolSizes[tag]
		data := p.take(size)
		if tag == poolUtf8 && data != nil {
			data = p.take(int(binary.BigEndian.Uint16(data)))
		}
		p.bad = p.bad || !known
		pool = append(pool, poolEntry{tag, data})
		if tag == poolLong || tag == poolDouble {
			pool = append(pool, poolEntry{})
		}
	}
	p.bad = p.bad || len(pool) != n
	p.class.pool = pool
}

// members reads the fields or the methods.
func (p *classParser) members() (members []classMethod) {
	for range p.u2() {
		if p.bad {
			return nil
		}
		m := classMethod{access: p.u2(), name: p.text(p.u2()), signature: p.text(p.u2())}
		p.attributes(func(attribute string, b []byte) {
			if attribute == "Code" {
				p.code(&m, b)
			}
		})
		members = append(members, m)
	}
	return members
}

func (p *classParser) attributes(yield func(name string, b []byte)) {
	for range p.u2() {
		if p.bad {
			return
		}
		name := p.text(p.u2())
		yield(name, p.take(int(p.u4())))
	}
}

// code reads a Code attribute: the bytecodes, and what the handlers catch.
func (p *classParser) code(m *classMethod, b []byte) {
	in := classParser{rest: b}
	in.take(4) // stack and locals
	m.code = in.take(int(in.u4()))
	for range in.u2() {
		in.take(6) // range and handler
		m.catches = append(m.catches, in.u2())
		if in.bad {
			break
		}
	}
	p.bad = p.bad || in.bad
}

func (p *classParser) text(i uint16) string {
	text, err := p.class.text(i)
	p.bad = p.bad || err != nil
	return text
}

// klass is the name of a Class entry; entry 0 is none.
func (p *classParser) klass(i uint16) string {
	if i == 0 {
		return ""
	}
	name, err := p.class.klass(i)
	p.bad = p.bad || err != nil
	return name
}

// entry is an entry of the constant pool with one of those tags.
func (c *classFile) entry(i uint16, tags ...byte) ([]byte, error) {
	if int(i) < len(c.pool) {
		for _, tag := range tags {
			if c.pool[i].tag == tag {
				return c.pool[i].data, nil
			}
		}
	}
	return nil, fmt.Errorf("%w: constant %d", errClassFile, i)
}

func (c *classFile) text(i uint16) (string, error) {
	b, err := c.entry(i, poolUtf8)
	return hotspot.FromModified(string(b)), err
}

// klass is the name of a Class entry.
func (c *classFile) klass(i uint16) (string, error) {
	b, err := c.entry(i, poolClass)
	if err != nil {
		return "", err
	}
	return c.text(binary.BigEndian.Uint16(b))
}

// member is what a method reference names.
func (c *classFile) member(i uint16) (k methodKey, err error) {
	b, err := c.entry(i, poolMethod, poolInterface)
	if err != nil {
		return k, err
	}
	if k.class, err = c.klass(binary.BigEndian.Uint16(b)); err != nil {
		return k, err
	}
	if b, err = c.entry(binary.BigEndian.Uint16(b[2:]), poolNameType); err != nil {
		return k, err
	}
	if k.name, err = c.text(binary.BigEndian.Uint16(b)); err != nil {
		return k, err
	}
	k.signature, err = c.text(binary.BigEndian.Uint16(b[2:]))
	return k, err
}

// method finds a method that the class itself declares.
func (c *classFile) method(name, signature string) (m classMethod, ok bool) {
	for _, m := range c.methods {
		if m.name == name && m.signature == signature {
			return m, true
		}
	}
	return classMethod{}, false
}
