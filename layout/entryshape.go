package layout

// TagProducer is the first tag that a producer of [DomainCustom] can define; the last is 255. Entries with such
// tags are wide, and an EntryShape declares their cells. Copies and merges keep them without interpreting them.
const TagProducer Tag = 192

// An EntryShape declares the entries with one of a producer's tags. The archive stores it, so that any tool can
// print, compare and merge such entries.
//
// An entry has the cells in Cells, followed by rows that each have the cells in Rows. A merge joins entries of the
// same profile point, tag and sub if all their key cells are equal. It then joins rows with equal keys, or rows with
// equal index if rows have no key. Recording joins rows with equal keys too. A row of zeros is free, and the
// producer can fill it later.
type EntryShape struct {
	Tag  Tag
	Name string    // unique in the archive; a capital letter, then up to 31 letters, digits, '-' and '_'
	Unit CountUnit // unit of the CellCount cells
	// Cells are the cells outside the rows, at most 32. Each name is unique and has a small letter, then up to 31
	// small letters, digits, '-' and '_'.
	Cells []CellShape
	Rows  []CellShape // cells of one row, at most 8, named like Cells; nil if there are no rows
}

// A CellShape declares a cell.
type CellShape struct {
	Name string
	Kind CellKind
	Bits []string // names of the bits of a CellBits, lowest bit first, at most 64; "" for an unnamed bit
}

// A CellKind is the meaning of an 8-byte cell. It determines how a merge combines two cells. 0 is invalid.
type CellKind uint8

// The kinds of cells that a producer can declare.
const (
	CellCount  CellKind = 1 // u64 count; a merge adds, and saturates at the maximum
	CellMax    CellKind = 2 // u64; a merge keeps the maximum
	CellBits   CellKind = 3 // set of bits; a merge keeps the union
	CellFirst  CellKind = 4 // u64, 0 if unset; a merge keeps the first one that is set
	CellValue  CellKind = 5 // u64 key
	CellType   CellKind = 6 // pointer to a type, 0 if null; a key
	CellMethod CellKind = 7 // pointer to a method, 0 if null; a key
	CellMin    CellKind = 8 // u64, 0 if unset; a merge keeps the minimum of those set
	CellLast   CellKind = 9 // u64, 0 if unset; a merge keeps the last one that is set
)

var cellKindNames = [...]string{CellCount: "count", CellMax: "max", CellBits: "bits", CellFirst: "first",
	CellValue: "value", CellType: "type", CellMethod: "method", CellMin: "min", CellLast: "last"}

// String returns the name of the kind in the text form of archives.
func (k CellKind) String() string {
	if int(k) < len(cellKindNames) && k > 0 {
		return cellKindNames[k]
	}
	return "internal"
}
