package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/bench"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/rawprofile"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// The kinds of methods that are looked up in other ways than a plain hit by key. They lie
// in one archive of GraalVM's domain, in turn.
const (
	kindPlain = iota
	kindList
	kindLoader
	kindContext
	kindVersions
	kindUnexecuted
	numKinds

	plain = "plain"
)

var kindNames = [numKinds]string{plain, "list signature", "loader", "context of 3 frames", "one of 3 versions",
	"unexecuted"}

// frames spell a context that is asked for.
const frames = 3

// version is the one that is asked for, of versions.
const version, versions = 2, 3

// kindKey returns the key of method i, of kind i % numKinds.
func kindKey(i int) layout.Key {
	k := bench.JavacKey(i)
	switch i % numKinds {
	case kindList:
		k.Signature = fmt.Sprintf("void(%s,%s)", kindType(i), kindType(i/7))
	case kindLoader:
		k.Loader = fmt.Sprintf("loader of component %d", i%50)
	}
	return k
}

// kindType returns the name of one of the types that signatures list.
func kindType(i int) string { return fmt.Sprintf("org.synthetic.types.Argument%04d", i%2000) }

// caller returns the number of a plain method that calls method i through so many frames.
func caller(i, frame int) int { return max(0, i/numKinds-5*frame) * numKinds }

func buildKinds(n int) (*builder.Builder, error) {
	b := builder.New(layout.DomainGraal, builder.Config{Params: bench.Params(), Producer: "synthetic"})
	b.Type(builder.TypeKey{Name: "void"})
	for i := range 2000 {
		b.Type(builder.TypeKey{Name: kindType(i)})
	}
	for i := range n {
		if err := addKind(b, i); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func addKind(b *builder.Builder, i int) error {
	m := b.Method(kindKey(i))
	switch i % numKinds {
	case kindUnexecuted:
		b.Seen(m)
		return nil
	case kindVersions:
		for v := uint64(1); v <= versions; v++ {
			if err := addCounted(b, i, m, v, builder.NoContext); err != nil {
				return err
			}
		}
		return nil
	case kindContext:
		if err := addContexts(b, i, m); err != nil {
			return err
		}
	}
	return addCounted(b, i, m, 0, builder.NoContext)
}

// addContexts records a profile for each depth.
func addContexts(b *builder.Builder, i int, m builder.MethodRef) error {
	c := builder.NoContext
	for frame := range frames {
		c = rawprofile.Set(b).OuterContext(m, c, b.Method(kindKey(caller(i, frame))), int32(frame))
		if err := addCounted(b, i, m, 0, c); err != nil {
			return err
		}
	}
	return nil
}

// addCounted records a profile as large as one of javac's.
func addCounted(b *builder.Builder, i int, m builder.MethodRef, code uint64, c builder.ContextRef) error {
	p := b.ProfileIn(m, code, c)
	p.Invocations(counted)
	for at, size := 0, bench.JavacBlock(i); at < size; at += 32 {
		p.Count(builder.Count{Point: int32(at), Sub: layout.SubCalls, N: uint64(i)})
	}
	return p.Done()
}

// A kindField is an archive of all kinds.
type kindField struct {
	n     int
	store *reader.Store
	order []int         // of the methods of a kind, at random
	next  [numKinds]int // the first of order that the next turn takes
}

func newKindField(dir string, n int) (*kindField, error) {
	path := filepath.Join(dir, fmt.Sprintf("kinds-%d.parc", n))
	if err := archiveOf(path, func() (*builder.Builder, error) { return buildKinds(n) }); err != nil {
		return nil, err
	}
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		return nil, err
	}
	f := &kindField{n: n, store: s, order: rand.New(rand.NewPCG(3, 4)).Perm(n / numKinds)}
	return f, f.meetAll()
}

// meetAll looks every method up once, so that all of it is checked.
func (f *kindField) meetAll() error {
	for kind := range kindLooks {
		q, err := f.query(kind, len(f.order))
		if err != nil {
			return err
		}
		if got, want := kindLooks[kind].all(f, q, false), uint64(len(f.order))*counted; got != want {
			return fmt.Errorf("%s: counters sum to %d, want %d", kindNames[kind], got, want)
		}
	}
	return nil
}

// A kindQuery is what one turn asks for. Callers are methods that the program has looked up long before.
type kindQuery struct {
	keys   []layout.Key
	frames [][frames]reader.Frame
}

// query returns the next n methods of a kind in random order.
func (f *kindField) query(kind, n int) (*kindQuery, error) {
	q := &kindQuery{}
	for range n {
		i := f.order[f.next[kind]]*numKinds + kind
		f.next[kind] = (f.next[kind] + 1) % len(f.order)
		k := kindKey(i)
		q.keys = append(q.keys, cut(textOf(&k), &k))
		if kind == kindContext {
			of, err := f.framesOf(i)
			if err != nil {
				return nil, err
			}
			q.frames = append(q.frames, of)
		}
	}
	return q, nil
}

func (f *kindField) framesOf(i int) (of [frames]reader.Frame, err error) {
	for frame := range of {
		m, err := f.store.Find(kindKey(caller(i, frame)))
		if err != nil {
			return of, err
		}
		of[frame] = reader.Frame{Caller: m, Point: int32(frame)}
	}
	return of, nil
}
