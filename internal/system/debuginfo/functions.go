// Package debuginfo reads the build id, the functions and the lines of compiled programs.
package debuginfo

import (
	"bytes"
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"slices"
	"strings"
)

// attrDiscriminator is DW_AT_GNU_discriminator, of the line of an inlined call.
const attrDiscriminator = dwarf.Attr(0x2136)

// maxInlining is the maximum nesting of inlined calls.
const maxInlining = 1000

// A Reader reads functions from debug information in DWARF.
type Reader struct {
	data         *dwarf.Data
	declarations map[dwarf.Offset]declaration
}

// A declaration has the name and the first line of a function.
type declaration struct {
	Name string // linkage name, or the name in the source
	Line int64
}

// A Function is a function with code, or a call that is inlined in one.
type Function struct {
	declaration
	Ranges                  [][2]uint64
	CallLine, Discriminator int64 // line of an inlined call
	Unit                    *Unit

	reader *Reader
	entry  dwarf.Offset // entry of the function, until its calls are read
	calls  []*Function
}

// A Unit is a compilation unit.
type Unit struct {
	reader *Reader
	entry  *dwarf.Entry
	rows   []dwarf.LineEntry // nil until they are needed
}

// NewReader returns a reader of debug information.
func NewReader(data *dwarf.Data) *Reader { return &Reader{data, map[dwarf.Offset]declaration{}} }

// ReadFunctions calls add for each function that has a name and code.
func (r *Reader) ReadFunctions(add func(*Function)) error {
	var unit *Unit
	for entries := r.data.Reader(); ; {
		e, err := entries.Next()
		if e == nil || err != nil {
			return err
		}
		switch e.Tag {
		case dwarf.TagCompileUnit:
			unit = &Unit{reader: r, entry: e}
		case dwarf.TagSubprogram:
			if f := r.newFunction(e, unit); unit != nil && f.Name != "" && len(f.Ranges) > 0 {
				f.entry = e.Offset
				add(f)
			}
			entries.SkipChildren()
		}
	}
}

func (r *Reader) newFunction(e *dwarf.Entry, unit *Unit) *Function {
	f := &Function{reader: r, Unit: unit}
	f.Ranges, _ = r.data.Ranges(e)
	if len(f.Ranges) > 0 {
		f.declaration = r.declarationOf(e)
		f.CallLine, _ = e.Val(dwarf.AttrCallLine).(int64)
		f.Discriminator, _ = e.Val(attrDiscriminator).(int64)
	}
	return f
}

// declarationOf returns the declaration of a function, which can be in the entries that it refers to.
func (r *Reader) declarationOf(e *dwarf.Entry) declaration {
	d, ok := r.declarations[e.Offset]
	if ok {
		return d
	}
	plain := ""
	next := e
	for range 8 { // a cycle must end
		name, _ := next.Val(dwarf.AttrLinkageName).(string)
		d.Name = cmp.Or(d.Name, name)
		name, _ = next.Val(dwarf.AttrName).(string)
		plain = cmp.Or(plain, name)
		line, _ := next.Val(dwarf.AttrDeclLine).(int64)
		d.Line = cmp.Or(d.Line, line)
		if next = r.referenced(next); next == nil {
			break
		}
	}
	d.Name = cmp.Or(d.Name, plain)
	r.declarations[e.Offset] = d
	return d
}

// referenced returns the entry that another one completes, or nil.
func (r *Reader) referenced(e *dwarf.Entry) *dwarf.Entry {
	for _, attr := range []dwarf.Attr{dwarf.AttrAbstractOrigin, dwarf.AttrSpecification} {
		if to, ok := e.Val(attr).(dwarf.Offset); ok {
			entries := r.data.Reader()
			entries.Seek(to)
			next, _ := entries.Next()
			return next
		}
	}
	return nil
}

// Calls returns the calls that are inlined in a function.
func (f *Function) Calls() []*Function {
	if f.entry != 0 {
		entries := f.reader.data.Reader()
		entries.Seek(f.entry)
		f.entry = 0
		if e, err := entries.Next(); err == nil && e != nil && e.Children {
			f.readCalls(entries, 0)
		}
	}
	return f.calls
}

// readCalls adds the inlined calls among the following entries, and those in them.
func (f *Function) readCalls(entries *dwarf.Reader, depth int) {
	for {
		e, err := entries.Next()
		if e == nil || err != nil || e.Tag == 0 {
			return
		}
		into := f
		if e.Tag == dwarf.TagInlinedSubroutine {
			into = f.reader.newFunction(e, f.Unit)
			f.calls = append(f.calls, into)
		}
		switch {
		case !e.Children:
		case (into != f || e.Tag == dwarf.TagLexDwarfBlock) && depth < maxInlining:
			into.readCalls(entries, depth+1)
		default:
			entries.SkipChildren()
		}
	}
}

