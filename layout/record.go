package layout

import (
	"bytes"
	"cmp"
	"fmt"
	"math/bits"
)

// Limits of the record sections. They follow from what a [Narrow] reaches.
const (
	TypeSize    = 24
	ContextSize = 16
	MaxTypes    = MaxFileSize / TypeSize
	MaxContexts = MaxFileSize / ContextSize
	MaxDepth    = 1<<16 - 1 // frames of a context
)

// TypeFlags qualify a type.
type TypeFlags uint32

// The flags of a type.
const (
	TypeHidden       TypeFlags = 1 << 0 // a hidden class: its name is made up by the VM
	TypeNotMatchable TypeFlags = 1 << 1 // the name does not identify the type in another run
)

// A TypeRecord is one type, 24 bytes:
//
//	 0 u64 id      TypeID of name and loader
//	 8 u32 name    symbol
//	12 u32 loader  symbol, 0 for the boot loader or if not known
//	16 u32 alias   symbol: the name as the producer spelled it, 0 if it is the name
//	20 u32 flags   TypeFlags
//
// Types are sorted by name, then loader. The ordinal of a type is its place in
// the section.
type TypeRecord struct {
	ID                  uint64
	Name, Loader, Alias Narrow
	Flags               TypeFlags
}

// Append appends the encoded record.
func (t TypeRecord) Append(b []byte) []byte {
	b = le.AppendUint64(b, t.ID)
	b = le.AppendUint32(b, uint32(t.Name))
	b = le.AppendUint32(b, uint32(t.Loader))
	b = le.AppendUint32(b, uint32(t.Alias))
	return le.AppendUint32(b, uint32(t.Flags))
}

// ParseType decodes the record at the front of b, of [TypeSize] bytes at least.
func ParseType(b []byte) TypeRecord {
	_ = b[TypeSize-1]
	return TypeRecord{le.Uint64(b), Narrow(le.Uint32(b[8:])), Narrow(le.Uint32(b[12:])),
		Narrow(le.Uint32(b[16:])), TypeFlags(le.Uint32(b[20:]))}
}

// MethodFlags qualify a method and say which optional fields its record has.
type MethodFlags uint16

// The flags of a method.
const (
	MethodDeclared     MethodFlags = 1 << 0 // has Holder and Signature
	MethodProfiled     MethodFlags = 1 << 1 // has Profiles and Access
	MethodInContext    MethodFlags = 1 << 2 // has Contexts and NumContexts
	MethodNeverRan     MethodFlags = 1 << 3 // was seen and never ran
	MethodNotMatchable MethodFlags = 1 << 4 // the key does not identify the method in another run
	MethodSharedID     MethodFlags = 1 << 5 // another key of the archive has the same id
	MethodNamed        MethodFlags = 1 << 6 // the name is the whole key, and lies in the record
	methodFlagsEnd     MethodFlags = 1 << 7
)

// Access flags of a method, as in a class file.
const (
	AccStatic       = 0x0008
	AccFinal        = 0x0010
	AccSynchronized = 0x0020
	AccNative       = 0x0100
)

// A MethodRecord is one method:
//
//	 0 u64 id      Key.ID
//	 8 u32 name    symbol
//	12 u16 units   size of the record, in units of 8 bytes
//	14 u16 flags   MethodFlags, then for each of the first three that is set:
//	   Declared:   u32 holder (type record, 0 for none), u32 signature (symbol, 0 for none)
//	   Profiled:   u32 profiles (first MethodData without a context, 0 for none), u32 access flags
//	   InContext:  u32 contexts (first of the method's context nodes), u32 their number
//
// A record with the flag Named has none of the three, and holds the name itself:
//
//	 0 u64 id      Key.ID
//	 8 u32 profiles first MethodData without a context, 0 for none
//	12 u16 units, u16 flags
//	16 the name, zeros up to a multiple of 8
//
// Methods are sorted by class, name, signature and loader.
type MethodRecord struct {
	ID          uint64
	Name        Narrow
	Units       uint16
	Flags       MethodFlags
	Holder      Narrow
	Signature   Narrow
	Profiles    Narrow
	Access      uint32
	Contexts    Narrow
	NumContexts uint32
}

// MinMethodSize is the size in bytes of a record without optional fields.
const MinMethodSize = 16

// Size is the size in bytes of the record without the name that a Named one
// holds.
func (m *MethodRecord) Size() int64 { return m.Flags.recordSize() }

// MaxNamed is the most bytes that the name in a Named record may have.
const MaxNamed = (1<<16-1)*Unit - MinMethodSize

// NamedUnits is the size, in units of 8 bytes, of a Named record whose name has
// so many bytes.
func NamedUnits(name int) uint16 { return uint16(AlignUp(int64(MinMethodSize+name), Unit) / Unit) }

// RecordName cuts the zeros off the name in a Named record: names hold no NUL
// byte.
func RecordName(name []byte) []byte { return bytes.TrimRight(name, "\x00") }

func (f MethodFlags) recordSize() int64 {
	fields := f & (MethodDeclared | MethodProfiled | MethodInContext)
	return MinMethodSize + 8*int64(bits.OnesCount16(uint16(fields)))
}

