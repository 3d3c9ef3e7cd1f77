package layout

// A Narrow is a place in the file: its offset in units of 8 bytes. 0 is none:
// no record lies at the start of the file.
type Narrow uint32

// NarrowOf is the Narrow of an offset, which must be a multiple of 8 below
// [MaxFileSize].
func NarrowOf(offset int64) Narrow { return Narrow(offset / Unit) }

// Offset is the place in bytes from the start of the file.
func (n Narrow) Offset() int64 { return int64(n) * Unit }

// The low bits of a type word (a cell of CallType, VirtualCallType and
// ParametersType entries) are HotSpot's.
const (
	TypeNullSeen = 1 << 0 // null was seen
	TypeUnknown  = 1 << 1 // types collided: nothing is known any more
	TypeTags     = TypeNullSeen | TypeUnknown
)

// A pointer cell holds base plus the offset of a type or method record; the
// records are aligned to 8, so the low bits are free for tags.

// Pointer is the cell value for the record at offset in an archive at base.
func Pointer(base uint64, offset int64) uint64 { return base + uint64(offset) }

// PointerOffset is the offset that cell value v points to in an archive at
// base; ok is false if it points outside [0, size). Tags are not removed.
func PointerOffset(v, base uint64, size int64) (offset int64, ok bool) {
	d := v - base
	return int64(d), d < uint64(size)
}

// The window of requested bases. On linux/amd64 it lies above the highest base
// of Go's heap (2^46) and below the loader's area; slots are as far apart as
// the largest archive is long, twice, so that several archives fit at once.
const (
	baseWindow = 0x5000_0000_0000
	baseStride = 2 * MaxFileSize
	baseSlots  = 256
)

// RequestedBase is the base for an archive whose fingerprint and keys hash to h.
func RequestedBase(h uint64) uint64 { return baseWindow + (h%baseSlots)*baseStride }
