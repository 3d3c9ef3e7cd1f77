package bench

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/iprof"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// BenchmarkContext looks profiles up in their calling contexts, in random
// order: in archives of recorded profiles, and of a method that has a great
// many.
func BenchmarkContext(b *testing.B) {
	for _, name := range []string{"elidemin-1.0.0.iprof", "some-compiler-0.4.0.iprof.gz"} {
		b.Run(name, func(b *testing.B) { lookupContexts(b, storeOf(b, sample(b, name))) })
	}
	for _, nodes := range []int{3_000, 300_000} {
		b.Run(fmt.Sprint(nodes, " contexts of a method"), func(b *testing.B) { lookupContexts(b, storeOf(b, manyContexts(nodes))) })
	}
}

// lookupContexts looks up all profiles in contexts, over and over.
func lookupContexts(b *testing.B, s *reader.Store) {
	questions := contextsOf(b, s)
	if len(questions) == 0 {
		b.Fatal("no profile in a context")
	}
	perm, frames, n := order(len(questions)), 0, 0
	b.ReportAllocs()
	for b.Loop() {
		q := &questions[perm[n%len(perm)]]
		n++
		frames += len(q.frames)
		if p, _, err := q.m.Profile(q.code, q.frames...); err != nil || p.Ref() != q.want {
			b.Fatalf("the profile at 0x%x, %v", p.Ref().Offset(), err)
		}
	}
	b.ReportMetric(float64(frames)/float64(n), "frames/op")
}

// manyContexts gives one method so many context nodes, of up to three frames,
// each with a profile.
func manyContexts(nodes int) *builder.Builder {
	built := builder.New(layout.DomainGraal, builder.Config{})
	leaf := built.Method(layout.Key{Class: "C", Name: "leaf"})
	random := rand.New(rand.NewPCG(3, 4))
	for i := range nodes / 3 {
		var frames []builder.Frame
		for range 3 {
			caller := built.Method(layout.Key{Class: "C", Name: fmt.Sprint("caller ", random.IntN(1000))})
			frames = append(frames, builder.Frame{Caller: caller, Point: int32(i)})
			p := built.Profile(leaf, 0, built.Context(leaf, frames...))
			p.Invocations(1)
			if err := p.Done(); err != nil {
				panic(err)
			}
		}
	}
	return built
}

// A contextQuestion asks for a profile.
type contextQuestion struct {
	m      reader.Method
	code   uint64
	frames []reader.Frame
	want   layout.Ref
}

// contextsOf gives all profiles in contexts.
func contextsOf(b *testing.B, s *reader.Store) (questions []contextQuestion) {
	for m, err := range s.Methods() {
		if err != nil {
			b.Fatal(err)
		}
		for p, err := range m.Profiles() {
			if err != nil {
				b.Fatal(err)
			}
			c, ok, err := p.Context()
			if err != nil {
				b.Fatal(err)
			}
			if !ok {
				continue
			}
			frames, err := c.Frames()
			if err != nil {
				b.Fatal(err)
			}
			questions = append(questions, contextQuestion{m, p.Code(), frames, p.Ref()})
		}
	}
	return questions
}

// sample reads a recorded profile, which lies beside the project on some
// machines.
func sample(b *testing.B, name string) *builder.Builder {
	text, err := os.ReadFile(filepath.Join("..", "..", "shared", "samples", "iprof", name))
	if os.IsNotExist(err) {
		b.Skip("the recorded profiles do not lie beside the project")
	} else if err != nil {
		b.Fatal(err)
	}
	var in io.Reader = bytes.NewReader(text)
	if strings.HasSuffix(name, ".gz") {
		if in, err = gzip.NewReader(in); err != nil {
			b.Fatal(err)
		}
	}
	built, _, err := iprof.Read(in, iprof.ReadOptions{Name: name})
	if err != nil {
		b.Fatal(err)
	}
	return built
}

// storeOf opens the archive that a builder makes.
func storeOf(b *testing.B, built *builder.Builder) *reader.Store {
	data, _, err := built.Bytes()
	if err != nil {
		b.Fatal(err)
	}
	m, err := archive.FromBytes("contexts", data, archive.Options{})
	if err != nil {
		b.Fatal(err)
	}
	s := reader.New(m)
	b.Cleanup(func() { s.Close() })
	return s
}