// At returns the function and the calls inlined in it that have an address, the outermost first.
func (f *Function) At(address uint64) []*Function {
	path := []*Function{f}
	for {
		calls := path[len(path)-1].Calls()
		i := slices.IndexFunc(calls, func(c *Function) bool { return c.contains(address) })
		if i < 0 {
			return path
		}
		path = append(path, calls[i])
	}
}

func (f *Function) contains(address uint64) bool {
	return slices.ContainsFunc(f.Ranges, func(r [2]uint64) bool { return r[0] <= address && address < r[1] })
}

// Boundaries returns the start and the end of a range, and the addresses in it at which lines begin and at which
// inlined calls begin and end. They are not sorted. Some can be outside of the range.
func (f *Function) Boundaries(start, end uint64) []uint64 {
	list := []uint64{start, end}
	for _, row := range f.Unit.rowsTo(end)[len(f.Unit.rowsTo(start)):] {
		list = append(list, row.Address)
	}
	return f.appendCalls(list)
}

func (f *Function) appendCalls(list []uint64) []uint64 {
	for _, call := range f.Calls() {
		for _, r := range call.Ranges {
			list = append(list, r[0], r[1])
		}
		list = call.appendCalls(list)
	}
	return list
}

// LineAt returns the row of the table of lines that has an address. ok is false without such a row.
func (u *Unit) LineAt(address uint64) (row dwarf.LineEntry, ok bool) {
	rows := u.rowsTo(address)
	row = rows[len(rows)-1]
	return row, !row.EndSequence
}

// rowsTo returns the table of lines of a unit up to an address, without names of files. The last row has the line
// of the address. The first row ends a sequence.
func (u *Unit) rowsTo(address uint64) []dwarf.LineEntry {
	if u.rows == nil {
		u.rows = u.readRows()
	}
	at, _ := slices.BinarySearchFunc(u.rows, address, func(row dwarf.LineEntry, address uint64) int {
		if row.Address <= address {
			return -1
		}
		return 1
	})
	return u.rows[:at]
}

// readRows returns the sequences of a table by address. Rows before damage remain.
func (u *Unit) readRows() []dwarf.LineEntry {
	var sequences [][]dwarf.LineEntry
	var rows []dwarf.LineEntry
	lines, err := u.reader.data.LineReader(u.entry)
	var row dwarf.LineEntry
	for err == nil && lines != nil && lines.Next(&row) == nil {
		row.File = nil
		rows = append(rows, row)
		if !row.EndSequence {
			continue
		}
		if rows[0].Address != 0 { // otherwise the linker removed the functions
			sequences = append(sequences, rows)
		}
		rows = nil
	}
	slices.SortStableFunc(sequences, func(a, b []dwarf.LineEntry) int { return cmp.Compare(a[0].Address, b[0].Address) })
	return slices.Concat(append([][]dwarf.LineEntry{{{EndSequence: true}}}, sequences...)...)
}

// BuildID returns the build id of a program, or nil. It is a note: { u32 name size, u32 size, u32 3, "GNU\0", id }.
func BuildID(p *elf.File) []byte {
	const head, name, maxNote = 12, "GNU\x00", 4096
	s := p.Section(".note.gnu.build-id")
	if s == nil || s.Size > maxNote {
		return nil
	}
	b, err := s.Data()
	if err != nil || len(b) < head+len(name) || !bytes.Equal(b[head:head+len(name)], []byte(name)) {
		return nil
	}
	size := uint64(p.ByteOrder.Uint32(b[4:]))
	return b[head+len(name):][:min(size, uint64(len(b)-head-len(name)))]
}

// SymbolAt returns the symbol that has an address, in a list sorted by address. A symbol without size ends at the next.
func SymbolAt(list []elf.Symbol, address uint64) (s elf.Symbol, ok bool) {
	at, _ := slices.BinarySearchFunc(list, address, func(s elf.Symbol, address uint64) int {
		return cmp.Or(cmp.Compare(s.Value, address), -1)
	})
	if at == 0 {
		return s, false
	}
	s = list[at-1]
	return s, s.Size == 0 || address-s.Value < s.Size
}

// CanonicalName returns the name of a function without the suffixes of LLVM's copies.
func CanonicalName(name string) string {
	for _, suffix := range []string{".llvm.", ".part."} {
		if at := strings.LastIndex(name, suffix); at >= 0 && strings.LastIndexByte(name, '.') == at+len(suffix)-1 {
			name = name[:at]
		}
	}
	return name
}
