package merge_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// writeRun writes the archive of a run that called one method.
func writeRun(path string, key layout.Key, calls uint64) {
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: builder.HotSpotParams(25), Run: &layout.Provenance{
		VM: "example", Process: layout.Process{PID: calls}}})
	p := b.Profile(key, layout.CodeUnknown)
	p.Invocations(calls)
	if err := p.Done(); err != nil {
		log.Fatal(err)
	}
	if _, err := b.Commit(context.Background(), path); err != nil {
		log.Fatal(err)
	}
}

// Two runs are summed into one archive.
func ExampleFiles() {
	dir, err := os.MkdirTemp("", "merge")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	monday, tuesday, all := filepath.Join(dir, "mon.parc"), filepath.Join(dir, "tue.parc"), filepath.Join(dir, "all.parc")
	key := layout.Key{Class: "Shapes", Name: "sum", Signature: "()J"}
	writeRun(monday, key, 100)
	writeRun(tuesday, key, 50)

	if _, err := merge.Files(context.Background(), all, monday, tuesday); err != nil {
		log.Fatal(err)
	}

	s, err := reader.Open(all, archive.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	p, err := s.Profile(key, layout.CodeAny)
	if err != nil {
		log.Fatal(err)
	}
	n, _ := p.Invocations()
	fmt.Println(n.Load())
	// Output: 150
}
