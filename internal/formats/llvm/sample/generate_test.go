package sample

import (
	"fmt"
	"math/rand/v2"
)

// A generator makes profiles at random.
type generator struct {
	*rand.Rand
	names []string
}

// generated returns a profile with functions of a seed. Names repeat, so that functions are targets and are inlined.
func generated(seed uint64, functions int, calling, probes bool) *Profile {
	g := generator{Rand: rand.New(rand.NewPCG(seed, 7))}
	for i := range functions {
		g.names = append(g.names, fmt.Sprintf("%s%d", []string{"_Z3f", "main", "a.__uniq.", "std::move(x) "}[g.IntN(4)], i))
	}
	p := &Profile{Calling: calling, Probes: probes}
	for range functions {
		f := g.function(p, 0)
		f.Head = g.count()
		for range g.IntN(12) * g.IntN(2) {
			if calling {
				f.Context = append(f.Context, Frame{fmt.Sprintf("g%d", g.IntN(9)), g.location()})
			}
		}
		p.Functions = append(p.Functions, f)
	}
	p.sort()
	return p
}

func (g *generator) name() string { return g.names[g.IntN(len(g.names))] }

func (g *generator) count() uint64 { return g.Uint64() >> (g.IntN(40) + 20) }

func (g *generator) location() Location {
	at := Location{Line: uint32(g.IntN(40))}
	switch g.IntN(6) {
	case 0:
		at.Discriminator = uint32(g.IntN(4))
	case 1:
		at.Discriminator = g.Uint32() >> g.IntN(20)
	}
	return at
}

func (g *generator) function(p *Profile, depth int) *Function {
	f := &Function{Name: g.name(), Total: g.count()}
	if p.Calling {
		f.Name = fmt.Sprintf("g%d", g.IntN(9))
	}
	if p.Probes {
		f.Checksum = uint64(g.IntN(1<<40)) + 1
	}
	if p.Calling && g.IntN(3) == 0 {
		f.Attributes = uint64(g.IntN(8))
		p.PreInlined = p.PreInlined || f.Attributes&attributePreInlined != 0
	}
	for range g.IntN(8) {
		l := Line{Location: g.location(), Samples: g.count()}
		for range g.IntN(4) * g.IntN(2) {
			l.Targets = append(l.Targets, Target{g.name(), g.count()})
		}
		f.Lines = append(f.Lines, l)
	}
	for range g.IntN(3) {
		if !p.Calling && depth < 4 {
			f.Calls = append(f.Calls, Call{g.location(), g.function(p, depth+1)})
		}
	}
	return f
}