// Append appends the encoded record; the name that a Named one holds is to be
// appended by the caller.
func (m *MethodRecord) Append(b []byte) []byte {
	b = le.AppendUint64(b, m.ID)
	if m.Flags&MethodNamed != 0 {
		b = le.AppendUint32(b, uint32(m.Profiles))
	} else {
		b = le.AppendUint32(b, uint32(m.Name))
	}
	b = le.AppendUint16(b, m.Units)
	b = le.AppendUint16(b, uint16(m.Flags))
	for _, f := range []struct {
		flag MethodFlags
		a, b uint32
	}{
		{MethodDeclared, uint32(m.Holder), uint32(m.Signature)},
		{MethodProfiled, uint32(m.Profiles), m.Access},
		{MethodInContext, uint32(m.Contexts), m.NumContexts},
	} {
		if m.Flags&f.flag != 0 {
			b = le.AppendUint32(le.AppendUint32(b, f.a), f.b)
		}
	}
	return b
}

// Parse decodes the record at the front of b. The error says what is wrong with
// it, without a place.
func (m *MethodRecord) Parse(b []byte) error {
	*m = MethodRecord{}
	if len(b) < MinMethodSize {
		return fmt.Errorf("a method record of %d bytes", len(b))
	}
	id, head := ParseMethodHead(b)
	m.ID, m.Units, m.Flags = id, head.Units(), head.Flags()
	if !head.Fits() || int64(len(b)) < m.Size() {
		return fmt.Errorf("a method record of %d units with flags 0x%x", m.Units, uint16(m.Flags))
	}
	if m.Flags&MethodNamed != 0 {
		m.Profiles = head.First()
	} else {
		m.Name = head.First()
	}
	b = b[MinMethodSize:]
	if m.Flags&MethodDeclared != 0 {
		m.Holder, m.Signature, b = Narrow(le.Uint32(b)), Narrow(le.Uint32(b[4:])), b[8:]
	}
	if m.Flags&MethodProfiled != 0 {
		m.Profiles, m.Access, b = Narrow(le.Uint32(b)), le.Uint32(b[4:]), b[8:]
	}
	if m.Flags&MethodInContext != 0 {
		m.Contexts, m.NumContexts = Narrow(le.Uint32(b)), le.Uint32(b[4:])
	}
	return nil
}

// A MethodHead is the second word of a method's record, in which a look-up finds
// all that it needs of most methods.
type MethodHead uint64

// ParseMethodHead gives the id and the head of the record at the front of b, of
// [MinMethodSize] bytes at least.
func ParseMethodHead(b []byte) (id uint64, h MethodHead) {
	_ = b[MinMethodSize-1]
	return le.Uint64(b), MethodHead(le.Uint64(b[8:]))
}

// First is the profiles of a Named record, and the name of any other.
func (h MethodHead) First() Narrow { return Narrow(h) }

// Units is the size of the record, in units of 8 bytes.
func (h MethodHead) Units() uint16 { return uint16(h >> 32) }

// Flags are the method's flags.
func (h MethodHead) Flags() MethodFlags { return MethodFlags(h >> 48) }

// Size is the size of the record in bytes, the name in a Named one included.
func (h MethodHead) Size() int64 { return int64(h.Units()) * Unit }

// Profiles is the first MethodData without a context, 0 for none, of the record
// at the front of b, whose head h is.
func (h MethodHead) Profiles(b []byte) Narrow {
	switch flags := h.Flags(); {
	case flags&MethodNamed != 0:
		return h.First()
	case flags&MethodProfiled == 0:
		return 0
	case flags&MethodDeclared != 0:
		return Narrow(le.Uint32(b[MinMethodSize+8:]))
	}
	return Narrow(le.Uint32(b[MinMethodSize:]))
}

// Fits reports whether the flags are known, and the size is that of a record
// with these flags.
func (h MethodHead) Fits() bool {
	flags, size := h.Flags(), h.Size()
	if flags&MethodNamed != 0 {
		return flags < methodFlagsEnd && size >= MinMethodSize && flags&(MethodDeclared|MethodProfiled|MethodInContext) == 0
	}
	return flags < methodFlagsEnd && size == flags.recordSize()
}

// A ContextRecord is one node of a method's calling contexts, 16 bytes:
//
//	 0 u32 parent   context: the node with one frame fewer; at depth 1 the method itself
//	 4 u32 caller   method: the frame that this node adds
//	 8 i32 point    the caller's profile point
//	12 u32 profiles first MethodData in this context, 0 for none
//
// The first frame is the direct caller, the leaf's; the trie grows outward.
// The nodes of a method are contiguous, and sorted by depth, parent, caller and
// point: a parent comes before its children. Since methods lie before contexts,
// that is the order of [ContextRecord.Compare].
type ContextRecord struct {
	Parent   Narrow
	Caller   Narrow
	Point    int32
	Profiles Narrow
}

// Append appends the encoded record.
func (c ContextRecord) Append(b []byte) []byte {
	for _, v := range [...]uint32{uint32(c.Parent), uint32(c.Caller), uint32(c.Point), uint32(c.Profiles)} {
		b = le.AppendUint32(b, v)
	}
	return b
}

// ParseContext decodes the record at the front of b, of [ContextSize] bytes at
// least.
func ParseContext(b []byte) ContextRecord {
	_ = b[ContextSize-1]
	return ContextRecord{Narrow(le.Uint32(b)), Narrow(le.Uint32(b[4:])), int32(le.Uint32(b[8:])), Narrow(le.Uint32(b[12:]))}
}

// Compare orders the nodes of one method, by parent, caller and point.
func (c ContextRecord) Compare(d ContextRecord) int {
	if c, d := c.callers(), d.callers(); c != d {
		return cmp.Compare(c, d)
	}
	return cmp.Compare(c.Point, d.Point)
}

// callers is parent and caller as one number.
func (c ContextRecord) callers() uint64 { return uint64(c.Parent)<<32 | uint64(c.Caller) }
