package stacks

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/layout"
)

// A NamedFrame is a frame of an imported stack.
type NamedFrame struct {
	Name string // function name, "" if unknown
	Line int32  // source line, 0 if unknown
}

// LossNUL counts truncated names.
const LossNUL codec.LossKind = "names with a NUL byte, which ends them"

// A Recorder merges equal stacks and adds them to a builder of domain sampled. Its memory is proportional to the number
// of different stacks.
type Recorder struct {
	Report  *codec.Report // of the import
	b       *builder.Builder
	Type    string // type of the samples, in the form type/unit of pprof
	methods map[string]builder.MethodRef
	samples map[stackKey]uint64

	sum, squares float64 // of the weights of samples
}

type stackKey struct {
	method  builder.MethodRef
	context builder.ContextRef
	point   int32
}

// unweighted is the type of samples that all count 1.
const unweighted = "samples/count"

// NewRecorder returns a Recorder with the builder and the report of an import.
func NewRecorder(config builder.Config) *Recorder {
	b := builder.New(layout.DomainSampled, config)
	return &Recorder{b: b, Report: &codec.Report{Dumps: []*builder.Builder{b}, Totals: ledger.Totals{}}, Type: unweighted,
		methods: map[string]builder.MethodRef{}, samples: map[stackKey]uint64{}}
}

// Add adds n samples of a stack, which has the leaf first and at least one frame. It returns the builder's error.
func (r *Recorder) Add(stack []NamedFrame, n uint64) error {
	at := stackKey{method: r.methodByName(stack[0].Name), point: stack[0].Line}
	for _, f := range stack[1:] {
		at.context = r.b.Internal().OuterContext(at.method, at.context, r.methodByName(f.Name), f.Line)
	}
	if n > 0 {
		r.samples[at] = disk.SaturatingAdd(r.samples[at], n)
		r.sum += float64(n)
		r.squares += float64(n) * float64(n)
	}
	return r.b.Err()
}

func (r *Recorder) methodByName(name string) builder.MethodRef {
	m, ok := r.methods[name]
	if !ok {
		kept, _, cut := strings.Cut(name, "\x00")
		if cut {
			r.Report.Lost.AddLoss(codec.Loss{What: LossNUL, Count: 1, First: []string{kept}})
		}
		m = r.b.Method(layout.Key{Name: kept})
		r.methods[strings.Clone(name)] = m
	}
	return m
}

// Record adds all stacks to the builder, and the numbers of methods and entries to the report, which it returns with
// facts.
func (r *Recorder) Record(facts map[string]any) (*codec.Report, error) {
	all := slices.SortedFunc(maps.Keys(r.samples), func(a, b stackKey) int {
		return cmp.Or(cmp.Compare(a.method, b.method), cmp.Compare(a.context, b.context), cmp.Compare(a.point, b.point))
	})
	for i := 0; i < len(all); {
		if i == 0 || all[i].method != all[i-1].method {
			r.Report.Methods++
		}
		p := r.b.ProfileIn(all[i].method, 0, all[i].context)
		for of := all[i]; i < len(all) && all[i].method == of.method && all[i].context == of.context; i++ {
			p.Count(builder.Count{Point: all[i].point, Sub: layout.SubSamples, N: r.samples[all[i]]})
		}
		if err := p.Done(); err != nil {
			return nil, err
		}
	}
	r.b.Internal().AddProperty(disk.PropertySampleTypes, r.Type)
	if r.Type != unweighted && r.squares > 0 { // the effective number of samples
		r.b.Internal().AddProperty(disk.PropertySampledTotal+"samples", fmt.Sprintf("%.0f", r.sum*r.sum/r.squares))
	}
	r.Report.Entries = len(all)
	r.Report.Facts = facts
	return r.Report, r.b.Err()
}
