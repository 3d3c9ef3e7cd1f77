package reader_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// What a VM looks up in: an archive, or layers.
type source interface {
	Adopt(o reader.AdoptOptions) error
	Profile(k layout.Key, code uint64) (reader.Profile, error)
	Close() error
}

// openSource opens the archive of an application with its base, or alone if the base is
// missing, damaged or another one: what the application's archive has is right.
func openSource(app, base string) (source, error) {
	l, err := reader.OpenLayers(archive.Options{}, app, base)
	if err == nil {
		return l, nil
	}
	log.Printf("without the base: %v", err)
	return reader.Open(app, archive.Options{})
}

// dumpLayers writes the live counts of a run that adopted layers: to the path of the topmost
// one, if it is to take its place. It is a layer on the same base.
func dumpLayers(ctx context.Context, l *reader.Layers, path string) error {
	b := builder.New(layout.DomainHotSpot, builder.Config{DumpID: disk.RandomDumpID(),
		Run: &layout.Provenance{VM: "example VM 1"}}) // a run, so that nothing is summed twice
	if _, err := merge.CopyLayers(ctx, b, l, merge.Totals); err != nil {
		return err
	}
	_, err := b.Commit(ctx, path)
	return err
}

// layerOf writes an archive of functions that were called so often, as a layer on base if that is not nil.
func layerOf(path string, base *reader.Store, calls map[string]uint64) {
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	for name, n := range calls {
		p := b.Profile(layout.Key{Class: "C", Name: name, Signature: "()V"}, 7)
		p.Invocations(n)
		mustDone(p)
	}
	if base != nil {
		b.Internal().ExpectBase(base.Header().AsBase())
	}
	if _, err := b.Commit(context.Background(), path); err != nil {
		log.Fatal(err)
	}
}

// mustOpen opens an archive.
func mustOpen(path string) *reader.Store {
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		log.Fatal(err)
	}
	return s
}

func callsOf(in source, name string) string {
	p, err := in.Profile(layout.Key{Class: "C", Name: name, Signature: "()V"}, 7)
	if err != nil {
		return "not found"
	}
	calls, _ := p.Invocations()
	return fmt.Sprintf("%d calls, in %s", calls.Load(), filepath.Base(p.Store().Mapping().Name()))
}

// An application's archive lacks what its base has. Both are looked up in and adopted as one;
// with another base the application's is used alone.
func ExampleOpenLayers() {
	dir, err := os.MkdirTemp("", "layers")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	base, app, live, other := filepath.Join(dir, "base.parc"), filepath.Join(dir, "app.parc"),
		filepath.Join(dir, "live.parc"), filepath.Join(dir, "other.parc")
	layerOf(base, nil, map[string]uint64{"shared": 100, "both": 100})
	layerOf(other, nil, map[string]uint64{"shared": 9})
	s := mustOpen(base)
	layerOf(app, s, map[string]uint64{"own": 5, "both": 7})
	s.Close()

	on, err := openSource(app, base)
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"own", "both", "shared", "none"} {
		fmt.Printf("%s: %s\n", name, callsOf(on, name))
	}

	// A run counts in both, and its dump takes the place of the application's archive.
	if err := on.Adopt(reader.AdoptOptions{}); err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"both", "shared"} {
		p, err := on.Profile(layout.Key{Class: "C", Name: name, Signature: "()V"}, 7)
		if err != nil {
			log.Fatal(err)
		}
		if p, err = p.Claim(); err != nil {
			log.Fatal(err)
		}
		calls, _ := p.Invocations()
		if err := calls.Add(1); err != nil {
			log.Fatal(err)
		}
	}
	if err := dumpLayers(context.Background(), on.(*reader.Layers), live); err != nil {
		log.Fatal(err)
	}
	on.Close()

	in, err := openSource(live, base)
	if err != nil {
		log.Fatal(err)
	}
	defer in.Close()
	fmt.Printf("both: %s\nshared: %s\n", callsOf(in, "both"), callsOf(in, "shared"))

	log.SetOutput(io.Discard)
	defer log.SetOutput(os.Stderr)
	alone, err := openSource(app, other)
	if err != nil {
		log.Fatal(err)
	}
	defer alone.Close()
	fmt.Printf("on another base, both: %s\nshared: %s\n", callsOf(alone, "both"), callsOf(alone, "shared"))
	// Output:
	// own: 5 calls, in app.parc
	// both: 7 calls, in app.parc
	// shared: 100 calls, in base.parc
	// none: not found
	// both: 8 calls, in live.parc
	// shared: 101 calls, in live.parc
	// on another base, both: 7 calls, in app.parc
	// shared: not found
}
