package stacks

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// eachContext yields the stacks of an archive of domain sampled. The context of a profile has the callers of the leaf.
func eachContext(s *reader.Store, yield func(Stack, error) bool) {
	var stack Stack
	for m, err := range s.Methods() {
		if err != nil {
			yield(Stack{}, disk.WithFileName(err, s.Mapping().Name()))
			return
		}
		for p, err := range m.Profiles() {
			if err == nil {
				err = stack.setCallers(m, p)
			}
			if err != nil {
				yield(Stack{}, disk.WithFileName(err, s.Mapping().Name()))
				return
			}
			if !stack.yieldPoints(p, yield) {
				return
			}
		}
	}
}

// A Leaf has the samples of a function in one calling context.
type Leaf struct {
	Method  reader.Method
	Context reader.Context // zero without callers
	Stacks  int            // number of lines with samples
	Count   uint64         // samples
	Time    uint64         // processor time in nanoseconds, 0 if unknown
	profile reader.Profile
}

// A LeafPoint has the samples of a line of a leaf.
type LeafPoint struct {
	Point       int32
	Count, Time uint64
}

// Points returns the lines with samples.
func (l *Leaf) Points() (list []LeafPoint) {
	stack := Stack{Frames: []Frame{{Method: l.Method}}}
	stack.yieldPoints(l.profile, func(k Stack, _ error) bool {
		list = append(list, LeafPoint{k.Frames[0].Point, k.Count, k.Time})
		return true
	})
	return list
}

// Leaves calls yield with all leaves of an archive of domain sampled. It takes linear time, while the frames of all
// stacks can be quadratic in the size of the archive. It returns the error of the archive or of yield.
func Leaves(s *reader.Store, yield func(Leaf) error) error { return eachMethod(s, eachLeaf, yield) }

// eachMethod calls of for each method. Its error names the archive.
func eachMethod[T any](s *reader.Store, of func(reader.Method, func(T) error) error, yield func(T) error) (err error) {
	for m := range poll.Values(s.Methods(), &err) {
		err = of(m, yield)
	}
	return disk.WithFileName(err, s.Mapping().Name())
}

func eachLeaf(m reader.Method, yield func(Leaf) error) (err error) {
	for p := range poll.Values(m.Profiles(), &err) {
		leaf := Leaf{Method: m, profile: p}
		stack := Stack{Frames: []Frame{{Method: m}}}
		stack.yieldPoints(p, func(k Stack, _ error) bool {
			leaf.Stacks++
			leaf.Count = disk.SaturatingAdd(leaf.Count, k.Count)
			leaf.Time = disk.SaturatingAdd(leaf.Time, k.Time)
			return true
		})
		if leaf.Stacks > 0 {
			leaf.Context, _, err = p.Context()
			if err == nil {
				err = yield(leaf)
			}
		}
	}
	return err
}

// setCallers sets the frames to the leaf, without its point, and the callers in the context of p.
func (k *Stack) setCallers(m reader.Method, p reader.Profile) error {
	k.Frames = append(k.Frames[:0], Frame{Method: m})
	c, ok, err := p.Context()
	k.Context = c
	if err != nil || !ok {
		return err
	}
	frames, err := c.Frames()
	for _, f := range frames {
		k.Frames = append(k.Frames, Frame{f.Caller, f.Point})
	}
	return err
}

// yieldPoints yields a stack for each point of p. The entries of a point are adjacent.
func (k *Stack) yieldPoints(p reader.Profile, yield func(Stack, error) bool) bool {
	k.Count = 0
	k.Time = 0
	for e := range p.Entries() {
		c, ok := e.Counter()
		if !ok || e.Tag() != layout.TagCount {
			continue
		}
		if e.Point() != k.Frames[0].Point && !k.yieldCounted(yield) {
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
	return k.yieldCounted(yield)
}

// yieldCounted yields the stack unless it has no samples, and resets its counts.
func (k *Stack) yieldCounted(yield func(Stack, error) bool) bool {
	if k.Count == 0 && k.Time == 0 {
		return true
	}
	stack := *k
	k.Count = 0
	k.Time = 0
	return yield(stack, nil)
}

// An Edge is a call in an archive of domain sampled. Its weight is the number of samples, or their time, with this call
// among the last calls of the stack.
type Edge struct {
	Caller reader.Method
	Point  int32 // line of the call, from the start of the caller
	Callee reader.Method
	Weight uint64

	Profile reader.Profile // the caller's profile that contains the edge
}

// Edges calls yield with the edges of an archive. Edges with the same caller and point are adjacent. It returns the
// error of the archive or of yield.
func Edges(s *reader.Store, yield func(Edge) error) error { return eachMethod(s, EdgesFrom, yield) }

// EdgesFrom calls yield with the edges whose caller is m. It returns the error of the archive or of yield.
func EdgesFrom(m reader.Method, yield func(Edge) error) (err error) {
	for p := range poll.Values(m.Profiles(), &err) {
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
	return err
}

// A Place is the declaration of a function. Unknown fields are zero.
type Place struct {
	System string // linker name if it differs from the method's name
	File   string
	Line   uint64 // line number from 1
}

// Places returns the declarations of the methods of an archive. If a method has several, it returns the first.
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
		err = disk.WithFileName(err, s.Mapping().Name())
	}
	return places, err
}
