package live

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/java/bytecode"
	"github.com/profarc/profarc/internal/java/classfile"
	"github.com/profarc/profarc/internal/names/javanames"
)

// When a VM links a class it rewrites operands of bytecodes. A constant pool index becomes a ConstantPoolCache index
// in the machine's byte order. The cache has the original index.

type constantsSchema struct {
	tags, cache  uint64
	bytes, words uint64 // data in an Array<u1>, data in an Array<u2>
	references   uint64 // ConstantPoolCache::_reference_map
	// entries of all operands, in JDK 17 to 22; else 0
	entries, entrySize, entryIndex uint64
	length                         uint64 // number of entries
	// arrays of fields, methods and dynamic calls, in later releases
	fields, methods, dynamic resolvedSchema
}

// resolvedSchema describes an array in ConstantPoolCache. The zero value means that the VM has none.
type resolvedSchema struct{ array, data, size, index uint64 }

// newConstantsSchema looks up the fields on the way from bytecodes to names. Missing fields are 0. ok is false if no
// name can be read.
func newConstantsSchema(t *tables) (s constantsSchema, ok bool) {
	s.tags = t.optionalOffset("ConstantPool::_tags", pointerWidth)
	s.cache = t.optionalOffset("ConstantPool::_cache", pointerWidth)
	s.bytes, s.words = t.optionalOffset("Array<u1>::_data", byteWidth), t.optionalOffset("Array<u2>::_data", shortWidth)
	s.references = t.optionalOffset("ConstantPoolCache::_reference_map", pointerWidth)
	s.entries, s.entrySize = t.optionalSize("ConstantPoolCache"), t.optionalSize("ConstantPoolCacheEntry")
	s.entryIndex = t.optionalOffset("ConstantPoolCacheEntry::_indices", pointerWidth)
	s.length = t.optionalOffset("ConstantPoolCache::_length", intWidth)
	resolved := func(field, typ string) resolvedSchema {
		return resolvedSchema{t.optionalOffset("ConstantPoolCache::"+field, pointerWidth),
			t.optionalOffset("Array<"+typ+">::_data", pointerWidth), t.optionalSize(typ),
			t.optionalOffset(typ+"::_cpool_index", shortWidth)}
	}
	s.fields = resolved("_resolved_field_entries", "ResolvedFieldEntry")
	s.methods = resolved("_resolved_method_entries", "ResolvedMethodEntry")
	s.dynamic = resolved("_resolved_indy_entries", "ResolvedIndyEntry")
	return s, s.tags > 0 && s.cache > 0 && s.bytes > 0
}

// Tags of constants that only a VM has.
const (
	unresolvedClass        = 100
	unresolvedClassInError = 103
)

type pool struct {
	*namer
	addr   uint64
	tags   []byte
	cache  uint64 // 0 if the class is not linked, so that its code equals the class file's
	lookup map[constantUse]bytecode.Name
}

// A constantUse is a constant and its use. A class has different names as a loaded value and as an operand of others.
type constantUse struct {
	index  uint16
	loaded bool
}

func (n *namer) instructions(m *methodName) (list []bytecode.Instruction, ok bool) {
	p, ok := n.constantPool(m.pool)
	if !ok {
		return nil, false
	}
	return bytecode.Instructions(m.code, p.nameOperand)
}

func (n *namer) constantPool(addr uint64) (*pool, bool) {
	if p, known := n.pools[addr]; known {
		return p, p != nil
	}
	p := n.openPool(addr)
	n.pools[addr] = p
	return p, p != nil
}

const maxConstants = math.MaxUint16 + 1

func (n *namer) openPool(addr uint64) *pool {
	s := &n.s.constants
	if !n.s.namesReadable {
		return nil
	}
	length, err1 := int32At(n.src, addr+n.s.pool.length)
	tags, err2 := wordAt(n.src, addr+s.tags)
	cache, err3 := wordAt(n.src, addr+s.cache)
	if err1 != nil || err2 != nil || err3 != nil || length < 0 || length > maxConstants {
		return nil
	}
	p := &pool{namer: n, addr: addr, cache: cache, lookup: map[constantUse]bytecode.Name{}}
	p.tags, err1 = n.readStructure(tags+s.bytes, int(length))
	if err1 != nil {
		return nil
	}
	return p
}

func (p *pool) nameOperand(raw, java byte, operand []byte) (n bytecode.Name, ok bool) {
	i, ok := p.constantIndex(raw, java, operand)
	if !ok || p.budget.meter.countStep() != nil {
		return n, false
	}
	use := constantUse{i, java <= bytecode.Ldc2W}
	n, ok = p.lookup[use]
	if !ok {
		n, ok = bytecode.NameAt(java, i, p)
		if ok {
			p.lookup[use] = n
		}
	}
	return n, ok && p.budget.meter.names.spendUnits(len(n.Class)+len(n.Name)+len(n.Descriptor)) == nil
}

