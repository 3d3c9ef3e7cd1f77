package live

import (
	"fmt"

	"github.com/profarc/profarc/internal/formats/hotspot"
)

// A namer reads what does not change: names, and code.
type namer struct {
	s       *schema
	src     source
	symbols map[uint64]string
}

// symbol gives the text of a Symbol in UTF-8.
func (n *namer) symbol(addr uint64) (string, error) {
	if s, ok := n.symbols[addr]; ok {
		return s, nil
	}
	b, err := n.src.bytes(addr+n.s.symbol.length, 2)
	if err != nil {
		return "", err
	}
	b, err = n.src.bytes(addr+n.s.symbol.body, int(le.Uint16(b)))
	if err != nil {
		return "", err
	}
	s := hotspot.Decode(string(b))
	for _, c := range []byte(s) {
		if c == 0 {
			return "", fmt.Errorf("%w: a name with a NUL byte", ErrStructure)
		}
	}
	n.symbols[addr] = s
	return s, nil
}

// A methodName is what a ConstMethod says of a method.
type methodName struct {
	name, signature string
	holder          uint64 // Klass
	code            []byte // bytecodes
}

// method reads a ConstMethod.
func (n *namer) method(constMethod uint64) (m methodName, err error) {
	s := &n.s.constMethod
	b, err := n.src.bytes(constMethod, s.size)
	if err != nil {
		return m, err
	}
	pool := le.Uint64(b[s.constants:])
	if m.name, err = n.entry(pool, le.Uint16(b[s.name:])); err != nil {
		return m, err
	}
	if m.signature, err = n.entry(pool, le.Uint16(b[s.signature:])); err != nil {
		return m, err
	}
	if m.holder, err = word(n.src, pool+n.s.pool.holder); err != nil {
		return m, err
	}
	m.code, err = n.src.bytes(constMethod+uint64(s.size), int(le.Uint16(b[s.codeSize:])))
	if err == nil && (m.name == "" || m.signature == "") {
		err = RefusedName
	}
	return m, err
}

// entry gives the symbol at an index of a constant pool.
func (n *namer) entry(pool uint64, index uint16) (string, error) {
	length, err := int32At(n.src, pool+n.s.pool.length)
	if err != nil {
		return "", err
	}
	if int32(index) >= length {
		return "", fmt.Errorf("%w: index %d of a constant pool of %d", ErrStructure, index, length)
	}
	at, err := word(n.src, pool+uint64(n.s.pool.size)+8*uint64(index))
	if err != nil {
		return "", err
	}
	return n.symbol(at)
}
