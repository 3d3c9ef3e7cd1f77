package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/fleet/internal/manyarchives"
	account "github.com/profarc/profarc/internal/ledger"
	accounts "github.com/profarc/profarc/internal/ledger/archived"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/verify"
)

// Commands of the scripts.

// command returns what testscript runs as a program.
func command(run func(args []string) error) func() {
	return func() {
		if err := run(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// makeArchives implements the command archives [-n N] [-methods N] [-own N] [-shared N] -o DIR.
func makeArchives(args []string) error {
	var o manyarchives.Options
	f := flag.NewFlagSet("archives", flag.ContinueOnError)
	f.IntVar(&o.N, "n", 5, "")
	f.IntVar(&o.Methods, "methods", 40, "")
	f.IntVar(&o.Own, "own", 10, "")
	f.IntVar(&o.Shared, "shared", 100, "")
	f.StringVar(&o.Out, "o", "", "")
	if err := f.Parse(args); err != nil {
		return err
	}
	return manyarchives.Make(o)
}

// mergeWhole implements the command whole [-half-life AGE] OUT DIR: one merge of all archives of a directory.
func mergeWhole(args []string) error {
	f := flag.NewFlagSet("whole", flag.ContinueOnError)
	half := f.Duration("half-life", 0, "")
	if err := f.Parse(args); err != nil {
		return err
	}
	names, err := filepath.Glob(filepath.Join(f.Arg(1), "*.parc"))
	if err != nil || len(names) == 0 {
		return fmt.Errorf("no archives in %s: %v", f.Arg(1), err)
	}
	var stores []*reader.Store
	newest := time.Time{}
	for _, name := range names {
		s, err := reader.Open(name, archive.Options{})
		if err != nil {
			return err
		}
		defer s.Close()
		if stores = append(stores, s); s.Header().Time().After(newest) {
			newest = s.Header().Time()
		}
	}
	h := stores[0].Header()
	b := builder.New(h.Domain, builder.Config{Params: h.Params})
	for _, s := range stores {
		if err := merge.Into(context.Background(), b, s,
			merge.Run{Weight: merging.HalfLife(newest.Sub(s.Header().Time()), *half)}); err != nil {
			return err
		}
	}
	merging.NoteOperation(b.Internal())
	_, err = b.Commit(context.Background(), f.Arg(0))
	return err
}

// halve implements the command half FILE: it cuts a file.
func halve(args []string) error {
	info, err := os.Stat(args[0])
	if err != nil {
		return err
	}
	return os.Truncate(args[0], info.Size()/2)
}

// damage implements the command damage DIR: it changes a byte in the middle of an archive below a directory.
func damage(args []string) error {
	names, err := filepath.Glob(filepath.Join(args[0], "*", "*.parc"))
	if err != nil || len(names) == 0 {
		return fmt.Errorf("no archives below %s: %v", args[0], err)
	}
	data, err := os.ReadFile(names[len(names)-1])
	if err != nil {
		return err
	}
	data[len(data)-9] ^= 1
	return os.WriteFile(names[len(names)-1], data, 0o666)
}

// await implements the command await FILE: it waits until a file is there.
func await(args []string) error {
	for {
		if _, err := os.Stat(args[0]); err == nil {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// printAccount implements the command account FILE: the inputs of an archive that are not in it, and how many are.
func printAccount(args []string) error {
	s, err := reader.Open(args[0], archive.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	of, err := accounts.Account(s)
	if err != nil {
		return err
	}
	of.Sort()
	for _, in := range of.Inputs {
		if in.State != account.Read && in.State != account.Expected {
			fmt.Println(in.State, in.Name)
		}
	}
	fmt.Println(of.Count(account.Read), "read")
	return nil
}

// printCount implements the command count FILE FUNCTION: the first count of a function. The archive must be sound.
func printCount(args []string) error {
	s, err := reader.Open(args[0], archive.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	if r, err := verify.Store(context.Background(), s, nil); err != nil || !r.Sound() {
		return fmt.Errorf("%v %v", err, r.Problems)
	}
	for m := range s.Methods() {
		if k, err := m.Key(); err != nil || k.Name != args[1] {
			continue
		}
		for p := range m.Profiles() {
			for e := range p.Entries() {
				fmt.Println(e.Cell(0).Trained())
				return nil
			}
		}
	}
	return fmt.Errorf("%s has no count of %s", args[0], args[1])
}
