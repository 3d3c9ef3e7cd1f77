package llvm

import "github.com/profarc/profarc/builder"

// plainFunctions gathers functions that have counters alone: a builder takes
// many of them in less time.
type plainFunctions struct {
	functions [maxPlain]builder.Function
	n         int
	names     []byte   // of all, one behind the other
	counts    []uint64 // likewise
}

// Bounds on what is gathered. A function with more counters is not kept twice.
const (
	maxPlain       = 256
	maxPlainCounts = 1 << 13
)

// take takes a function, which the parser may change then, and adds all to the
// builder when they are many.
func (p *plainFunctions) take(f *function, b *builder.Builder) error {
	if p.n == maxPlain || len(p.counts)+len(f.counts) > maxPlainCounts {
		if err := p.addTo(b); err != nil {
			return err
		}
	}
	if len(f.counts) > maxPlainCounts {
		return b.AddFunction(&builder.Function{Name: f.name, Hash: f.hash, Counts: f.counts})
	}
	name, counts := len(p.names), len(p.counts)
	p.names, p.counts = append(p.names, f.name...), append(p.counts, f.counts...)
	kept := &p.functions[p.n]
	kept.Name, kept.Hash, kept.Counts = p.names[name:], f.hash, p.counts[counts:]
	p.n++
	return nil
}

// addTo adds what was gathered to the builder.
func (p *plainFunctions) addTo(b *builder.Builder) error {
	if p.n == 0 {
		return nil
	}
	_, err := b.AddFunctions(p.functions[:p.n])
	p.n, p.names, p.counts = 0, p.names[:0], p.counts[:0]
	return err
}
