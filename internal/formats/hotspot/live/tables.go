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
	typ    string
	static bool
	offset uint64 // in its structure
	addr   uint64 // of a static field
}

// The tables of one VM.
type tables struct {
	fields    map[string]field  // by "Type::name"
	sizes     map[string]uint64 // of types, in bytes
	constants map[string]int64
	missing   []string // what was asked for and is not there
}

const (
	maxRows     = 1 << 14
	maxNameSize = 1 << 10
)

// readTables reads the tables of the VM in a library.
func readTables(l *library) (*tables, error) {
	t := &tables{fields: map[string]field{}, sizes: map[string]uint64{}, constants: map[string]int64{}}
	for _, read := range []func(*library) error{t.readStructs, t.readTypes, t.readInts, t.readLongs} {
		if err := read(l); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func (t *tables) readStructs(l *library) error {
	columns := []string{"TypeName", "FieldName", "TypeString", "IsStatic", "Offset", "Address"}
	return rows(l, "gHotSpotVMStructs", "gHotSpotVMStructEntry", columns, func(r *row) {
		name := r.text(0) + "::" + r.text(1)
		t.fields[name] = field{r.text(2), r.int32(3) != 0, r.word(4), r.word(5)}
	})
}

func (t *tables) readTypes(l *library) error {
	return rows(l, "gHotSpotVMTypes", "gHotSpotVMTypeEntry", []string{"TypeName", "Size"}, func(r *row) {
		t.sizes[r.text(0)] = r.word(1)
	})
}

func (t *tables) readInts(l *library) error {
	return rows(l, "gHotSpotVMIntConstants", "gHotSpotVMIntConstantEntry", []string{"Name", "Value"}, func(r *row) {
		t.constants[r.text(0)] = int64(r.int32(1))
	})
}

func (t *tables) readLongs(l *library) error {
	return rows(l, "gHotSpotVMLongConstants", "gHotSpotVMLongConstantEntry", []string{"Name", "Value"}, func(r *row) {
		t.constants[r.text(0)] = int64(r.word(1))
	})
}

// A row is a row of one of the tables. It keeps its first error.
type row struct {
	mem     source
	at      uint64
	columns []uint64 // offsets
	err     error
}

// rows goes through the rows of a table, whose first column is a name and null
// behind the last row.
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
	r := &row{mem: l.mem, at: places[0], columns: places[2:]}
	for range maxRows {
		if r.word(0) == 0 || r.err != nil {
			return r.err
		}
		yield(r)
		r.at += places[1]
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

// offset is where a field lies in its structure.
func (t *tables) offset(name string) uint64 {
	f, ok := t.fields[name]
	if !ok || f.static {
		t.missing = append(t.missing, name)
	}
	return f.offset
}

// static is where a static field lies.
func (t *tables) static(name string) uint64 {
	f, ok := t.fields[name]
	if !ok || !f.static {
		t.missing = append(t.missing, name)
	}
	return f.addr
}

// size is the size of a structure.
func (t *tables) size(name string) int {
	n, ok := t.sizes[name]
	if !ok || n > maxRead {
		t.missing = append(t.missing, "sizeof "+name)
		return 0
	}
	return int(n)
}

// check is the error of a VM that lacks something that was asked for.
func (t *tables) check() error {
	if len(t.missing) == 0 {
		return nil
	}
	return fmt.Errorf("%w (no %s)", ErrNoTables, strings.Join(t.missing, ", "))
}
