package archive_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
)

// record writes an archive with a profile of one method, and returns its path.
func record(dir string) string {
	b := builder.New(layout.DomainHotSpot, builder.Config{Producer: "an example"})
	p := b.Profile(b.Method(layout.Key{Class: "Main", Name: "main", Signature: "()V"}), 0, builder.NoContext)
	p.Invocations(1)
	if err := p.Done(); err != nil {
		log.Fatal(err)
	}
	path := filepath.Join(dir, "app.parc")
	if _, err := b.Commit(context.Background(), path); err != nil {
		log.Fatal(err)
	}
	return path
}

// A VM that finds no archive that fits it starts without a profile.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "archive")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	m, err := archive.Open(record(dir), archive.Options{Expect: archive.Expect{Domain: layout.DomainHotSpot}})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	fmt.Println(m.Header().Domain, "of", m.Header().Producer, "with", m.Header().Counts.Profiles, "profile")
	fmt.Println("verified:", m.Verify(context.Background(), nil))

	_, err = archive.Open(m.Name(), archive.Options{Expect: archive.Expect{Domain: layout.DomainGraal}})
	fmt.Println("another domain:", errors.Is(err, layout.ErrIdentity))
	// Output:
	// hotspot of an example with 1 profile
	// verified: <nil>
	// another domain: true
}
