package fit

import (
	"cmp"
	"fmt"

	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type sampledCall struct {
	line   int32
	callee string
	weight float64
}

func (c *checker) checkByLines(source methodcode.Source) error {
	for m, err := range c.s.Methods() {
		if err = cmp.Or(err, c.poll.Err()); err != nil {
			return err
		}
		k, err := m.Key()
		if err != nil {
			return err
		}
		if c.o.Methods != nil && !c.o.Methods(k) {
			continue
		}
		c.report.Methods++
		if err := c.checkFunction(source, m, k.Name); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) checkFunction(source methodcode.Source, m reader.Method, name string) error {
	p, calls, err := sampledCalls(m)
	if err != nil || len(calls) == 0 {
		return err
	}
	j := judgement{Verdict: Verdict{Method: m, Profile: p, Points: len(calls)}}
	for _, e := range calls {
		j.Weight += e.weight
	}
	bodies, presence := source.Bodies(name)
	switch presence {
	case methodcode.Present:
		c.judgeLines(&j, bodies, calls)
	case methodcode.NoClass:
		j.State, j.Reason = Unchecked, "its package is not in the source"
	case methodcode.Unknown:
		j.State, j.Reason = Unchecked, "a closure of a function that is not known"
	default:
		j.State, j.Reason = Gone, "there is no such function"
		if now := c.successor(source, name, calls); now != "" {
			j.Reason += "; it may be " + now + " now"
		}
	}
	return c.addVerdict(&j)
}

func sampledCalls(m reader.Method) (of reader.Profile, calls []sampledCall, err error) {
	err = stacks.EdgesFrom(m, func(e stacks.Edge) (err error) {
		var k layout.Key
		if e.Callee.Valid() {
			k, err = e.Callee.Key()
		}
		of = e.Profile
		calls = append(calls, sampledCall{e.Point, k.Name, float64(e.Weight)})
		return err
	})
	return of, calls, err
}

func (c *checker) judgeLines(j *judgement, bodies []methodcode.Body, calls []sampledCall) {
	var best linesFit
	for i, b := range bodies {
		if f := fitLines(b, calls); i == 0 || f.kept > best.kept {
			best = f
		}
	}
	j.Matched = best.matched
	switch {
	case best.matched == len(calls):
		j.State, j.Confidence, j.Reason = Exact, 1, "every call is where it was"
	case best.kept > 0:
		j.State = Moved
		j.Confidence = best.kept / j.Weight
		j.Reason = best.String()
	default:
		j.State, j.Reason = Stale, best.String()
	}
}

type linesFit struct {
	matched, moved, missing int
	sure                    int     // matched calls that the source spells
	kept                    float64 // weight of the matched calls
}

func (f linesFit) String() string {
	return fmt.Sprintf("%d of %d calls are where they were, %d on other lines, %d gone", f.matched,
		f.matched+f.moved+f.missing, f.moved, f.missing)
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
