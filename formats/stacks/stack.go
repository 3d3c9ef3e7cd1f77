package stacks

import (
	"errors"
	"fmt"
	"iter"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// ErrNoSamples: the archive has no sampled stacks.
var ErrNoSamples = errors.New("no sampled stacks: import an .iprof file that has samplingProfiles (domain graal)")

// A Stack is a sampled stack. It is valid until the next one.
type Stack struct {
	Frames []Frame // leaf first
	Count  uint64  // samples
}

// A Frame is a method on a stack, and where in it the thread was, or the call.
// The method may be none.
type Frame struct {
	Method reader.Method
	Point  int32
}

// Sampled goes through the sampled stacks of an archive; it has none if there
// are none. An error ends it.
func Sampled(s *reader.Store) iter.Seq2[Stack, error] {
	return func(yield func(Stack, error) bool) {
		t, err := s.Table(layout.TableSamples)
		if errors.Is(err, reader.ErrNotFound) {
			return
		}
		if err != nil {
			yield(Stack{}, disk.InFile(err, s.Mapping().Name()))
			return
		}
		eachStack(s, &t, yield)
	}
}

// eachStack puts rows with one number together. All rows of a stack have its
// count.
func eachStack(s *reader.Store, t *disk.Table, yield func(Stack, error) bool) {
	var stack Stack
	for row := 0; row < t.Rows; {
		number := t.Cell(0, row)
		stack.Frames, stack.Count = stack.Frames[:0], t.Cell(3, row)
		for ; row < t.Rows && t.Cell(0, row) == number; row++ {
			m, err := s.MethodAt(layout.Ref(t.Cell(1, row)))
			if err != nil && !errors.Is(err, reader.ErrNotFound) {
				yield(Stack{}, err)
				return
			}
			stack.Frames = append(stack.Frames, Frame{m, int32(t.Cell(2, row))})
		}
		if !yield(stack, nil) {
			return
		}
	}
}

// nothing names the archive that lacks something.
func nothing(s *reader.Store, what error) error {
	return fmt.Errorf("%s (domain %s): %w", s.Mapping().Name(), s.Header().Domain, what)
}
