// Package classfile reads class files from folders, jars and the modules of a JDK, and finds their source files.
//
// It does not trust its input. Malformed files are errors, and memory is limited.
package classfile

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/profarc/profarc/internal/java/bytecode"
	"github.com/profarc/profarc/internal/names/javanames"
)

// Tags of a constant pool.
const (
	TagUtf8      = 1
	TagInteger   = 3
	TagFloat     = 4
	TagLong      = 5
	TagDouble    = 6
	TagClass     = 7
	TagString    = 8
	TagField     = 9
	TagMethod    = 10
	TagInterface = 11
	TagNameType  = 12
	TagHandle    = 15
	TagType      = 16
	TagDynamic   = 17
	TagInvoke    = 18
	TagModule    = 19
	TagPackage   = 20
)

// poolSizes are the sizes in bytes of constants after their tag. TagUtf8 has the size of its length.
var poolSizes = map[byte]int{
	TagUtf8: 2, TagInteger: 4, TagFloat: 4, TagLong: 8, TagDouble: 8, TagClass: 2, TagString: 2,
	TagField: 4, TagMethod: 4, TagInterface: 4, TagNameType: 4, TagHandle: 3, TagType: 2,
	TagDynamic: 4, TagInvoke: 4, TagModule: 2, TagPackage: 2,
}

const AccInterface = 0x0200
const classMagic = 0xcafebabe

var ErrClassFile = errors.New("not a sound class file")

// A File has the constant pool of a class and its methods with their code. Names are UTF-8.
type File struct {
	Name, Super string // Super is empty for java/lang/Object
	Interfaces  []string
	Access      uint16
	Version     uint16     // major version of the format
	Pool        []Constant // tag 0 for constant 0 and after a long or double
	Fields      []Method   // fields, which have no code
	Methods     []Method

	attributes []byte            // attributes of the class, starting with their number
	methods    map[[2]string]int // indices by name and signature, built on first use
}

type Constant struct {
	Tag  byte
	Data []byte // bytes after the tag; text of TagUtf8
}

// Number returns the bytes after the tag as a number.
func (k Constant) Number() (n uint64) {
	for _, b := range k.Data {
		n = n<<8 | uint64(b)
	}
	return n
}

// NumberText returns the text of a number in HotSpot's format, given the tag and the bits of its constant.
func NumberText(tag byte, bits uint64) (text string, ok bool) {
	switch tag {
	case TagInteger:
		return strconv.Itoa(int(int32(bits))), true
	case TagLong:
		return strconv.FormatInt(int64(bits), 10), true
	case TagFloat:
		return bytecode.DecimalText(float64(math.Float32frombits(uint32(bits)))), true
	case TagDouble:
		return bytecode.DecimalText(math.Float64frombits(bits)), true
	}
	return "", false
}

type Method struct {
	Name, Signature string
	Access          uint16
	Code            []byte   // bytecodes; nil without a Code attribute
	Catches         []uint16 // constants of the caught classes

	attributes []byte // attributes of the code, starting with their number
}

type Member struct{ Class, Name, Signature string }

// Parse reads a class file. The error matches ErrClassFile.
func Parse(b []byte) (*File, error) {
	p := &parser{rest: b}
	if p.readU4() != classMagic {
		return nil, ErrClassFile
	}
	p.readU2() // minor version
	c := &p.file
	c.Version = p.readU2()
	p.readConstants()
	c.Access = p.readU2()
	c.Name, c.Super = p.classConstant(p.readU2()), p.classConstant(p.readU2())
	for range p.readU2() {
		c.Interfaces = append(c.Interfaces, p.classConstant(p.readU2()))
	}
	c.Fields = p.readMembers()
	c.Methods = p.readMembers()
	c.attributes = p.rest
	if p.bad || c.Name == "" {
		return nil, ErrClassFile
	}
	return c, nil
}

// A parser reads a class file from front to back. After the first error, all methods return zero.
type parser struct {
	file File
	rest []byte
	bad  bool
}

func (p *parser) takeBytes(n int) []byte {
	if p.bad || n < 0 || n > len(p.rest) {
		p.bad = true
		return nil
	}
	b := p.rest[:n]
	p.rest = p.rest[n:]
	return b
}

func (p *parser) readNumber(size int) (n uint32) {
	for _, b := range p.takeBytes(size) {
		n = n<<8 | uint32(b)
	}
	return n
}

func (p *parser) readU2() uint16 { return uint16(p.readNumber(2)) }
func (p *parser) readU4() uint32 { return p.readNumber(4) }

func (p *parser) readConstants() {
	n := int(p.readU2())
	pool := make([]Constant, 1, max(n, 1))
	for len(pool) < n && !p.bad {
		tag := byte(p.readNumber(1))
		size, known := poolSizes[tag]
		data := p.takeBytes(size)
		if tag == TagUtf8 && data != nil {
			data = p.takeBytes(int(binary.BigEndian.Uint16(data)))
		}
		p.bad = p.bad || !known
		pool = append(pool, Constant{tag, data})
		if tag == TagLong || tag == TagDouble {
			pool = append(pool, Constant{})
		}
	}
	p.bad = p.bad || len(pool) != n
	p.file.Pool = pool
}

