package autofdo

import (
	"debug/dwarf"

	"github.com/profarc/profarc/internal/formats/llvm/sample"
	"github.com/profarc/profarc/internal/system/debuginfo"
)

// addFunction adds the ranges of a function.
func (p *Program) addFunction(f *debuginfo.Function) {
	for _, r := range f.Ranges {
		if r[1] <= r[0] || r[0] < p.base {
			continue // removed by the linker
		}
		part := &functionRange{Function: f, start: r[0], end: r[1]}
		p.parts[f.Name] = append(p.parts[f.Name], part)
		p.functions = append(p.functions, part)
	}
}

// framesAt returns the function of an address, the outermost first, and the functions that are inlined there. It is nil
// without debug information.
func (p *Program) framesAt(address uint64) (frames []sample.Frame) {
	r := p.rangeOf(address)
	if r == nil {
		return nil
	}
	path := r.At(address)
	for i, call := range path[1:] {
		frames = append(frames, frameOf(path[i], call.CallLine, call.Discriminator))
	}
	row, ok := r.Unit.LineAt(address)
	if !ok {
		row = dwarf.LineEntry{}
	}
	return append(frames, frameOf(path[len(path)-1], int64(row.Line), int64(row.Discriminator)))
}

// frameOf returns a line of a function as an offset from the first one.
func frameOf(f *debuginfo.Function, line, discriminator int64) sample.Frame {
	at := sample.Location{Line: uint32(line-f.Line) & 0xffff, Discriminator: uint32(discriminator)}
	return sample.Frame{Name: debuginfo.CanonicalName(f.Name), Location: at}
}
