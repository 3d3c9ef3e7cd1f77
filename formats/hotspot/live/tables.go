package live

import (
	"fmt"
	"strings"
)

// The tables that a HotSpot VM exports of itself, for debuggers: what structures
// it has, how large they are, where their fields lie, and the values of some
// constants. The strides and places of the tables' own columns are exported too.

// A field is a row of gHotSpotVMStructs.
type field struct {
	static bool
	offset uint64 // in its structure
	addr   uint64 // of a static field
}

// The tables of one VM. What is asked of them is checked here, once: a field
// lies within its structure, and every structure has a size that one may have.
// Whoever reads a structure of that size may take its fields out of it.
type tables struct {
	fields    map[string]field  // by "Type::name"
	sizes     map[string]uint64 // of types, in bytes
	constants map[string]int64
	twice     map[string]bool // names with rows that contradict each other
	missing   []string        // what was asked for and is not there
	unsound   []string        // what was asked for and cannot be so
}

const (
	maxRows     = 1 << 13
	maxNameSize = 1 << 10
	maxStride   = 1 << 10 // bytes from row to row
	// maxStructure bounds the size of a structure without what follows it: the
	// largest of a VM has some hundred bytes.
	maxStructure = 1 << 14
)

// readTables reads the tables of the VM in a library.
func readTables(l *library) (*tables, error) {
	t := &tables{fields: map[string]field{}, sizes: map[string]uint64{}, constants: map[string]int64{}, twice: map[string]bool{}}
	for _, read := range []func(*library) error{t.readStructs, t.readTypes, t.readInts, t.readLongs} {
		if err := read(l); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func (t *tables) readStructs(l *library) error {
	columns := []string{"TypeName", "FieldName", "IsStatic", "Offset", "Address"}
	return rows(l, "gHotSpotVMStructs", "gHotSpotVMStructEntry", columns, func(r *row) {
		name := r.text(0) + "::" + r.text(1)
		enter(t, t.fields, name, field{r.int32(2) != 0, r.word(3), r.word(4)})
	})
}

func (t *tables) readTypes(l *library) error {
	return rows(l, "gHotSpotVMTypes", "gHotSpotVMTypeEntry", []string{"TypeName", "Size"}, func(r *row) {
		enter(t, t.sizes, r.text(0), r.word(1))
	})
}

func (t *tables) readInts(l *library) error {
	return rows(l, "gHotSpotVMIntConstants", "gHotSpotVMIntConstantEntry", []string{"Name", "Value"}, func(r *row) {
		enter(t, t.constants, r.text(0), int64(r.int32(1)))
	})
}

func (t *tables) readLongs(l *library) error {
	return rows(l, "gHotSpotVMLongConstants", "gHotSpotVMLongConstantEntry", []string{"Name", "Value"}, func(r *row) {
		enter(t, t.constants, r.text(0), int64(r.word(1)))
	})
}

// enter enters a row. A VM may have the same row twice.
func enter[V comparable](t *tables, into map[string]V, name string, v V) {
	if had, ok := into[name]; ok && had != v {
		t.twice[name] = true
	}
	into[name] = v
}

// A row is a row of one of the tables. It keeps its first error.
type row struct {
	mem     source
	at      uint64
	columns []uint64 // offsets
	err     error
}

// rows goes through the rows of a table, whose first column is a name, and null
// after the last row.
func rows(l *library, table, entry string, columns []string, yield func(r *row)) error {
	places := make([]uint64, 0, len(columns)+2)
	for _, name := range append([]string{table, entry + "ArrayStride"}, columnNames(entry, columns)...) {
		addr, ok := l.symbol(name)
		if !ok {
			return fmt.Errorf("%w (no %s)", ErrNoTables, name)
		}
		v, err := word(l.mem, addr)
		if err != nil {
			return err
		}
		places = append(places, v)
	}
	r, stride := &row{mem: l.mem, at: places[0], columns: places[2:]}, places[1]
	for _, at := range r.columns {
		if stride > maxStride || at > stride-min(stride, 4) {
			return fmt.Errorf("%w: %s has rows of %d bytes with a column at %d", ErrStructure, table, stride, at)
		}
	}
	for range maxRows {
		if r.word(0) == 0 || r.err != nil {
			return r.err
		}
		yield(r)
		r.at += stride
	}
	return fmt.Errorf("%w: %s has more than %d rows", ErrStructure, table, maxRows)
}

func columnNames(entry string, columns []string) (names []string) {
	for _, c := range columns {
		names = append(names, entry+c+"Offset")
	}
	return names
}

func (r *row) word(column int) uint64 {
	v, err := word(r.mem, r.at+r.columns[column])
	r.keep(err)
	return v
}

func (r *row) int32(column int) int32 {
	v, err := int32At(r.mem, r.at+r.columns[column])
	r.keep(err)
	return v
}

// text gives the text that a column points to, empty for null.
func (r *row) text(column int) string {
	at := r.word(column)
	if at == 0 {
		return ""
	}
	s, err := text(r.mem, at, maxNameSize)
	r.keep(err)
	return s
}

func (r *row) keep(err error) {
	if r.err == nil {
		r.err = err
	}
}

// offset is where a field of width bytes lies in its structure.
func (t *tables) offset(name string, width int) uint64 {
	f, ok := t.fields[name]
	if !ok || f.static {
		t.missing = append(t.missing, name)
		return 0
	}
	structure, _, _ := strings.Cut(name, "::")
	t.within(structure, name, f.offset, width)
	return f.offset
}

// within checks that a field lies in its structure, as a compiler places it.
func (t *tables) within(structure, name string, at uint64, width int) {
	size := uint64(t.size(structure))
	switch {
	case t.twice[name]:
		t.refuse("two rows of %s contradict each other", name)
	case size > 0 && (at > size || size-at < uint64(width) || at%uint64(width) != 0):
		t.refuse("%s lies at %d in a structure of %d bytes", name, int64(at), size)
	}
}

// optional is where a field lies that not every VM exports; 0 if it does not.
func (t *tables) optional(name string, width int) uint64 {
	structure, _, _ := strings.Cut(name, "::")
	if f, ok := t.fields[name]; !ok || f.static || t.optionalSize(structure) == 0 {
		return 0
	}
	return t.offset(name, width)
}

// optionalSize is the size of a structure that not every VM has; 0 if it does not.
func (t *tables) optionalSize(name string) uint64 {
	if _, ok := t.sizes[name]; !ok {
		return 0
	}
	return uint64(t.size(name))
}

// static is where a static field lies.
func (t *tables) static(name string) uint64 {
	f, ok := t.fields[name]
	if !ok || !f.static {
		t.missing = append(t.missing, name)
	}
	if t.twice[name] {
		t.refuse("two rows of %s contradict each other", name)
	}
	return f.addr
}

// size is the size of a structure, without what follows it in an object that has
// a variable size.
func (t *tables) size(name string) int {
	n, ok := t.sizes[name]
	switch {
	case !ok:
		t.missing = append(t.missing, "sizeof "+name)
		return 0
	case n == 0 || n > maxStructure || n%4 != 0 || t.twice[name]:
		t.refuse("a %s has %d bytes", name, n)
		return 0
	}
	return int(n)
}

// constant is a constant from 1 to most, or value if the VM does not export it.
func (t *tables) constant(name string, value, most int64) int64 {
	n, ok := t.constants[name]
	switch {
	case !ok:
		return value
	case n < 1 || n > most || t.twice[name]:
		t.refuse("%s is %d", name, n)
	}
	return n
}

// refuse notes what cannot be.
func (t *tables) refuse(format string, args ...any) {
	t.unsound = append(t.unsound, fmt.Sprintf(format, args...))
}

// check is the error of a VM that lacks something that was asked for, or whose
// tables cannot be right.
func (t *tables) check() error {
	switch {
	case len(t.missing) > 0:
		return fmt.Errorf("%w (no %s)", ErrNoTables, strings.Join(t.missing, ", "))
	case len(t.unsound) > 0:
		return fmt.Errorf("%w (%s)", ErrStructure, t.unsound[0])
	}
	return nil
}