func (p *parser) readMembers() (members []Method) {
	for range p.readU2() {
		if p.bad {
			return nil
		}
		m := Method{Access: p.readU2(), Name: p.utf8Constant(p.readU2()), Signature: p.utf8Constant(p.readU2())}
		p.eachAttribute(func(attribute string, b []byte) {
			if attribute == "Code" {
				p.readCode(&m, b)
			}
		})
		members = append(members, m)
	}
	return members
}

func (p *parser) eachAttribute(yield func(name string, b []byte)) {
	for range p.readU2() {
		if p.bad {
			return
		}
		name := p.utf8Constant(p.readU2())
		yield(name, p.takeBytes(int(p.readU4())))
	}
}

func (p *parser) readCode(m *Method, b []byte) {
	in := parser{rest: b}
	in.takeBytes(4) // stack and locals
	m.Code = in.takeBytes(int(in.readU4()))
	for range in.readU2() {
		in.takeBytes(6) // range and handler
		m.Catches = append(m.Catches, in.readU2())
		if in.bad {
			break
		}
	}
	m.attributes = in.rest
	p.bad = p.bad || in.bad
}

func (p *parser) utf8Constant(i uint16) string {
	text, err := p.file.Text(i)
	p.bad = p.bad || err != nil
	return text
}

func (p *parser) classConstant(i uint16) string {
	if i == 0 {
		return ""
	}
	name, err := p.file.Class(i)
	p.bad = p.bad || err != nil
	return name
}

func (c *File) constantWithTag(i uint16, tags ...byte) ([]byte, error) {
	if int(i) < len(c.Pool) && slices.Contains(tags, c.Pool[i].Tag) {
		return c.Pool[i].Data, nil
	}
	return nil, fmt.Errorf("%w: constant %d", ErrClassFile, i)
}

// Release returns the Java release whose compiler writes this version of class files, or a number below 1.
func (c *File) Release() int { return int(c.Version) - 44 }

func (c *File) Text(i uint16) (string, error) {
	b, err := c.constantWithTag(i, TagUtf8)
	return javanames.FromModifiedUTF8(string(b)), err
}

func (c *File) Class(i uint16) (string, error) {
	b, err := c.constantWithTag(i, TagClass)
	if err != nil {
		return "", err
	}
	return c.Text(binary.BigEndian.Uint16(b))
}

func (c *File) Member(i uint16) (Member, error) {
	return c.memberWithTag(i, TagField, TagMethod, TagInterface)
}

func (c *File) memberWithTag(i uint16, tags ...byte) (m Member, err error) {
	b, err := c.constantWithTag(i, tags...)
	if err != nil {
		return m, err
	}
	m.Class, err = c.Class(binary.BigEndian.Uint16(b))
	if err != nil {
		return m, err
	}
	m.Name, m.Signature, err = c.NameType(binary.BigEndian.Uint16(b[2:]))
	return m, err
}

func (c *File) NameType(i uint16) (name, signature string, err error) {
	b, err := c.constantWithTag(i, TagNameType)
	if err != nil {
		return "", "", err
	}
	name, nameErr := c.Text(binary.BigEndian.Uint16(b))
	signature, err = c.Text(binary.BigEndian.Uint16(b[2:]))
	return name, signature, cmp.Or(nameErr, err)
}

// Method finds a method that the class itself declares.
func (c *File) Method(name, signature string) (m Method, ok bool) {
	if c.methods == nil {
		c.methods = make(map[[2]string]int, len(c.Methods))
		for i, m := range slices.Backward(c.Methods) { // the first duplicate wins
			c.methods[[2]string{m.Name, m.Signature}] = i
		}
	}
	i, ok := c.methods[[2]string{name, signature}]
	if !ok {
		return Method{}, false
	}
	return c.Methods[i], true
}

type LineStart struct{ Bci, Line int }

// Lines returns the starts of lines in a method's code, by ascending bytecode index. It returns nil if the class has no
// line numbers, or damaged ones.
func (c *File) Lines(m Method) (lines []LineStart) {
	p := &parser{file: *c, rest: m.attributes}
	p.eachAttribute(func(name string, b []byte) {
		if name == "LineNumberTable" {
			lines = append(lines, lineStarts(b)...)
		}
	})
	if p.bad {
		return nil
	}
	slices.SortStableFunc(lines, func(a, b LineStart) int { return cmp.Compare(a.Bci, b.Bci) })
	return lines
}

func lineStarts(b []byte) (lines []LineStart) {
	in := &parser{rest: b}
	for range in.readU2() {
		l := LineStart{int(in.readU2()), int(in.readU2())}
		if in.bad {
			break
		}
		lines = append(lines, l)
	}
	return lines
}

// SourceFile returns the file name of the class's source without its folder; "" if the class does not name it.
func (c *File) SourceFile() (name string) {
	p := &parser{file: *c, rest: c.attributes}
	p.eachAttribute(func(attribute string, b []byte) {
		if in := (&parser{file: *c, rest: b}); attribute == "SourceFile" && name == "" {
			name = in.utf8Constant(in.readU2())
		}
	})
	return name
}
