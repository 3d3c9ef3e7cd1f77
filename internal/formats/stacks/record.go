package stacks

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// A NamedFrame is a frame of a stack by its name, "" if that is not known, and a line of its
// file, 0 if that is not known.
type NamedFrame struct {
	Name string
	Line int32
}

// LossNUL counts names that are cut at a NUL byte.
const LossNUL codec.LossKind = "names with a NUL byte, which ends them"

// A Recorder gathers stacks of functions that are known by their names, and records them in a
// builder of domain sampled. Calls of one stack are summed, so that its memory grows with
// the number of different stacks.
type Recorder struct {
	b       *builder.Builder
	lost    *codec.Losses
	methods map[string]builder.MethodRef
	samples map[recorded]uint64
}

// recorded is where samples were taken.
type recorded struct {
	method  builder.MethodRef
	context builder.ContextRef
	point   int32
}

// NewRecorder returns a recorder into b. It counts losses in lost.
func NewRecorder(b *builder.Builder, lost *codec.Losses) *Recorder {
	return &Recorder{b, lost, map[string]builder.MethodRef{}, map[recorded]uint64{}}
}

// Add adds samples of a stack, leaf first, which must have a frame. The error is the builder's.
func (r *Recorder) Add(stack []NamedFrame, n uint64) error {
	at := recorded{method: r.method(stack[0].Name), point: stack[0].Line}
	for _, f := range stack[1:] {
		at.context = r.b.Internal().OuterContext(at.method, at.context, r.method(f.Name), f.Line)
	}
	if n > 0 {
		r.samples[at] = disk.SaturatingAdd(r.samples[at], n)
	}
	return r.b.Err()
}

func (r *Recorder) method(name string) builder.MethodRef {
	m, ok := r.methods[name]
	if !ok {
		kept, _, cut := strings.Cut(name, "\x00")
		if cut {
			r.lost.Add(LossNUL, 1)
		}
		m = r.b.Method(layout.Key{Name: kept})
		r.methods[strings.Clone(name)] = m
	}
	return m
}

// Record records all stacks, and returns the number of methods with a profile and of entries.
func (r *Recorder) Record() (methods, entries int, err error) {
	all := slices.SortedFunc(maps.Keys(r.samples), func(a, b recorded) int {
		return cmp.Or(cmp.Compare(a.method, b.method), cmp.Compare(a.context, b.context), cmp.Compare(a.point, b.point))
	})
	for i := 0; i < len(all); {
		if i == 0 || all[i].method != all[i-1].method {
			methods++
		}
		p := r.b.ProfileIn(all[i].method, 0, all[i].context)
		for of := all[i]; i < len(all) && all[i].method == of.method && all[i].context == of.context; i++ {
			p.Count(builder.Count{Point: all[i].point, Sub: layout.SubSamples, N: r.samples[all[i]]})
		}
		if err := p.Done(); err != nil {
			return 0, 0, err
		}
	}
	t := r.b.Table(disk.TableProperties, 0)
	t.Row(uint64(r.b.Symbol("pprof.sample_types")), uint64(r.b.Symbol("samples/count")))
	return methods, len(all), r.b.Err()
}
