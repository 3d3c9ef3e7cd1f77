package stacks

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// eachContext yields the stacks of an archive of domain sampled, in which a stack is a
// profile: its context is the callers of the leaf.
func eachContext(s *reader.Store, yield func(Stack, error) bool) {
	var stack Stack
	for m, err := range s.Methods() {
		if err != nil {
			yield(Stack{}, disk.InFile(err, s.Mapping().Name()))
			return
		}
		for p, err := range m.Profiles() {
			if err == nil {
				err = stack.callers(m, p)
			}
			if err != nil {
				yield(Stack{}, disk.InFile(err, s.Mapping().Name()))
				return
			}
			if !stack.points(p, yield) {
				return
			}
		}
	}
}

// A Leaf is what was sampled of a function in one calling context, on any of its lines.
type Leaf struct {
	Method  reader.Method
	Context reader.Context // zero if it has no callers
	Stacks  int            // one for each line with samples
	Count   uint64         // samples
	Time    uint64         // of the samples in nanoseconds; 0 if it was not recorded
	profile reader.Profile
}

// A LeafPoint is what was sampled on a line of a leaf.
type LeafPoint struct {
	Point       int32
	Count, Time uint64
}

// Points returns the lines of a leaf.
func (l *Leaf) Points() (list []LeafPoint) {
	stack := Stack{Frames: []Frame{{Method: l.Method}}}
	stack.points(l.profile, func(k Stack, _ error) bool {
		list = append(list, LeafPoint{k.Frames[0].Point, k.Count, k.Time})
		return true
	})
	return list
}

// Leaves calls yield with the leaves of an archive of domain sampled that have samples. It
// reads each context once, where the frames of all stacks may be as many as the square of
// that. It returns the error of the archive or of yield.
func Leaves(s *reader.Store, yield func(Leaf) error) error { return eachMethod(s, leavesOf, yield) }

// eachMethod calls of with each method of an archive, and names the archive in the error.
func eachMethod[T any](s *reader.Store, of func(reader.Method, func(T) error) error, yield func(T) error) error {
	for m, err := range s.Methods() {
		if err == nil {
			err = of(m, yield)
		}
		if err != nil {
			return disk.InFile(err, s.Mapping().Name())
		}
	}
	return nil
}

func leavesOf(m reader.Method, yield func(Leaf) error) error {
	for p, err := range m.Profiles() {
		leaf := Leaf{Method: m, profile: p}
		stack := Stack{Frames: []Frame{{Method: m}}}
		if err == nil {
			stack.points(p, func(k Stack, _ error) bool {
				leaf.Stacks, leaf.Count = leaf.Stacks+1, disk.SaturatingAdd(leaf.Count, k.Count)
				leaf.Time = disk.SaturatingAdd(leaf.Time, k.Time)
				return true
			})
		}
		if err == nil && leaf.Stacks > 0 {
			leaf.Context, _, err = p.Context()
			if err == nil {
				err = yield(leaf)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// callers sets the frames of the context of a profile, and leaves the leaf for points.
func (k *Stack) callers(m reader.Method, p reader.Profile) error {
	k.Frames = append(k.Frames[:0], Frame{Method: m})
	if !hasSamples(p) {
		return nil
	}
	c, ok, err := p.Context()
	if err != nil || !ok {
		return err
	}
	frames, err := c.Frames()
	for _, f := range frames {
		k.Frames = append(k.Frames, Frame{f.Caller, f.Point})
	}
	return err
}

// hasSamples reports whether a profile has samples.
func hasSamples(p reader.Profile) bool {
	for e := range p.Entries() {
		if e.Tag() == layout.TagCount {
			return true
		}
	}
	return false
}

// points yields a stack for each point of the leaf. The entries of a point are adjacent.
func (k *Stack) points(p reader.Profile, yield func(Stack, error) bool) bool {
	k.Count, k.Time = 0, 0
	for e := range p.Entries() {
		c, ok := e.Counter()
		if !ok || e.Tag() != layout.TagCount {
			continue
		}
		if e.Point() != k.Frames[0].Point && !k.flush(yield) {
			return false
		}
		k.Frames[0].Point = e.Point()
		switch e.Sub() {
		case layout.SubSamples:
			k.Count = disk.SaturatingAdd(k.Count, c.Trained())
		case layout.SubNanoseconds:
			k.Time = disk.SaturatingAdd(k.Time, c.Trained())
		}
	}
	return k.flush(yield)
}

// flush yields the stack, unless it has no samples, and begins another with the same callers.
func (k *Stack) flush(yield func(Stack, error) bool) bool {
	if k.Count == 0 && k.Time == 0 {
		return true
	}
	stack := *k
	k.Count, k.Time = 0, 0
	return yield(stack, nil)
}

// An Edge is a call in an archive of domain sampled: how much of what was sampled had it
// among its last calls. Package pprof says how it is computed.
type Edge struct {
	Caller reader.Method
	Point  int32 // of the call, in lines from the start of the caller
	Callee reader.Method
	Weight uint64

	Profile reader.Profile // of the caller, which has the edge
}

// Edges calls yield with the edges of an archive, edges of one caller and point one after
// the other. It returns the error of the archive or of yield.
func Edges(s *reader.Store, yield func(Edge) error) error { return eachMethod(s, EdgesFrom, yield) }

// EdgesFrom calls yield with the edges from one method. It returns the error of the archive or of yield.
func EdgesFrom(m reader.Method, yield func(Edge) error) error {
	for p, err := range m.Profiles() {
		if err != nil {
			return err
		}
		if _, inContext, err := p.Context(); err != nil || inContext {
			return err // profiles without a context come first
		}
		for e := range p.Entries() {
			rows, ok := e.Rows()
			if !ok || e.Tag() != layout.TagCallees {
				continue
			}
			for i := range rows.Len() {
				callee, err := rows.Method(i)
				if err == nil {
					err = yield(Edge{m, e.Point(), callee, rows.Cell(i, 1).Trained(), p})
				}
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// A Place is where a function is declared. Fields that are not known are zero.
type Place struct {
	System string // the name that the linker knows, if it is another
	File   string
	Line   uint64 // from 1
}

// Places returns the places of the functions of an archive, by method: of functions of one
// name in several files the first.
func Places(s *reader.Store) (map[layout.Ref]Place, error) {
	t, err := s.TableOrEmpty(disk.TableFunctions)
	if err != nil {
		return nil, err
	}
	texts := map[uint64]string{}
	text := func(column, row int) string {
		at := t.Cell(column, row)
		if _, ok := texts[at]; !ok && err == nil && at != 0 {
			texts[at], err = t.Text(column, row)
		}
		return texts[at]
	}
	places := make(map[layout.Ref]Place, t.Rows)
	for row := range t.Rows {
		of := layout.Ref(t.Cell(0, row))
		if _, ok := places[of]; !ok {
			places[of] = Place{text(1, row), text(2, row), t.Cell(3, row)}
		}
	}
	if err != nil {
		err = disk.InFile(err, s.Mapping().Name())
	}
	return places, err
}
