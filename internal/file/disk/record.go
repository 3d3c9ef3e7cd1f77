package disk

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"math/bits"
	"math/rand/v2"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/layout"
)

// Sizes and limits of records. A [layout.Ref] can reach no more of them.
const (
	TypeSize    = 24
	ContextSize = 16
	MaxTypes    = MaxFileSize / TypeSize
	MaxContexts = MaxFileSize / ContextSize
	MaxDepth    = 1<<16 - 1 // frames of a context
)

// A TypeRecord is a type, 24 bytes:
//
//	 0 u64 id      TypeID of name and loader
//	 8 u32 name    symbol
//	12 u32 loader  symbol, 0 for the boot loader or if unknown
//	16 u32 alias   symbol of the producer's spelling of the name, 0 if equal
//	20 u32 flags   TypeFlags
//
// Types are sorted by name, then loader. The ordinal of a type is its index in the section.
type TypeRecord struct {
	ID                  uint64
	Name, Loader, Alias layout.Ref
	Flags               layout.TypeFlags
}

func (t TypeRecord) Append(b []byte) []byte {
	b = le.AppendUint64(b, t.ID)
	b = le.AppendUint32(b, uint32(t.Name))
	b = le.AppendUint32(b, uint32(t.Loader))
	b = le.AppendUint32(b, uint32(t.Alias))
	return le.AppendUint32(b, uint32(t.Flags))
}

// ParseType decodes the record at the front of b, of at least [TypeSize] bytes.
func ParseType(b []byte) TypeRecord {
	_ = b[TypeSize-1]
	return TypeRecord{le.Uint64(b), layout.Ref(le.Uint32(b[8:])), layout.Ref(le.Uint32(b[12:])),
		layout.Ref(le.Uint32(b[16:])), layout.TypeFlags(le.Uint32(b[20:]))}
}

// Flags for the optional fields of a method record, and the end of all flags.
const (
	MethodDeclared  layout.MethodFlags = 1 << 0 // record has Holder and Signature
	MethodProfiled  layout.MethodFlags = 1 << 1 // record has Profiles and Access
	MethodInContext layout.MethodFlags = 1 << 2 // record has Contexts and NumContexts
	MethodNamed     layout.MethodFlags = 1 << 6 // the name is the whole key and is part of the record
	// record has the id; otherwise the first MethodData without a context has it
	MethodHasID    layout.MethodFlags = 1 << 7
	methodFlagsEnd layout.MethodFlags = 1 << 8
)

// Access flags of a method, as in a class file.
const (
	AccStatic       = 0x0008
	AccFinal        = 0x0010
	AccSynchronized = 0x0020
	AccNative       = 0x0100
)

// A MethodRecord is a method:
//
//	0 u32 name    symbol
//	4 u16 units   record size in units of 8 bytes
//	6 u16 flags   MethodFlags; each of these adds a field, in this order:
//	  HasID:      u64 id (Key.ID)
//	  Declared:   u32 holder (type record, 0 for none), u32 signature (symbol, 0 for none)
//	  Profiled:   u32 profiles (first MethodData without a context, 0 for none), u32 access flags
//	  InContext:  u32 contexts (first of the method's context nodes), u32 number of nodes
//
// A record with the flag Named has none of the last three and contains the name itself:
//
//	0 u32 profiles first MethodData without a context, 0 for none
//	4 u16 units, u16 flags
//	8 HasID: u64 id
//	  the name, zero-padded to a multiple of 8
//
// A record has the id if the method has no MethodData without a context. Otherwise the first of these has it, and the
// index refers to that.
//
// Methods are sorted by class, name, signature and loader.
type MethodRecord struct {
	ID          uint64
	Name        layout.Ref
	Units       uint16
	Flags       layout.MethodFlags
	Holder      layout.Ref
	Signature   layout.Ref
	Profiles    layout.Ref
	Access      uint32
	Contexts    layout.Ref
	NumContexts uint32
}

// MinMethodSize is the size in bytes of a record without optional fields.
const MinMethodSize = 8

// Size returns the size of the record in bytes, without the name of a Named one.
func (m *MethodRecord) Size() int64 { return methodRecordSize(m.Flags) }

// MaxNamed is the maximum length of the name in a Named record, in bytes.
const MaxNamed = (1<<16-1)*Unit - MinMethodSize - 8

