// Package bench compares profarc with alternatives. Both run in the same process, so that the ratio is valid on a noisy
// machine. README.md describes the measurements and has the results.
package bench

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
)

// A Scale is the size of a synthetic archive.
type Scale struct {
	Name    string
	Methods int
	Block   int // approximate size of a MethodData in bytes

	Invocations uint64 // invocation count of all methods, or 0 for different counts
	Shuffled    bool   // random order of methods
	Javac       bool   // sizes of keys and MethodData as in a run of javac; ignores Block
}

// Key returns the key of method i.
func (s Scale) Key(i int) layout.Key {
	if s.Javac {
		return JavacKey(i)
	}
	return Key(i)
}

func (s Scale) block(i int) int {
	if s.Javac {
		return JavacBlock(i)
	}
	return s.Block
}

// Scales from the profile of a small program to one that exceeds all known profiles.
var (
	Small = Scale{Name: "10MB", Methods: 20_000, Block: 400}
	Large = Scale{Name: "1GB", Methods: 1_000_000, Block: 900}
	Huge  = Scale{Name: "8GB", Methods: 4_000_000, Block: 1_950}
)

// Key returns the key of method i, which has about 75 bytes as in real programs.
func Key(i int) layout.Key {
	return layout.Key{
		Class:     fmt.Sprintf("org/synthetic/module%03d/package%02d/ClassOfMethods%06d", i%500, i%37, i/8),
		Name:      fmt.Sprintf("method%d", i%8),
		Signature: "(Ljava/lang/Object;I)V",
	}
}

// ID returns the id of method i.
func ID(i int) uint64 { return Key(i).ID(layout.DomainHotSpot) }

// Params returns the settings of JDK 17.
func Params() (p layout.Params) {
	p.TypeProfileWidth, p.BciProfileWidth, p.ReceiverGap = 2, 2, 1
	p.VMRelease = 17
	return p
}

// Build records the profiles of a scale.
func Build(s Scale) (*builder.Builder, error) {
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: Params(), Producer: "synthetic"})
	return b, Record(b, s)
}

// Record adds the profiles of a scale to a builder.
func Record(b *builder.Builder, s Scale) error {
	types := make([]builder.TypeRef, 1000)
	for i := range types {
		types[i] = b.Type(builder.TypeKey{Name: fmt.Sprintf("org/synthetic/Receiver%03d", i)})
	}
	for i := range s.Methods {
		if err := addProfile(b, s.place(i), s, types); err != nil {
			return err
		}
	}
	return nil
}

// place returns the number of the method at position i.
func (s Scale) place(i int) int {
	if s.Shuffled {
		return int(uint64(i) * 1_000_000_007 % uint64(s.Methods)) // the prime divides none of the numbers of methods
	}
	return i
}

// addProfile records branches and virtual calls in turn, as in Java code.
func addProfile(b *builder.Builder, i int, s Scale, types []builder.TypeRef) error {
	const branch, call = 32, 64
	p := b.Profile(s.Key(i), 0)
	p.Invocations(cmp.Or(s.Invocations, uint64(i)))
	p.Backedges(uint64(i) / 3)
	bci := uint16(0) // in the largest blocks it begins again
	for n, size := 0, s.block(i); n < size; n += branch + call {
		count := uint64(n + i)
		p.Branch(builder.At{Bci: int32(bci)}, builder.Branch{Taken: count, Displacement: 32, NotTaken: count / 2})
		p.VirtualCall(builder.At{Bci: int32(bci + 3)}, builder.Others{},
			builder.Row{Type: types[(i+n)%len(types)], Count: count})
		bci += 7
	}
	return p.Done()
}

// Archive returns the path of the archive of a scale in dir. It builds the archive if it does not exist.
func Archive(dir string, s Scale) (string, error) {
	path := filepath.Join(dir, "synthetic-"+s.Name+".parc")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	b, err := Build(s)
	if err != nil {
		return "", err
	}
	_, err = b.Commit(context.Background(), path)
	return path, err
}
