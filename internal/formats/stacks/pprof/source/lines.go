package source

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/profarc/profarc/internal/system/debuginfo"
)

type binaryReader struct {
	text    []byte
	start   uint64
	arch    architecture
	parse   func(name string) symbol
	mask    int64 // bits of lines that profiles have
	noLines error // error for a program without lines
	all     map[string]*compiled
	entries map[uint64]symbol // functions by address
	places  []place
}

// A place is an address with the function and the line that its code is of.
type place struct {
	address uint64
	of      *compiled
	line    int32
}

func (r *binaryReader) compiledOf(f *debuginfo.Function) *compiled {
	c := r.all[f.Name]
	if c == nil {
		c = &compiled{parse: r.parse, symbol: r.parse(f.Name), name: f.Name, lines: map[int32]bool{},
			calls: map[string][]int32{}, indirect: map[int32]bool{}, scanned: r.arch != otherArchitecture}
		r.all[f.Name] = c
	}
	return c
}

// addFunction adds a function and the lines of its code.
func (r *binaryReader) addFunction(f *debuginfo.Function) {
	r.entries[f.Ranges[0][0]] = r.compiledOf(f).symbol
	r.addInlined(f)
	for _, span := range f.Ranges {
		for _, at := range f.Boundaries(span[0], span[1]) {
			if span[0] <= at && at < span[1] {
				r.addPlace(f, at)
			}
		}
	}
}

// addInlined adds the calls that are inlined in a function.
func (r *binaryReader) addInlined(f *debuginfo.Function) {
	for _, call := range f.Calls() {
		if call.Name != "" {
			r.compiledOf(f).addLine(r.compiledOf(call).key(), (call.CallLine-f.Line)&r.mask)
			r.addInlined(call)
		}
	}
}

// addLine adds a call of a function. Inlined calls have several entries.
func (c *compiled) addLine(callee string, line int64) {
	if !slices.Contains(c.calls[callee], int32(line)) {
		c.calls[callee] = append(c.calls[callee], int32(line))
	}
}

// addPlace adds the line of an address of a function.
func (r *binaryReader) addPlace(f *debuginfo.Function, at uint64) {
	row, ok := f.Unit.LineAt(at)
	if !ok {
		return
	}
	path := f.At(at)
	inner := path[len(path)-1]
	c := r.compiledOf(inner)
	line := int32((int64(row.Line) - inner.Line) & r.mask)
	c.lines[line] = true
	r.places = append(r.places, place{at, c, line})
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

// scanCalls finds the calls in a range of the text. A jump to the start of another function is a call at the end of a
// function. Other bytes hardly lead to such a start.
func (r *binaryReader) scanCalls(p place, from, to uint64) {
	for at := from; at < to && r.arch == amd64; at++ {
		b := r.text[at:]
		if offset, isCall := directTarget(b); offset != 0 {
			r.addDirect(p, r.start+at+offset, isCall)
		}
		if len(b) >= 2 && b[0] == 0xff && (b[1]>>3&7 == 2 || b[1]>>3&7 == 4) { // CALL and JMP through a pointer
			p.of.indirect[p.line] = true
		}
	}
	for at := from; at+4 <= to && r.arch == arm64; at += 4 {
		word := binary.LittleEndian.Uint32(r.text[at:])
		if word&0x7c000000 == 0x14000000 { // B and BL
			r.addDirect(p, r.start+at+uint64(int64(int32(word<<6)>>4)), word>>31 != 0)
		}
		if word&0xffdffc1f == 0xd61f0000 { // BR and BLR
			p.of.indirect[p.line] = true
		}
	}
}

// directTarget returns the offset to which an instruction of amd64 calls or jumps, from its own start. It returns 0 for
// another instruction.
func directTarget(b []byte) (offset uint64, isCall bool) {
	wide := func(opcode int) uint64 {
		return uint64(opcode+4) + uint64(int64(int32(binary.LittleEndian.Uint32(b[opcode:]))))
	}
	switch {
	case len(b) >= 2 && (b[0] == 0xeb || b[0]&0xf0 == 0x70): // JMP and conditional jumps with 1 byte
		return 2 + uint64(int64(int8(b[1]))), false
	case len(b) >= 5 && b[0]|1 == 0xe9: // CALL and JMP
		return wide(1), b[0] == 0xe8
	case len(b) >= 6 && b[0] == 0x0f && b[1]&0xf0 == 0x80: // conditional jumps
		return wide(2), false
	}
	return 0, false
}

// addDirect adds a call. A jump of a function to its own start is a loop.
func (r *binaryReader) addDirect(p place, target uint64, isCall bool) {
	if s, ok := r.entries[target]; ok && (isCall || s != p.of.symbol) {
		p.of.addLine(s.key(), int64(p.line))
	}
}
