package fit

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/profarc/profarc/internal/formats/llvm/sample"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type sampledCall struct {
	line   int32
	callee string
	weight float64
}

func (c *checker) checkByLines(ctx context.Context, source methodcode.Source) (err error) {
	if err := c.readInlinedCalls(); err != nil {
		return err
	}
	return entries.EachMethod(ctx, c.s, func(m reader.Method, k layout.Key) error {
		if c.o.Methods != nil && !c.o.Methods(k) {
			return nil
		}
		c.report.Methods++
		return c.checkFunction(source, m, k.Name)
	})
}

func (c *checker) checkFunction(source methodcode.Source, m reader.Method, name string) error {
	p, calls, err := c.sampledCalls(m, name)
	if err != nil || len(calls) == 0 {
		return err
	}
	j := judgement{Verdict: Verdict{Method: m, Profile: p, Points: len(calls)}}
	for _, e := range calls {
		j.Weight += e.weight
	}
	bodies, a := source.Bodies(name)
	switch a.Presence {
	case methodcode.Present:
		c.judgeLines(&j, bodies, calls)
	case methodcode.NoClass:
		j.State, j.Reason = Gone, "the program has no such package"
	case methodcode.Unknown:
		j.State, j.Reason = Unchecked, a.Reason
	default:
		j.State, j.Reason = Gone, "there is no such function"
		if now := c.successor(source, name, calls); now != "" {
			j.Reason += "; it may be " + now + " now"
		}
	}
	return c.addVerdict(&j)
}

// sampledCalls returns the sampled calls of a function. LLVM's profiles also have the lines of code with samples.
func (c *checker) sampledCalls(m reader.Method, name string) (of reader.Profile, calls []sampledCall, err error) {
	calls = slices.Clip(c.inlined[m.Ref()])
	err = stacks.EdgesFrom(m, func(e stacks.Edge) (err error) {
		var k layout.Key
		if e.Callee.Valid() {
			k, err = e.Callee.Key()
		}
		of = e.Profile
		calls = append(calls, sampledCall{c.lineOf(name, e.Point), k.Name, float64(e.Weight)})
		return err
	})
	if c.locations == nil || err != nil {
		return of, calls, err
	}
	for p := range poll.Values(m.Profiles(), &err) {
		of = p
		for line, n := range c.sampledLines(p, name) {
			calls = append(calls, sampledCall{line: line, weight: n})
		}
	}
	return of, calls, err
}

// sampledLines iterates over the lines of a profile of LLVM, and their samples.
func (c *checker) sampledLines(p reader.Profile, name string) iter.Seq2[int32, float64] {
	return func(yield func(int32, float64) bool) {
		for e := range p.Entries() {
			isLine := e.Tag() == layout.TagCount && e.Sub() == layout.SubSamples
			if isLine && !yield(c.lineOf(name, e.Point()), float64(e.Cell(0).Trained())) {
				return
			}
		}
	}
}

// lineOf returns the line of a point, counted from the start of the function.
func (c *checker) lineOf(name string, point int32) int32 {
	if c.locations == nil {
		return point
	}
	return c.locations.Line(name, point)
}

// readInlinedCalls reads the calls in the contexts of LLVM's sample profiles, with the samples that were inlined there.
func (c *checker) readInlinedCalls() (err error) {
	c.locations, err = sample.ReadLocations(c.s)
	if c.locations == nil || err != nil {
		return err
	}
	c.inlined = map[layout.Ref][]sampledCall{}
	for p := range poll.Values(c.s.Profiles(), &err) {
		context, inlined, failed := p.Context()
		if !inlined || failed != nil {
			err = failed
			continue
		}
		if err = c.addInlinedCall(context, p); err != nil {
			return err
		}
	}
	return err
}

func (c *checker) addInlinedCall(context reader.Context, p reader.Profile) error {
	m, err := p.Method()
	if err != nil {
		return err
	}
	callee, err := m.Key()
	if err != nil {
		return err
	}
	frames, err := context.Frames()
	if err != nil || len(frames) == 0 {
		return err
	}
	frame := frames[0] // the innermost
	caller, err := frame.Caller.Key()
	call := sampledCall{line: c.lineOf(caller.Name, frame.Point), callee: callee.Name}
	for _, n := range c.sampledLines(p, callee.Name) {
		call.weight += n
	}
	c.inlined[frame.Caller.Ref()] = append(c.inlined[frame.Caller.Ref()], call)
	return err
}

func (c *checker) judgeLines(j *judgement, bodies []methodcode.Body, calls []sampledCall) {
	best := linesFit{unit: "calls"}
	if c.locations != nil {
		best.unit = "lines and calls"
	}
	for i, b := range bodies {
		if f := fitLines(b, calls); i == 0 || f.kept > best.kept {
			f.unit = best.unit
			best = f
		}
	}
	j.Matched = best.matched
	switch {
	case best.matched == len(calls):
		j.State, j.Confidence, j.Reason = Exact, 1, "all "+best.unit+" are where they were"
	case best.kept > 0:
		j.State = Moved
		j.Confidence = best.kept / j.Weight
		j.Reason = best.String()
	default:
		j.State, j.Reason = Stale, best.String()
	}
}

type linesFit struct {
	unit                    string // what is counted
	matched, moved, missing int
	sure                    int     // matched calls that the source spells
	kept                    float64 // weight of the matched calls
}

func (f linesFit) String() string {
	return fmt.Sprintf("%d of %d %s are where they were, %d on other lines, %d gone", f.matched,
		f.matched+f.moved+f.missing, f.unit, f.moved, f.missing)
}

func fitLines(b methodcode.Body, calls []sampledCall) (f linesFit) {
	for _, e := range calls {
		at, sure, ok := b.Call(e.line, e.callee)
		switch {
		case !ok:
			f.missing++
		case at != e.line:
			f.moved++
		default:
			f.matched++
			f.kept += e.weight
			if sure {
				f.sure++
			}
		}
	}
	return f
}

// successorCalls is the minimum number of spelled calls that identify a renamed function.
const successorCalls = 2

// successor returns the package's only function without a profile that makes all the calls of a gone one, or "".
func (c *checker) successor(source methodcode.Source, name string, calls []sampledCall) (found string) {
	for _, other := range source.Beside(name) {
		bodies, _ := source.Bodies(other)
		for _, b := range bodies {
			if f := fitLines(b, calls); f.matched < len(calls) || f.sure < successorCalls {
				continue
			}
			if _, err := c.s.Find(layout.Key{Name: other}); err == nil {
				continue
			}
			if found != "" && found != other {
				return ""
			}
			found = other
		}
	}
	return found
}

// hasSource returns the source for an archive of domain sampled.
func hasSource(h *layout.Header, against Code) (methodcode.Source, bool) {
	source, ok := against.(methodcode.Source)
	return source, ok && h.Domain == layout.DomainSampled
}
