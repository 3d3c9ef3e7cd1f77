package stacks

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// WriteFolded writes sampled stacks in collapsed form with a line per stack.
//
//	root;caller;leaf samples
//
// A frame is Class.method, without signature and point. WriteFolded merges equal stacks and sorts the lines. It
// replaces semicolons in names by commas and line breaks by spaces. The error matches ErrNoSamples if there are no
// stacks.
func WriteFolded(w io.Writer, s *reader.Store) error {
	folded, err := foldStacks(s)
	if err != nil {
		return err
	}
	if len(folded) == 0 {
		return fmt.Errorf("%s (domain %s): %w", s.Mapping().Name(), s.Header().Domain, ErrNoSamples)
	}
	out := bufio.NewWriter(w)
	var b []byte
	for _, line := range slices.Sorted(maps.Keys(folded)) {
		b = append(append(b[:0], line...), ' ')
		b = append(strconv.AppendUint(b, folded[line], 10), '\n')
		if _, err := out.Write(b); err != nil {
			return err
		}
	}
	return out.Flush()
}

var frameReplacer = strings.NewReplacer(";", ",", "\n", " ", "\r", " ")

// foldStacks returns the number of samples of each stack in collapsed form.
func foldStacks(s *reader.Store) (map[string]uint64, error) {
	named := NewNamed(s)
	folded := map[string]uint64{}
	var b []byte
	for stack, err := range Sampled(s) {
		if err != nil {
			return nil, err
		}
		b = b[:0]
		for i, f := range slices.Backward(stack.Frames) {
			name, err := named.Of(f.Method)
			if err != nil {
				return nil, err
			}
			b = append(b, frameReplacer.Replace(name.String())...)
			if i > 0 {
				b = append(b, ';')
			}
		}
		folded[string(b)] = disk.SaturatingAdd(folded[string(b)], stack.Count)
	}
	return folded, nil
}

// ErrNoSamples means that the archive has no sampled stacks.
var ErrNoSamples = errors.New("no sampled stacks: import a CPU profile of pprof's (domain sampled), or an .iprof " +
	"file that has samplingProfiles (domain graal)")

// A Stack is a sampled stack. Its frames are valid until the next iteration.
type Stack struct {
	Frames []Frame // leaf first
	Count  uint64  // samples
	Time   uint64  // processor time in nanoseconds, 0 if unknown
}

// A Frame is a method on a stack. The method of an unknown function is invalid.
type Frame struct {
	Method reader.Method
	Point  int32
}

// Sampled iterates over the sampled stacks of an archive. An error ends the iteration.
func Sampled(s *reader.Store) iter.Seq2[Stack, error] {
	return func(yield func(Stack, error) bool) {
		if s.Header().Domain == layout.DomainSampled {
			eachContext(s, yield)
			return
		}
		t, err := s.TableOrEmpty(disk.TableSamples)
		if err != nil {
			yield(Stack{}, disk.WithFileName(err, s.Mapping().Name()))
			return
		}
		eachStack(s, &t, yield)
	}
}

// eachStack yields the stacks of the table samples. Adjacent rows with the same number form a stack.
func eachStack(s *reader.Store, t *reader.Table, yield func(Stack, error) bool) {
	var stack Stack
	for row := 0; row < t.Rows; {
		number := t.Cell(0, row)
		stack.Frames = stack.Frames[:0]
		stack.Count = t.Cell(3, row)
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
