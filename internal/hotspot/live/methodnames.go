package live

import (
	"fmt"
	"strings"

	"github.com/profarc/profarc/internal/names/javanames"
)

// A namer reads names and code, which do not change. It reads each structure once, except for ConstMethods of methods
// that have a profile and also occur in one.
type namer struct {
	s              *schema
	src            source
	budget         *allowance
	symbols        map[uint64]string
	pointedMethods map[uint64]pointedMethod // methods in cells of profiles, by address
	pools          map[uint64]*pool         // constant pools by address; nil if unreadable
}

type pointedMethod struct {
	methodName
	err error
}

func newNamer(s *schema, src source, m *meter) *namer {
	return &namer{s, src, m.structureBudget(), map[uint64]string{}, map[uint64]pointedMethod{}, map[uint64]*pool{}}
}

// readStructure reads a structure or a part of one that was not read before.
func (n *namer) readStructure(addr uint64, size int) ([]byte, error) {
	if err := n.budget.spendUnits(size); err != nil {
		return nil, err
	}
	return n.src.readBytes(addr, size)
}

// textUses is the number of times that a name is copied or compared.
const textUses = 4

// spendOnText charges the use of names, since huge numbers of classes and methods may share a few long names.
func (n *namer) spendOnText(names ...string) (err error) {
	for _, name := range names {
		err = n.budget.meter.names.spendUnits(textUses * len(name))
	}
	return err
}

func (n *namer) pointedMethodName(addr uint64) (methodName, error) {
	p, ok := n.pointedMethods[addr]
	if !ok {
		var constMethod uint64
		constMethod, p.err = wordAt(n.src, addr+n.s.method.constMethod)
		if p.err == nil {
			p.methodName, p.err = n.readConstMethod(constMethod)
		}
		n.pointedMethods[addr] = p
	}
	return p.methodName, p.err
}

func (n *namer) symbolText(addr uint64) (string, error) {
	if s, ok := n.symbols[addr]; ok {
		return s, nil
	}
	b, err := n.readStructure(addr+n.s.symbol.length, shortWidth)
	if err != nil {
		return "", err
	}
	b, err = n.readStructure(addr+n.s.symbol.body, int(le.Uint16(b)))
	if err != nil {
		return "", err
	}
	s := javanames.FromModifiedUTF8(string(b))
	if strings.IndexByte(s, 0) >= 0 {
		return "", fmt.Errorf("%w: a name with a NUL byte", ErrStructure)
	}
	n.symbols[addr] = s
	return s, nil
}

// A methodName is the content of a ConstMethod.
type methodName struct {
	name, signature string
	holder          uint64 // Klass
	pool            uint64 // ConstantPool
	code            []byte // bytecodes
}

func (n *namer) readConstMethod(constMethod uint64) (m methodName, err error) {
	s := &n.s.constMethod
	b, err := n.readStructure(constMethod, s.size)
	if err != nil {
		return m, err
	}
	pool := le.Uint64(b[s.constants:])
	m.pool = pool
	m.name, err = n.poolSymbol(pool, le.Uint16(b[s.name:]))
	if err != nil {
		return m, err
	}
	m.signature, err = n.poolSymbol(pool, le.Uint16(b[s.signature:]))
	if err != nil {
		return m, err
	}
	m.holder, err = wordAt(n.src, pool+n.s.pool.holder)
	if err != nil {
		return m, err
	}
	m.code, err = n.readStructure(constMethod+uint64(s.size), int(le.Uint16(b[s.codeSize:])))
	if err == nil && (m.name == "" || m.signature == "") {
		err = RefusedName
	}
	return m, err
}

func (n *namer) poolSymbol(pool uint64, index uint16) (string, error) {
	length, err := int32At(n.src, pool+n.s.pool.length)
	if err != nil {
		return "", err
	}
	if int32(index) >= length {
		return "", fmt.Errorf("%w: index %d of a constant pool of %d", ErrStructure, index, length)
	}
	at, err := wordAt(n.src, pool+uint64(n.s.pool.size)+8*uint64(index))
	if err != nil {
		return "", err
	}
	return n.symbolText(at)
}
