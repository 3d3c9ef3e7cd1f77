package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func TestEditsNameAMissingAnchor(t *testing.T) {
	_, err := apply("vm.go", "return 0\n", []edit{{"return 1\n", "return 2\n", 1}})
	if err == nil || !strings.Contains(err.Error(), `"return 1\n" 0 times instead of 1`) {
		t.Errorf("err = %v", err)
	}
	if _, err := countingHandlers("package lua\n"); err == nil || !strings.Contains(err.Error(), "lacks opArith") {
		t.Errorf("err = %v", err)
	}
}

// TestMain keeps the tests from the network. They find the VM's source in the module cache.
func TestMain(m *testing.M) {
	os.Setenv("GOPROXY", "off")
	os.Exit(m.Run())
}

// builtJudge builds the VMs, or skips the test if the VM's source is not there.
func builtJudge(t *testing.T) *judge {
	t.Helper()
	full.Only(t, "builds a Lua VM twice")
	if _, err := downloadVM(); err != nil {
		t.Skip(err)
	}
	j, err := newJudge(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// TestCountsAreExact compares the profile with the counts of the Lua program itself.
func TestCountsAreExact(t *testing.T) {
	j := builtJudge(t)
	path := filepath.Join(j.dir, "sums.parc")
	for runs := uint64(1); runs <= 2; runs++ {
		f, err := j.run(variant{"sums", "profiled", []string{"-archive", path, "-dump", path}}, "sums")
		if err != nil {
			t.Fatal(err)
		}
		var calls, yes, no, turns uint64
		if _, err := fmt.Sscan(f.result, &calls, &yes, &no, &turns); err != nil {
			t.Fatal(err)
		}
		if calls != 21891 || turns != 2000 {
			t.Fatalf("the program made %d calls of fib(20) and %d iterations", calls, turns)
		}
		s, err := reader.Open(path, archive.Options{})
		if err != nil {
			t.Fatal(err)
		}
		fib := functionOf(t, s, "fib")
		calledFib, _ := fib.Invocations()
		equal(t, "calls of fib", calledFib.Load(), runs*calls)
		taken, notTaken := onlyBranch(t, fib)
		equal(t, "n >= 2", taken, runs*no)
		equal(t, "n < 2", notTaken, runs*yes)
		callees, operands := arrivals(fib)
		equal(t, "callees of fib", callees, runs*(calls-1))
		equal(t, "arithmetic of fib", operands, runs*(calls+yes+no+3*no))
		iterations, _ := functionOf(t, s, "loop").Backedges()
		equal(t, "iterations of loop", iterations.Load(), runs*turns)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestEvalsStayBounded evaluates other code in each of a few runs. The archive must keep the counts of the closure that
// all evals have, and not all versions of the code around it.
func TestEvalsStayBounded(t *testing.T) {
	j := builtJudge(t)
	path := filepath.Join(j.dir, "evals.parc")
	for number := uint64(1); number <= 4; number++ {
		v := variant{"evals", "profiled", []string{"-archive", path, "-dump", path, "-number", fmt.Sprint(number)}}
		if _, err := j.run(v, "evals"); err != nil {
			t.Fatal(err)
		}
		s, err := reader.Open(path, archive.Options{})
		if err != nil {
			t.Fatal(err)
		}
		closure, err := s.Profile(layout.Key{Class: "<string>", Name: "main<0>"}, layout.CodeAny)
		if err != nil {
			t.Fatal(err)
		}
		calls, _ := closure.Invocations()
		equal(t, "calls of the closure", calls.Load(), 1000*number)
		if n := s.Header().Counts.Profiles; n > 10 {
			t.Errorf("run %d: %d profiles", number, n)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func equal(t *testing.T, name string, got, want uint64) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %d instead of %d", name, got, want)
	}
}

func functionOf(t *testing.T, s *reader.Store, name string) reader.Profile {
	t.Helper()
	p, err := s.Profile(layout.Key{Class: "sums.lua", Name: name}, layout.CodeAny)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return p
}

// onlyBranch returns the counts of a function's branch.
func onlyBranch(t *testing.T, p reader.Profile) (taken, notTaken uint64) {
	t.Helper()
	n := 0
	for e := range p.Entries() {
		if b, ok := e.Branch(); ok {
			n++
			taken = b.Taken.Load()
			notTaken = b.NotTaken.Load()
		}
	}
	if n != 1 {
		t.Fatalf("%d branches", n)
	}
	return taken, notTaken
}

// arrivals adds up the type profiles by callees and kinds of operands.
func arrivals(p reader.Profile) (callees, operands uint64) {
	for e := range p.Entries() {
		r, ok := e.Receivers()
		if !ok {
			continue
		}
		for i := range r.Len() {
			row, _ := r.Row(i)
			_, count := r.Cells(i)
			name := typeName(row.Type)
			if strings.HasPrefix(name, "function ") {
				callees += count.Load()
			} else if name != "" {
				operands += count.Load()
			}
		}
	}
	return callees, operands
}

// TestVariantsAgree runs all programs in all variants, whose results must be equal.
func TestVariantsAgree(t *testing.T) {
	j := builtJudge(t)
	for _, program := range []string{"fib", "loops", "shapes", "tables", "bodies"} {
		if _, err := j.measure(program, 1); err != nil {
			t.Error(err)
		}
	}
}

// TestAdviceQuickens checks that the fourth run is quickened and does not count.
func TestAdviceQuickens(t *testing.T) {
	j := builtJudge(t)
	path, err := j.train("fib")
	if err != nil {
		t.Fatal(err)
	}
	f, err := j.run(variant{"advised", "profiled", []string{"-archive", path, "-advised"}}, "fib")
	if err != nil {
		t.Fatal(err)
	}
	if f.numbers["quickened"] != 1 || f.numbers["counted"] != 0 {
		t.Errorf("%v", f.numbers)
	}
}

func typeName(in reader.Type) string {
	if !in.Valid() {
		return ""
	}
	name, err := in.Name()
	if err != nil {
		return err.Error()
	}
	return name.String()
}
