package reader_test

import (
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A modelFrame is a frame by the number of its method.
type modelFrame struct{ caller, point int }

type modelKey struct {
	method int
	code   uint64
	frames string
}

const modelMethods = 4

func modelMethodKey(i int) layout.Key { return layout.Key{Class: "C", Name: fmt.Sprint("m", i)} }

func frameLists() *rapid.Generator[[]modelFrame] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) modelFrame {
		return modelFrame{rapid.IntRange(0, modelMethods-1).Draw(t, "caller"), rapid.IntRange(-1, 1).Draw(t, "point")}
	}), 0, 4)
}

// A lookup in a context returns what a search through all profiles returns: of
// those with the code, the one with the longest prefix of the frames.
func TestProfileIsTheOneWithTheLongestPrefix(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		profiles := map[modelKey]uint64{}
		s := modelStore(t, profiles)
		for range 30 {
			method, frames := rapid.IntRange(0, modelMethods-1).Draw(t, "method"), frameLists().Draw(t, "frames")
			code := rapid.Uint64Range(1, 3).Draw(t, "code")
			wantDepth, want := -1, uint64(0)
			for depth := range len(frames) + 1 {
				if n, ok := profiles[modelKey{method, code, fmt.Sprint(frames[:depth])}]; ok {
					wantDepth, want = depth, n
				}
			}
			p, depth, err := modelMethod(t, s, method).Profile(code, modelFrames(t, s, frames)...)
			if wantDepth < 0 {
				if !errors.Is(err, reader.ErrNotFound) {
					t.Fatalf("no profile fits: %v", err)
				}
				continue
			}
			if c, _ := p.Invocations(); err != nil || depth != wantDepth || c.Load() != want {
				t.Fatalf("profile %d at depth %d, %v; want %d at %d", c.Load(), depth, err, want, wantDepth)
			}
		}
	})
}

// modelStore makes a store of drawn profiles and notes them.
func modelStore(t *rapid.T, profiles map[modelKey]uint64) *reader.Store {
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	for i := range uint64(rapid.IntRange(0, 40).Draw(t, "profiles")) {
		method, frames := rapid.IntRange(0, modelMethods-1).Draw(t, "method"), frameLists().Draw(t, "frames")
		k := modelKey{method, rapid.Uint64Range(1, 3).Draw(t, "code"), fmt.Sprint(frames)}
		if _, twice := profiles[k]; twice {
			continue
		}
		profiles[k] = i
		m := b.Method(modelMethodKey(method))
		var callers []builder.Frame
		for _, f := range frames {
			callers = append(callers, builder.Frame{Caller: b.Method(modelMethodKey(f.caller)), Point: int32(f.point)})
		}
		counted(b, m, k.code, b.Context(m, callers...), i)
	}
	for i := range modelMethods {
		b.Method(modelMethodKey(i))
	}
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	m, err := archive.FromBytes("model", data, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return reader.New(m)
}

func modelMethod(t *rapid.T, s *reader.Store, i int) reader.Method {
	m, err := s.Find(modelMethodKey(i))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func modelFrames(t *rapid.T, s *reader.Store, frames []modelFrame) (found []reader.Frame) {
	for _, f := range frames {
		found = append(found, reader.Frame{Caller: modelMethod(t, s, f.caller), Point: int32(f.point)})
	}
	return found
}
