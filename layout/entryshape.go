package layout

// What a producer of [DomainCustom] defines for itself. This format keeps it through
// copies, merges, reductions and texts, and gives it no meaning.
const (
	// TagProducer is the first tag, up to 255, whose entries a producer defines. Their
	// entries are wide, and an EntryShape says what their cells are.
	TagProducer Tag = 192
)

// An EntryShape declares the entries of one of a producer's tags. The archive has it, so
// that tools can print, sum, compare and merge entries that they have never heard of.
//
// An entry of the shape has the cells of Cells, then rows, each with the cells of Rows. A merge unites the
// entries of one profile point, tag and sub that are equal in all cells of Cells that are keys. Of these it
// unites the rows that are equal in their keys; if no cell of a row is a key, it unites rows of the same
// place. A row of zeros is free: room for the producer to record one more. Rows with the same keys become one
// when they are recorded.
type EntryShape struct {
	Tag  Tag
	Name string    // unique in the archive: 1 to 32 letters, digits, '-' and '_', a capital letter first
	Unit CountUnit // of the cells that are counts
	// Cells are the cells that stand once, at most 32. Their names are unique: 1 to 32
	// small letters, digits, '-' and '_', a letter first.
	Cells []CellShape
	Rows  []CellShape // the cells of a row, at most 8, named in the same way; none if there are no rows
}

// A CellShape declares a cell.
type CellShape struct {
	Name string
	Kind CellKind
	// Bits are names for the bits of a CellBits, from the lowest on, at most 64; empty where a bit has none.
	Bits []string
}

// A CellKind says what a cell of 8 bytes holds, and how a merge unites two of them.
type CellKind uint8

// The kinds of cells that a producer can declare.
const (
	CellCount  CellKind = 1 // a count, a u64: the sum, which saturates
	CellMax    CellKind = 2 // a u64: the higher one
	CellBits   CellKind = 3 // bits, each says that something was seen: a merge keeps the bits of both
	CellFirst  CellKind = 4 // a u64, 0 if not set: a merge keeps the first archive's, so that the order matters
	CellValue  CellKind = 5 // a u64 that is a key
	CellType   CellKind = 6 // a pointer to a type, 0 for none; a key
	CellMethod CellKind = 7 // a pointer to a method, 0 for none; a key
	CellMin    CellKind = 8 // a u64, 0 if not set: the lowest that is set
	CellLast   CellKind = 9 // a u64, 0 if not set: a merge keeps the last archive's, so that the order matters
)

var cellKindNames = [...]string{CellCount: "count", CellMax: "max", CellBits: "bits", CellFirst: "first",
	CellValue: "value", CellType: "type", CellMethod: "method", CellMin: "min", CellLast: "last"}

// String returns the name of the kind, as the text of an archive spells it.
func (k CellKind) String() string {
	if int(k) < len(cellKindNames) && k > 0 {
		return cellKindNames[k]
	}
	return "internal"
}
