package pprof

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// A samplePoint is a point of a method in a calling context.
type samplePoint struct {
	method  builder.MethodRef
	context builder.ContextRef
	point   int32
}

func (p samplePoint) compareProfile(q samplePoint) int {
	return cmp.Or(cmp.Compare(p.method, q.method), cmp.Compare(p.context, q.context))
}

type sampleCounts struct{ samples, time uint64 }

// How a frame calls the one before it. Merged stacks can have both.
const (
	called       = 1
	calledInline = 2
)

// countStack adds the counts of a sample whose stack is k.stack.
func (k *importBuild) countStack(n sampleCounts) {
	if n == (sampleCounts{}) {
		return
	}
	leaf := k.stack[0]
	at := samplePoint{method: leaf.method, point: leaf.point}
	for i := 1; i < len(k.stack) && !k.edgesOnly; i++ {
		caller := k.stack[i]
		at.context = k.b.Internal().OuterContext(leaf.method, at.context, caller.method, caller.point)
		k.noteCall(at.context, k.calls[i])
	}
	sum := k.counts[at]
	k.counts[at] = sampleCounts{disk.SaturatingAdd(sum.samples, n.samples), disk.SaturatingAdd(sum.time, n.time)}
}

// recordInlined adds the contexts whose outermost frame calls only inlined code.
func (k *importBuild) recordInlined() {
	if !slices.Contains(k.inlined, calledInline) {
		return
	}
	mixed := 0
	table := k.b.Internal().Table(disk.TableInlining, 0)
	for context, how := range k.inlined {
		switch how {
		case calledInline:
			table.Row(uint64(context), 0, 1)
		case called | calledInline:
			mixed++
		}
	}
	k.lost.Add(LossInlined, mixed)
}

// recordProfiles adds a profile for each leaf and context. Those without a context have the edges of their method.
func (k *importBuild) recordProfiles() error {
	points := slices.SortedFunc(maps.Keys(k.counts), func(p, q samplePoint) int {
		return cmp.Or(p.compareProfile(q), cmp.Compare(p.point, q.point))
	})
	edges := slices.SortedFunc(maps.Keys(k.weights), func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.caller, b.caller), cmp.Compare(a.point, b.point), cmp.Compare(a.callee, b.callee))
	})
	for len(edges) > 0 || len(points) > 0 {
		of := samplePoint{method: math.MaxUint32}
		if len(edges) > 0 {
			of.method = edges[0].caller
		}
		if len(points) > 0 && points[0].compareProfile(of) < 0 {
			of = points[0]
		}
		p := k.b.ProfileIn(of.method, 0, of.context)
		for len(points) > 0 && points[0].compareProfile(of) == 0 {
			countSamples(p, points[0].point, k.counts[points[0]])
			points = points[1:]
		}
		for of.context == profileset.NoContext && len(edges) > 0 && edges[0].caller == of.method {
			edges = k.recordCallSite(p, edges)
		}
		if err := p.Done(); err != nil {
			return err
		}
	}
	return nil
}

// noteCall notes how the outermost frame of a context calls.
func (k *importBuild) noteCall(context builder.ContextRef, how uint8) {
	if more := int(context) + 1 - len(k.inlined); more > 0 {
		k.inlined = append(k.inlined, make([]uint8, more)...)
	}
	k.inlined[context] |= how
}

func countSamples(p *builder.Profile, point int32, n sampleCounts) {
	if n.samples > 0 {
		p.Count(builder.Count{Point: point, Sub: layout.SubSamples, N: n.samples})
	}
	if n.time > 0 {
		p.Count(builder.Count{Point: point, Sub: layout.SubNanoseconds, N: n.time})
	}
}
