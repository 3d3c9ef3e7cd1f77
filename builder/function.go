package builder

import (
	"bytes"

	"github.com/profarc/profarc/layout"
)

// A Function is the counters of a function of LLVM, for AddFunction.
type Function struct {
	Name   []byte // PGO name
	Hash   uint64 // of its control flow: the code id
	Counts []uint64
}

// AddFunction adds the profile of a function that has counters and nothing
// else. It does what Method, Profile, Profile.Counters and Done do, for profiles
// of millions of functions in less time. What it is given may be used again.
func (b *Builder) AddFunction(f *Function) error {
	if b.addFunction(f) {
		return nil
	}
	p := b.Profile(b.Method(layout.Key{Name: string(f.Name)}), f.Hash, NoContext)
	p.Counters(0, f.Counts...)
	if err := p.Done(); err != nil {
		return err
	}
	return b.Err() // of its name
}

// addFunction reports whether it could add the function: where something is
// wrong with it, the way for all profiles says what.
func (b *Builder) addFunction(f *Function) bool {
	if len(f.Name) == 0 || len(f.Name) > layout.MaxName || bytes.IndexByte(f.Name, 0) >= 0 || len(f.Counts) > maxCells {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	key := profileKey{method: b.function(f.Name), code: f.Hash}
	ref, ok := b.claim(key, b.run)
	if !ok {
		return false
	}
	b.scratch = appendFunction(b.scratch[:0], f)
	b.take(ref, b.run.Run, b.scratch, (*merger).addFunction)
	return true
}

// function interns a method that has a name and nothing else.
func (b *Builder) function(name []byte) MethodRef {
	s, _ := intern(&b.symbols, name)
	key := methodKey{name: s}
	return b.methods.internNamed(key, func() methodData {
		return methodData{methodKey: key, id: layout.Key{Name: b.text(s)}.ID(b.domain)}
	})
}

// appendFunction appends the block that the parts of a profile with these
// counters give.
func appendFunction(b []byte, f *Function) []byte {
	presence, fields := layout.Presence(0), 0
	if f.Hash != 0 {
		presence, fields = layout.HasCode, layout.CellSize
	}
	data := layout.WideHeaderSize + len(f.Counts)*layout.CellSize
	b = le.AppendUint32(b, uint32((layout.BlockHeaderSize+fields+data)/layout.Unit))
	b = le.AppendUint32(b, 0)
	b = le.AppendUint32(b, uint32(presence))
	b = le.AppendUint32(b, uint32(data/layout.Unit))
	if f.Hash != 0 {
		b = le.AppendUint64(b, f.Hash)
	}
	b = append(b, byte(layout.TagCounters), 0, 0, 0, 0, 0, 0, 0)
	b = le.AppendUint32(b, uint32(len(f.Counts)))
	b = le.AppendUint32(b, uint32(len(f.Counts)))
	for _, n := range f.Counts {
		b = le.AppendUint64(b, n)
	}
	return b
}

// addFunction adds the counters of a function's block to those of another of
// the same shape, and reports whether it is of that shape.
func (m *merger) addFunction(have, more layout.Block) bool {
	at := layout.BlockHeaderSize + layout.WideHeaderSize
	if more.Presence() != 0 {
		at += layout.CellSize
	}
	if len(have) != len(more) || string(have[:at]) != string(more[:at]) {
		return false
	}
	entry := at - layout.WideHeaderSize
	m.addCounts(have[entry:], more[entry:])
	return true
}