func (p *pool) constantIndex(raw, java byte, operand []byte) (i uint16, ok bool) {
	switch {
	case java == bytecode.Ldc && raw == java:
		return uint16(operand[0]), true
	case java == bytecode.Ldc:
		return p.resolvedReference(uint16(operand[0]))
	case java == bytecode.LdcW && raw != java:
		return p.resolvedReference(le.Uint16(operand))
	case p.cache == 0 || java < bytecode.GetStatic || java > bytecode.InvokeDynamic:
		return binary.BigEndian.Uint16(operand), true
	case java == bytecode.InvokeDynamic:
		at := int32(le.Uint32(operand))
		return p.cachedIndex(&p.s.constants.dynamic, max(at, ^at)) // some releases store it inverted
	case java <= bytecode.PutField:
		return p.cachedIndex(&p.s.constants.fields, int32(le.Uint16(operand)))
	}
	return p.cachedIndex(&p.s.constants.methods, int32(le.Uint16(operand)))
}

func (p *pool) resolvedReference(entry uint16) (i uint16, ok bool) {
	references, err := wordAt(p.src, p.cache+p.s.constants.references)
	if err != nil || p.cache == 0 || references == 0 {
		return 0, false
	}
	return p.uint16At(references + p.s.constants.words + shortWidth*uint64(entry))
}

func (p *pool) cachedIndex(r *resolvedSchema, entry int32) (i uint16, ok bool) {
	s := &p.s.constants
	if r.array == 0 {
		if s.entrySize == 0 {
			return 0, false
		}
		return p.uint16At(p.cache + s.entries + s.entrySize*uint64(entry) + s.entryIndex)
	}
	array, err := wordAt(p.src, p.cache+r.array)
	if err != nil || array == 0 || r.size == 0 {
		return 0, false
	}
	return p.uint16At(array + r.data + r.size*uint64(entry) + r.index)
}

func (p *pool) uint16At(addr uint64) (uint16, bool) {
	b, err := p.src.readBytes(addr, shortWidth)
	if err != nil {
		return 0, false
	}
	return le.Uint16(b), true
}

// slotWord returns the word of a constant with one of the tags.
func (p *pool) slotWord(i uint16, tags ...byte) (uint64, bool) {
	if int(i) >= len(p.tags) || !slices.Contains(tags, p.tags[i]) {
		return 0, false
	}
	b, err := p.readStructure(p.addr+uint64(p.s.pool.size)+pointerWidth*uint64(i), pointerWidth)
	if err != nil {
		return 0, false
	}
	return le.Uint64(b), true
}

func (p *pool) symbolAt(i uint16) (string, bool) {
	s, err := p.poolSymbol(p.addr, i)
	return s, err == nil
}

func (p *pool) Class(i uint16) (string, bool) {
	v, ok := p.slotWord(i, classfile.TagClass, unresolvedClass, unresolvedClassInError)
	if !ok {
		return "", false
	}
	return p.symbolAt(uint16(v >> 16))
}

func (p *pool) Member(i uint16) (n bytecode.Name, ok bool) {
	v, ok := p.slotWord(i, classfile.TagField, classfile.TagMethod, classfile.TagInterface)
	if !ok {
		return n, false
	}
	class, ok := p.Class(uint16(v))
	if !ok {
		return n, false
	}
	n, ok = p.nameAndType(uint16(v >> 16))
	n.Class = class
	return n, ok
}

func (p *pool) Dynamic(i uint16) (n bytecode.Name, ok bool) {
	v, ok := p.slotWord(i, classfile.TagInvoke)
	if !ok {
		return n, false
	}
	return p.nameAndType(uint16(v >> 16))
}

func (p *pool) nameAndType(i uint16) (n bytecode.Name, ok bool) {
	v, ok := p.slotWord(i, classfile.TagNameType)
	if !ok {
		return n, false
	}
	name, ok1 := p.symbolAt(uint16(v))
	descriptor, ok2 := p.symbolAt(uint16(v >> 16))
	return bytecode.Name{Name: name, Descriptor: descriptor}, ok1 && ok2
}

func (p *pool) Value(i uint16) (text string, ok bool) {
	if _, ok := p.slotWord(i, classfile.TagString); ok {
		text, ok = p.symbolAt(i)
		return bytecode.ConstantText(text), ok
	}
	v, ok := p.slotWord(i, classfile.TagInteger, classfile.TagLong, classfile.TagFloat, classfile.TagDouble)
	if !ok {
		return "", false
	}
	return classfile.NumberText(p.tags[i], v)
}

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
