package archive_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing/fstest"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
)

// record writes an archive with a profile of one method, and returns its path.
func record(dir string) string {
	b := builder.New(layout.DomainHotSpot, builder.Config{Producer: "an example"})
	p := b.Profile(layout.Key{Class: "Main", Name: "main", Signature: "()V"}, 0)
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

// A program has its archive within itself: with //go:embed app.parc, the file system is an embed.FS.
func ExampleOpenFS() {
	b := builder.New(layout.DomainGraal, builder.Config{Producer: "an example"})
	data, _, err := b.Bytes()
	if err != nil {
		log.Fatal(err)
	}
	files := fstest.MapFS{"app.parc": {Data: data}}
	m, err := archive.OpenFS(files, "app.parc", archive.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	fmt.Println(m.Name(), "of", m.Header().Producer)
	// Output: app.parc of an example
}

// An archive in a bundle of files is read where it is.
func ExampleOpenReaderAt() {
	var bundle strings.Builder
	bundle.WriteString("a bundle\n")
	data, _, err := builder.New(layout.DomainGraal, builder.Config{Producer: "an example"}).Bytes()
	if err != nil {
		log.Fatal(err)
	}
	bundle.Write(data)
	part := strings.NewReader(bundle.String()[len("a bundle\n"):])
	m, err := archive.OpenReaderAt("bundle:app.parc", part, int64(len(data)), archive.Options{CheckAll: true})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	fmt.Println(m.Name(), "of", m.Header().Producer)
	// Output: bundle:app.parc of an example
}
