package profarc_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Two profiles of a program, in LLVM's text: name, hash and counters of each function.
const (
	firstRun  = ":ir\nmain\n17\n2\n100\n7\n\nparse\n18\n1\n2000\n"
	secondRun = ":ir\nmain\n17\n2\n20\n1\n"
)

// importAndPrintHottest sums the profiles of several runs in an archive, and prints
// the ten hottest methods. README.md shows it.
func importAndPrintHottest(ctx context.Context, app string, runs ...string) error {
	in, err := formats.Import(ctx, formats.Files(runs...), formats.ImportOptions{})
	if err != nil {
		return err
	}
	if _, err := in.Builder.Commit(ctx, app); err != nil {
		return err
	}
	s, err := reader.Open(app, archive.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	top, err := analyze.Hottest(ctx, s, nil, analyze.RankOptions{Limit: 10})
	if err != nil {
		return err
	}
	for _, m := range top.Methods {
		fmt.Println(m.Value, m.Method)
	}
	return nil
}

// printBranches prints the branches of a method. README.md shows it.
func printBranches(s *reader.Store, key layout.Key) error {
	m, err := s.Find(key)
	if err != nil {
		return err
	}
	p, _, err := m.Profile(layout.CodeAny)
	if err != nil {
		return err
	}
	for e := range p.Entries() { // in bytecode order, read in place
		if b, ok := e.Branch(); ok {
			fmt.Println(e.Point(), b.Taken.Load(), b.NotTaken.Load())
		}
	}
	return nil
}

// A program imports the profiles of two runs and prints the hottest methods.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	var runs []string
	for i, text := range []string{firstRun, secondRun} {
		run := filepath.Join(dir, fmt.Sprintf("run%d.proftext", i))
		if err := os.WriteFile(run, []byte(text), 0o666); err != nil {
			log.Fatal(err)
		}
		runs = append(runs, run)
	}
	if err := importAndPrintHottest(context.Background(), filepath.Join(dir, "app.parc"), runs...); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 2000 parse
	// 128 main
}

// A VM records a profile and reads it back by its key.
func Example_record() {
	b := builder.New(layout.DomainHotSpot, builder.Config{Producer: "Example VM"})
	key := layout.Key{Class: "java/lang/String", Name: "length", Signature: "()I"}
	p := b.Profile(key, 0)
	p.Invocations(61205)
	p.Branch(builder.At{Bci: 3}, builder.Branch{Taken: 61000, Displacement: 16, NotTaken: 205})
	if err := p.Done(); err != nil {
		log.Fatal(err)
	}
	s, err := b.Open("example.parc") // a VM calls b.Commit(ctx, "app.parc") and, at its next start, reader.Open
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	if err := printBranches(s, key); err != nil {
		log.Fatal(err)
	}
	// Output: 3 61000 205
}