// NamedUnits returns the size, in units of 8 bytes, of a Named record with flags f and a name of the given length.
func NamedUnits(f layout.MethodFlags, name int) uint16 {
	return uint16(AlignUp(methodRecordSize(f)+int64(name), Unit) / Unit)
}

// RecordName removes the padding after the name in a Named record. Names contain no NUL byte.
func RecordName(name []byte) []byte { return bytes.TrimRight(name, "\x00") }

// methodRecordSize returns the size of a record in bytes, without the name of a Named one.
func methodRecordSize(f layout.MethodFlags) int64 {
	fields := f & (MethodHasID | MethodDeclared | MethodProfiled | MethodInContext)
	return MinMethodSize + 8*int64(bits.OnesCount16(uint16(fields)))
}

// Append appends the encoded record. The caller appends the name of a Named one.
func (m *MethodRecord) Append(b []byte) []byte {
	if m.Flags&MethodNamed != 0 {
		b = le.AppendUint32(b, uint32(m.Profiles))
	} else {
		b = le.AppendUint32(b, uint32(m.Name))
	}
	b = le.AppendUint16(b, m.Units)
	b = le.AppendUint16(b, uint16(m.Flags))
	if m.Flags&MethodHasID != 0 {
		b = le.AppendUint64(b, m.ID)
	}
	for _, f := range []struct {
		flag layout.MethodFlags
		a, b uint32
	}{{MethodDeclared, uint32(m.Holder), uint32(m.Signature)}, {MethodProfiled, uint32(m.Profiles), m.Access},
		{MethodInContext, uint32(m.Contexts), m.NumContexts}} {
		if m.Flags&f.flag != 0 {
			b = le.AppendUint32(le.AppendUint32(b, f.a), f.b)
		}
	}
	return b
}

// Parse decodes the record at the front of b. The error describes the defect without an offset.
func (m *MethodRecord) Parse(b []byte) error {
	*m = MethodRecord{}
	if len(b) < MinMethodSize {
		return fmt.Errorf("a method record of %d bytes", len(b))
	}
	head := ParseMethodHead(b)
	m.Units, m.Flags = head.Units(), head.Flags()
	if !head.HasValidSize() || int64(len(b)) < m.Size() {
		return fmt.Errorf("a method record of %d units with flags 0x%x", m.Units, uint16(m.Flags))
	}
	if m.Flags&MethodNamed != 0 {
		m.Profiles = head.FirstField()
	} else {
		m.Name = head.FirstField()
	}
	b = b[MinMethodSize:]
	if m.Flags&MethodHasID != 0 {
		m.ID = le.Uint64(b)
		b = b[8:]
	}
	if m.Flags&MethodDeclared != 0 {
		m.Holder, m.Signature, b = layout.Ref(le.Uint32(b)), layout.Ref(le.Uint32(b[4:])), b[8:]
	}
	if m.Flags&MethodProfiled != 0 {
		m.Profiles, m.Access, b = layout.Ref(le.Uint32(b)), le.Uint32(b[4:]), b[8:]
	}
	if m.Flags&MethodInContext != 0 {
		m.Contexts, m.NumContexts = layout.Ref(le.Uint32(b)), le.Uint32(b[4:])
	}
	return nil
}

func CompareDeclared(a, b MethodRecord) int {
	return cmp.Or(cmp.Compare(a.Holder, b.Holder), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Signature, b.Signature))
}

// A MethodHead is the first word of a method record. For most methods a lookup reads nothing else of the record.
type MethodHead uint64

// ParseMethodHead returns the head of the record at the front of b, of at least [MinMethodSize] bytes.
func ParseMethodHead(b []byte) MethodHead { return MethodHead(le.Uint64(b)) }

// FirstField returns the profiles of a Named record, the name of any other.
func (h MethodHead) FirstField() layout.Ref { return layout.Ref(h) }

// Units returns the size of the record in units of 8 bytes.
func (h MethodHead) Units() uint16             { return uint16(h >> 32) }
func (h MethodHead) Flags() layout.MethodFlags { return layout.MethodFlags(h >> 48) }
func (h MethodHead) Size() int64               { return int64(h.Units()) * Unit }

// FieldsSize returns the size of the record in bytes, without the name of a Named one.
func (h MethodHead) FieldsSize() int64 { return methodRecordSize(h.Flags()) }

func (h MethodHead) ID(b []byte) (id uint64, ok bool) {
	if h.Flags()&MethodHasID == 0 {
		return 0, false
	}
	return le.Uint64(b[MinMethodSize:]), true
}

