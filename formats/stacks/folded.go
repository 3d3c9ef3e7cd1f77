package stacks

import (
	"bufio"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/reader"
)

// WriteFolded writes sampled stacks in collapsed form, one line a stack:
//
//	root;caller;leaf samples
//
// Frames are Class.method: methods that differ in parameters alone, and
// different points of one method, are one frame. Equal stacks are summed; the
// lines are sorted. A semicolon or line break in a name is written as a comma
// or blank. The error matches ErrNoSamples if there are none.
func WriteFolded(w io.Writer, s *reader.Store) error {
	folded, err := fold(s)
	if err != nil {
		return err
	}
	if len(folded) == 0 {
		return nothing(s, ErrNoSamples)
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

var inFrame = strings.NewReplacer(";", ",", "\n", " ", "\r", " ")

// fold sums the samples of equal stacks.
func fold(s *reader.Store) (map[string]uint64, error) {
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
			b = append(b, inFrame.Replace(name.String())...)
			if i > 0 {
				b = append(b, ';')
			}
		}
		folded[string(b)] = disk.SaturatingAdd(folded[string(b)], stack.Count)
	}
	return folded, nil
}
