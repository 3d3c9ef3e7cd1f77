package source

import (
	"cmp"
	"debug/dwarf"
	"encoding/binary"
	"errors"
	"io"
	"slices"
)

// A declared is the declaration of a function.
type declared struct {
	name string
	line int64
}

// A frame is a function's machine code, or the machine code of a call that was inlined.
type frame struct {
	declared
	of     *compiled
	outer  int // index of the frame that it was inlined into, -1 if none
	ranges [][2]uint64
	line   int64 // line of the call that was inlined
}

type binaryReader struct {
	data     *dwarf.Data
	text     []byte
	start    uint64
	arch     architecture
	abstract map[dwarf.Offset]declared
	all      map[string]*compiled
	entries  map[uint64]symbol // functions by address
	places   []place
	rows     []dwarf.LineEntry // of the unit that is read
}

// A place is an address with the function and the line that its code is of.
type place struct {
	address uint64
	of      *compiled
	line    int32
}

func (r *binaryReader) readEntries(read func(*dwarf.Reader, *dwarf.Entry) error) error {
	for in := r.data.Reader(); ; {
		e, err := in.Next()
		if err != nil || e == nil {
			return err
		}
		switch e.Tag {
		case dwarf.TagCompileUnit:
			if err := r.readRows(e); err != nil {
				return err
			}
		case dwarf.TagSubprogram:
			if err := read(in, e); err != nil {
				return err
			}
		default:
			in.SkipChildren()
		}
	}
}

func (r *binaryReader) readRows(unit *dwarf.Entry) error {
	r.rows = r.rows[:0]
	lines, err := r.data.LineReader(unit)
	if err != nil || lines == nil {
		return err
	}
	for {
		var row dwarf.LineEntry
		switch err := lines.Next(&row); {
		case errors.Is(err, io.EOF):
			slices.SortStableFunc(r.rows, func(x, y dwarf.LineEntry) int { return cmp.Compare(x.Address, y.Address) })
			return nil
		case err != nil:
			return err
		}
		if !row.EndSequence {
			r.rows = append(r.rows, row)
		}
	}
}

func (r *binaryReader) readDeclaration(in *dwarf.Reader, e *dwarf.Entry) error {
	r.abstract[e.Offset] = declarationOf(e)
	in.SkipChildren()
	return nil
}

func declarationOf(e *dwarf.Entry) (d declared) {
	d.name, _ = e.Val(dwarf.AttrName).(string)
	d.line, _ = e.Val(dwarf.AttrDeclLine).(int64)
	return d
}

// newFrame returns the frame of an entry; ok is false for functions without code.
func (r *binaryReader) newFrame(e *dwarf.Entry, outer int) (f frame, ok bool) {
	f.declared, f.outer = declarationOf(e), outer
	if origin, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); ok {
		f.declared = r.abstract[origin]
	}
	f.line, _ = e.Val(dwarf.AttrCallLine).(int64)
	f.ranges, _ = r.data.Ranges(e)
	if f.name == "" || len(f.ranges) == 0 {
		return f, false
	}
	f.of = r.all[f.name]
	if f.of == nil {
		f.of = &compiled{symbol: parseSymbol(f.name), name: f.name, lines: map[int32]bool{}, calls: map[string][]int32{},
			indirect: map[int32]bool{}, scanned: r.arch != otherArchitecture}
		r.all[f.name] = f.of
	}
	return f, true
}

// readFunction reads the frames of a function, and the lines of its code.
func (r *binaryReader) readFunction(in *dwarf.Reader, e *dwarf.Entry) error {
	f, ok := r.newFrame(e, -1)
	if !ok {
		in.SkipChildren()
		return nil
	}
	frames := []frame{f}
	r.entries[f.ranges[0][0]] = f.of.symbol
	if !e.Children {
		r.addPlaces(frames)
		return nil
	}
	for open := []int{0}; len(open) > 0; {
		e, err := in.Next()
		if err != nil || e == nil {
			return err
		}
		at := open[len(open)-1]
		if e.Tag == 0 {
			open = open[:len(open)-1]
			continue
		}
		if e.Tag == dwarf.TagInlinedSubroutine {
			if f, ok := r.newFrame(e, at); ok {
				caller := &frames[at]
				caller.of.addLine(f.of.key(), f.line-caller.declared.line)
				at = len(frames)
				frames = append(frames, f)
			}
		}
		if e.Children {
			open = append(open, at)
		}
	}
	r.addPlaces(frames)
	return nil
}

// addLine adds a call of a function. Inlined calls have several entries.
func (c *compiled) addLine(callee string, line int64) {
	if !slices.Contains(c.calls[callee], int32(line)) {
		c.calls[callee] = append(c.calls[callee], int32(line))
	}
}

// addPlaces adds the lines of a function. Frames follow those that they are inlined into.
func (r *binaryReader) addPlaces(frames []frame) {
	for _, span := range frames[0].ranges {
		first, _ := slices.BinarySearchFunc(r.rows, span[0],
			func(row dwarf.LineEntry, at uint64) int { return cmp.Compare(row.Address, at) })
		for _, row := range r.rows[first:] {
			if row.Address >= span[1] {
				break
			}
			f := innermost(frames, row.Address)
			line := int32(int64(row.Line) - f.declared.line)
			f.of.lines[line] = true
			r.places = append(r.places, place{row.Address, f.of, line})
		}
	}
}

func innermost(frames []frame, address uint64) *frame {
	for i := len(frames) - 1; i > 0; i-- {
		for _, span := range frames[i].ranges {
			if span[0] <= address && address < span[1] {
				return &frames[i]
			}
		}
	}
	return &frames[0]
}

// readCalls finds the calls in the machine code of all functions.
func (r *binaryReader) readCalls() {
	slices.SortStableFunc(r.places, func(x, y place) int { return cmp.Compare(x.address, y.address) })
	for i, p := range r.places {
		from := p.address - r.start
		to := uint64(len(r.text))
		if i+1 < len(r.places) {
			to = min(to, r.places[i+1].address-r.start)
		}
		if p.address < r.start || from >= to {
			continue
		}
		r.scanCalls(p, from, to)
	}
}

// scanCalls finds the calls in a range of the text. Bytes that are no call hardly lead to the start of a function.
func (r *binaryReader) scanCalls(p place, from, to uint64) {
	for at := from; at < to && r.arch == amd64; at++ {
		switch b := r.text[at:]; {
		case len(b) >= 5 && b[0] == 0xe8:
			r.addDirect(p, r.start+at+5+uint64(int64(int32(binary.LittleEndian.Uint32(b[1:])))))
		case len(b) >= 2 && b[0] == 0xff && b[1]>>3&7 == 2:
			p.of.indirect[p.line] = true
		}
	}
	for at := from; at+4 <= to && r.arch == arm64; at += 4 {
		switch word := binary.LittleEndian.Uint32(r.text[at:]); {
		case word>>26 == 0x25:
			r.addDirect(p, r.start+at+uint64(int64(int32(word<<6)>>4)))
		case word&0xfffffc1f == 0xd63f0000:
			p.of.indirect[p.line] = true
		}
	}
}

func (r *binaryReader) addDirect(p place, target uint64) {
	if s, ok := r.entries[target]; ok {
		p.of.addLine(s.key(), int64(p.line))
	}
}