// Profiles returns the first MethodData without a context in b, the record with head h; 0 for none.
func (h MethodHead) Profiles(b []byte) layout.Ref {
	flags := h.Flags()
	switch {
	case flags&MethodNamed != 0:
		return h.FirstField()
	case flags&MethodProfiled == 0:
		return 0
	}
	return layout.Ref(le.Uint32(b[methodRecordSize(flags&(MethodHasID|MethodDeclared)):]))
}

func (h MethodHead) Contexts(b []byte) (first layout.Ref, n uint32) {
	if h.Flags()&(MethodNamed|MethodInContext) != MethodInContext {
		return 0, 0
	}
	at := methodRecordSize(h.Flags() &^ MethodInContext)
	return layout.Ref(le.Uint32(b[at:])), le.Uint32(b[at+4:])
}

func (h MethodHead) HasValidSize() bool {
	flags := h.Flags()
	size := h.Size()
	if flags&MethodNamed != 0 {
		return flags < methodFlagsEnd && size >= methodRecordSize(flags) &&
			flags&(MethodDeclared|MethodProfiled|MethodInContext) == 0
	}
	return flags < methodFlagsEnd && size == methodRecordSize(flags)
}

// A ContextRecord is a node of a method's calling contexts, 16 bytes:
//
//	 0 u32 parent   context with one frame fewer; at depth 1 the method itself
//	 4 u32 caller   method of the frame that this node adds
//	 8 i32 point    profile point in the caller
//	12 u32 profiles first MethodData in this context, 0 for none
//
// The first frame is the direct caller, and the trie grows outward. The nodes of a method are contiguous and sorted
// by depth, parent, caller and point, so a parent precedes its children. Since methods precede contexts in the file,
// this is the order of [ContextRecord.Compare].
type ContextRecord struct {
	Parent   layout.Ref
	Caller   layout.Ref
	Point    int32
	Profiles layout.Ref
}

func (c ContextRecord) Append(b []byte) []byte {
	for _, v := range [...]uint32{uint32(c.Parent), uint32(c.Caller), uint32(c.Point), uint32(c.Profiles)} {
		b = le.AppendUint32(b, v)
	}
	return b
}

// ParseContext decodes the record at the front of b, of at least [ContextSize] bytes.
func ParseContext(b []byte) ContextRecord {
	_ = b[ContextSize-1]
	return ContextRecord{layout.Ref(le.Uint32(b)), layout.Ref(le.Uint32(b[4:])), int32(le.Uint32(b[8:])),
		layout.Ref(le.Uint32(b[12:]))}
}

// Compare orders the nodes of a method by parent, caller and point.
func (c ContextRecord) Compare(d ContextRecord) int {
	if c, d := c.parentAndCaller(), d.parentAndCaller(); c != d {
		return cmp.Compare(c, d)
	}
	return cmp.Compare(c.Point, d.Point)
}

// ContextCallers returns the sort key of parent and caller, given the first eight bytes of a record.
func ContextCallers(word uint64) uint64 { return bits.RotateLeft64(word, 32) }

func (c ContextRecord) parentAndCaller() uint64 { return uint64(c.Parent)<<32 | uint64(c.Caller) }

// Methods that a run saw but never executed can be numerous, nine of ten in a profile of GraalVM. If only the key of
// such a method is known, it has no record and no index slot. It has a row of 8 bytes in a separate section, where a
// binary search finds it. The section is empty, or
//
//	0 u32 classes
//	4 u32 zero
//	8 classes x 8 bytes, ClassRow, in the order of their types
//	  rows x 8 bytes, UnexecutedRow, grouped by class
//
// The rows of a class are sorted by name and signature.
const (
	UnexecutedHeaderSize = 8
	ClassRowSize         = 8
	UnexecutedRowSize    = 8
)

// A ClassRow is a class with methods that never ran. Its name is not empty and unique among types. It has no loader.
type ClassRow struct {
	Holder layout.Ref // type record
	End    uint32     // number of rows up to the end of this class
}

func (c ClassRow) Append(b []byte) []byte {
	return le.AppendUint32(le.AppendUint32(b, uint32(c.Holder)), c.End)
}

// ParseClassRow decodes the row at the front of b, of at least [ClassRowSize] bytes.
func ParseClassRow(b []byte) ClassRow { return ClassRow{layout.Ref(le.Uint32(b)), le.Uint32(b[4:])} }

