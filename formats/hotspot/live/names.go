package live

import (
	"fmt"

	"github.com/profarc/profarc/internal/jvm/names"
)

// A namer reads what does not change: names, and code. Each structure is read
// once, but for the ConstMethods of methods that have a profile and to which a
// profile points as well.
type namer struct {
	s       *schema
	src     source
	budget  *allowance
	symbols map[uint64]string
	pointed map[uint64]pointedMethod // methods that profiles point to, by address
	pools   map[uint64]*pool         // constant pools by address; nil of those that cannot be read
}

// A pointedMethod is a method that a profile points to.
type pointedMethod struct {
	methodName
	err error
}

func newNamer(s *schema, src source, m *meter) *namer {
	return &namer{s, src, m.structures(), map[uint64]string{}, map[uint64]pointedMethod{}, map[uint64]*pool{}}
}

// structure reads a structure, or a part of one, that was not read before.
func (n *namer) structure(addr uint64, size int) ([]byte, error) {
	if err := n.budget.take(size); err != nil {
		return nil, err
	}
	return n.src.bytes(addr, size)
}

// textUses is how often a name is copied or compared, once it is known.
const textUses = 4

// use counts that names are used: there may be few that are long, of very many
// classes and methods.
func (n *namer) use(names ...string) (err error) {
	for _, name := range names {
		err = n.budget.m.names.take(textUses * len(name))
	}
	return err
}

// pointedTo names a method that a profile points to.
func (n *namer) pointedTo(addr uint64) (methodName, error) {
	p, ok := n.pointed[addr]
	if !ok {
		var constMethod uint64
		if constMethod, p.err = word(n.src, addr+n.s.method.constMethod); p.err == nil {
			p.methodName, p.err = n.method(constMethod)
		}
		n.pointed[addr] = p
	}
	return p.methodName, p.err
}

// symbol returns the text of a Symbol in UTF-8.
func (n *namer) symbol(addr uint64) (string, error) {
	if s, ok := n.symbols[addr]; ok {
		return s, nil
	}
	b, err := n.structure(addr+n.s.symbol.length, shortWidth)
	if err != nil {
		return "", err
	}
	b, err = n.structure(addr+n.s.symbol.body, int(le.Uint16(b)))
	if err != nil {
		return "", err
	}
	s := names.FromModifiedUTF8(string(b))
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
	pool            uint64 // ConstantPool
	code            []byte // bytecodes
}

// method reads a ConstMethod.
func (n *namer) method(constMethod uint64) (m methodName, err error) {
	s := &n.s.constMethod
	b, err := n.structure(constMethod, s.size)
	if err != nil {
		return m, err
	}
	pool := le.Uint64(b[s.constants:])
	m.pool = pool
	if m.name, err = n.entry(pool, le.Uint16(b[s.name:])); err != nil {
		return m, err
	}
	if m.signature, err = n.entry(pool, le.Uint16(b[s.signature:])); err != nil {
		return m, err
	}
	if m.holder, err = word(n.src, pool+n.s.pool.holder); err != nil {
		return m, err
	}
	m.code, err = n.structure(constMethod+uint64(s.size), int(le.Uint16(b[s.codeSize:])))
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