// An UnexecutedRow is a method that a run saw but never executed.
type UnexecutedRow struct {
	Name      layout.Ref // symbol
	Signature layout.Ref // signature symbol, 0 for none
}

func (r UnexecutedRow) Append(b []byte) []byte {
	return le.AppendUint32(le.AppendUint32(b, uint32(r.Name)), uint32(r.Signature))
}

func (r UnexecutedRow) Head() MethodHead {
	return MethodHead(r.Name) | MethodHead(MethodDeclared|MethodUnexecuted)<<48
}

// ParseUnexecutedRow decodes the row at the front of b, of at least [UnexecutedRowSize] bytes.
func ParseUnexecutedRow(b []byte) UnexecutedRow {
	return UnexecutedRow{layout.Ref(le.Uint32(b)), layout.Ref(le.Uint32(b[4:]))}
}

// UnexecutedSize returns the size of the section in bytes.
func UnexecutedSize(classes, rows int) int64 {
	if rows == 0 {
		return 0
	}
	return UnexecutedHeaderSize + int64(classes)*ClassRowSize + int64(rows)*UnexecutedRowSize
}

func AppendUnexecutedHeader(b []byte, classes int) []byte {
	return le.AppendUint64(b, uint64(uint32(classes)))
}

// ParseUnexecuted returns the spans of classes and rows in the section, whose first [UnexecutedHeaderSize] bytes are
// head. The error describes the defect without an offset.
func ParseUnexecuted(section layout.Span, head []byte) (classes, rows layout.Span, err error) {
	n := int64(le.Uint32(head))
	if left := section.Size - UnexecutedHeaderSize; left < 0 || n > left/ClassRowSize {
		return layout.Span{}, layout.Span{}, fmt.Errorf("%d classes in a section of %d bytes", n, section.Size)
	}
	classes = layout.Span{Offset: section.Offset + UnexecutedHeaderSize, Size: n * ClassRowSize}
	return classes, layout.Span{Offset: classes.End(), Size: section.End() - classes.End()}, nil
}

// Fingerprint identifies a program by the full name of the VM build and the content of the class path; paths are
// ignored. It is zero, unknown, if the VM, the class path or the content of an entry is unknown.
func Fingerprint(vm string, classPath []layout.ClassPathEntry) (f [16]byte) {
	if vm == "" || classPath == nil {
		return f
	}
	for f = range Fingerprints(vm, classPath) {
	}
	return f
}

// Fingerprints iterates over the fingerprints of a program with each prefix of its class path, from no entry to all.
// From the first entry with unknown content on it yields zeros.
func Fingerprints(vm string, classPath []layout.ClassPathEntry) iter.Seq[[16]byte] {
	return func(yield func([16]byte) bool) {
		f := hash128([]byte(vm))
		if !yield(f) {
			return
		}
		for _, e := range classPath {
			if e.Kind == ContentUnknown || f == [16]byte{} {
				f = [16]byte{}
			} else {
				f = hash128(appendContent(f[:], e.Content))
			}
			if !yield(f) {
				return
			}
		}
	}
}

func appendContent(b []byte, c layout.Content) []byte {
	for _, word := range []uint64{uint64(c.Kind), c.Size, c.Sum} {
		b = le.AppendUint64(b, word)
	}
	return b
}

func hash128(b []byte) [16]byte {
	return joinID(xxhash.Sum64(append(b[:len(b):len(b)], 0)), xxhash.Sum64(append(b[:len(b):len(b)], 1)))
}

// DumpID returns the identity of a dump of process p. since is the earlier dump whose counts were subtracted, or zero.
func DumpID(p layout.Process, since [16]byte, at time.Time) [16]byte {
	b := append(p.Boot[:], since[:]...)
	for _, word := range []uint64{p.Namespace, p.PID, p.Start, uint64(at.UnixNano())} {
		b = le.AppendUint64(b, word)
	}
	return hash128(b)
}

// ContentID returns the identity of a dump that is known only by its content.
func ContentID(content []byte) [16]byte { return hash128(content) }

// RandomDumpID returns a random identity for a dump of unknown origin. It must be unique but not secret. It uses
// math/rand/v2, since the buffer of crypto/rand adds 32 MiB to the memory of each program.
func RandomDumpID() [16]byte { return joinID(rand.Uint64(), rand.Uint64()) }
