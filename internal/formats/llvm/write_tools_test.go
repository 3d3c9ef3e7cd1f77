package llvm

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
)

// releases lists the releases of LLVM that Debian has side by side, and the version of
// the indexed format that each writes.
var releases = map[string]int{"14": 7, "19": 12}

// tool finds a program of a release of LLVM, or skips the test.
func tool(t testing.TB, name, release string) string {
	t.Helper()
	full.Only(t, "runs compilers and their tools")
	path, err := exec.LookPath(name + "-" + release)
	if err != nil {
		t.Skipf("no %s of LLVM %s on this machine", name, release)
	}
	return path
}

// run runs a program in a directory and returns its output.
func run(t testing.TB, dir string, command ...string) []byte {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", command, err, out)
	}
	return out
}

func save(t testing.TB, dir, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
		t.Fatal(err)
	}
}

// What llvm-profdata prints of its own file, it prints of ours, where the two
// have their functions in other orders.
func TestLLVMPrintsWrittenFilesAlike(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	for _, s := range samples(t) {
		if s.ordered() {
			continue
		}
		profdata, err := exec.LookPath("llvm-profdata-" + s.release)
		if err != nil {
			if releases[s.release] != 0 {
				t.Skip("no llvm-profdata of LLVM " + s.release + " on this machine")
			}
			continue
		}
		t.Run(s.name(), func(t *testing.T) {
			version, dir := indexedVersion(s.profdata), t.TempDir()
			got, _ := writeIndexed(t, storeOfFiles(t, version, s.profdata), WriteOptions{Version: version})
			save(t, dir, "got.profdata", got)
			save(t, dir, "want.profdata", s.profdata)
			for _, command := range [][]string{{"merge", "--text", "-o", "-"}, {"show", "--detailed-summary"}} {
				command = append([]string{profdata}, command...)
				got, want := run(t, dir, append(command, "got.profdata")...), run(t, dir, append(command, "want.profdata")...)
				if diff := cmp.Diff(string(want), string(got)); diff != "" {
					t.Errorf("%v prints other text:\n%.1000s", command[1:], diff)
				}
			}
		})
	}
}

// A profile with many functions, many hashes for a name, and long sites comes
// out as llvm-profdata would write it.
func TestLLVMWritesTheSameFile(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	profdata := tool(t, "llvm-profdata", "19")
	dir := t.TempDir()
	text, _ := writeText(t, memstore.Open(t, manyFunctions(t, 2000)), WriteOptions{})
	save(t, dir, "many.proftext", text)
	store := storeOfFiles(t, releases["19"], text)
	for _, sparse := range []bool{false, true} {
		command := []string{profdata, "merge", "-o", "want.profdata", "many.proftext", fmt.Sprintf("--sparse=%t", sparse)}
		run(t, dir, command...)
		got, _ := writeIndexed(t, store, WriteOptions{Version: releases["19"], Sparse: sparse})
		requireSame(t, got, mustLoad(t, filepath.Join(dir, "want.profdata")))
		run(t, dir, profdata, "merge", "--text", "-o", "want.proftext", "want.profdata")
		got, _ = writeText(t, store, WriteOptions{Sparse: sparse})
		requireSame(t, got, mustLoad(t, filepath.Join(dir, "want.proftext")))
	}
}

// manyFunctions makes a profile of n names; some have many hashes.
func manyFunctions(t testing.TB, n int) *builder.Builder {
	rng := rand.New(rand.NewPCG(5, 7))
	var params layout.Params
	params.LLVMVariant = uint32(VariantIR | VariantContextSensitive)
	b := builder.New(layout.DomainLLVMIR, builder.Config{Params: params})
	for i := range n {
		m := b.Method(layout.Key{Name: fmt.Sprintf("_ZN4many%dEv", i)})
		hashes := 1
		if i%10 == 0 {
			hashes = 1 + rng.IntN(60)
		}
		for range hashes {
			p := b.ProfileIn(m, rng.Uint64()>>3, profileset.NoContext)
			counts := make([]uint64, 1+rng.IntN(20))
			if i%3 > 0 {
				for c := range counts {
					counts[c] = uint64(rng.ExpFloat64() * 10000)
				}
			}
			p.Counters(0, counts...)
			for site := range int32(rng.IntN(4)) {
				values := make([]builder.Value, rng.IntN(300)/(1+i%20))
				for v := range values {
					values[v] = builder.Value{Value: uint64(v), Count: 1 + rng.Uint64N(50)}
				}
				p.ValueSite(site, layout.SubMemOpSize, values...)
			}
			if err := p.Done(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return b
}

// The program has what instrumentation counts: branches, loops, a switch, calls through pointers and tables,
// copies of changing size, a function that never runs.
const program = `
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Shape {
  virtual ~Shape() {}
  virtual long area() const = 0;
};
struct Square : Shape {
  long side;
  explicit Square(long s) : side(s) {}
  long area() const override { return side * side; }
};
struct Strip : Shape {
  long length;
  explicit Strip(long l) : length(l) {}
  long area() const override { return 2 * length; }
};

static long twice(long n) { return 2 * n; }
static long next(long n) { return n + 1; }
static long never(long n) { return n - 1; }
typedef long (*Step)(long);

__attribute__((noinline)) static long apply(Step step, long n) { return step(n); }

__attribute__((noinline)) static int kind(int n) {
  switch (n % 7) {
  case 0: return 3;
  case 1: case 2: return 5;
  case 3: return n > 50 && (n & 1) ? 7 : 11;
  default: return 1;
  }
}

__attribute__((noinline)) static long sum(Shape **shapes, int n) {
  long total = 0;
  for (int i = 0; i < n; i++)
    total += shapes[i]->area();
  return total;
}

__attribute__((noinline)) static void copy(char *to, const char *from, size_t n) { memcpy(to, from, n); }

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 100;
  Shape *shapes[10];
  for (int i = 0; i < 10; i++)
    shapes[i] = i % 3 ? static_cast<Shape *>(new Square(i)) : new Strip(i);
  Step steps[3] = {twice, next, never};
  char from[64] = "profile", to[64];
  long n = 0;
  for (int i = 0; i < rounds; i++) {
    n += kind(i) + apply(steps[i % 4 == 0], i) + sum(shapes, i % 10);
    copy(to, from, i % 5 ? 8 : 16);
  }
  for (int i = 0; i < 10; i++)
    delete shapes[i];
  printf("%ld %s\n", n, to);
  return 0;
}
`

// instrumentations are clang's ways to count, and how it takes the counts.
var instrumentations = []struct{ name, generate, use string }{
	{"ir", "-fprofile-generate", "-fprofile-use="},
	{"frontend", "-fprofile-instr-generate", "-fprofile-instr-use="},
}

// TestClangTakesWrittenFilesAlike compiles a program, runs it twice, and compiles it again with the profile
// as llvm-profdata merges it and as it comes out of an archive: the machine code is the same.
func TestClangTakesWrittenFilesAlike(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	for release, version := range releases {
		for _, i := range instrumentations {
			t.Run(release+"/"+i.name, func(t *testing.T) {
				clang, profdata := tool(t, "clang++", release), tool(t, "llvm-profdata", release)
				dir := t.TempDir()
				save(t, dir, "program.cpp", []byte(program))
				raws := train(t, dir, clang, i.generate)
				run(t, dir, profdata, "merge", "-o", "use.profdata", "0.profraw", "1.profraw")
				want := mustLoad(t, filepath.Join(dir, "use.profdata"))
				code, plain := compileWith(t, dir, clang, i.use+"use.profdata"), compileWith(t, dir, clang, "-O2")
				if bytes.Equal(code, plain) {
					t.Fatal("the profile makes no difference to the code")
				}
				for _, written := range []int{0, version} {
					store := storeOfFiles(t, version, raws...)
					got, _ := writeIndexed(t, store, WriteOptions{Version: written})
					if written == version && release >= "17" {
						requireSame(t, got, want)
					}
					save(t, dir, "use.profdata", got)
					if !bytes.Equal(compileWith(t, dir, clang, i.use+"use.profdata"), code) {
						t.Errorf("version %d: other code than with llvm-profdata's file", written)
					}
				}
			})
		}
	}
}

// train compiles the program with counters and runs it twice.
func train(t testing.TB, dir, clang, generate string) (raws [][]byte) {
	run(t, dir, clang, "-O2", generate, "program.cpp", "-o", "program")
	for i, rounds := range []string{"100", "333"} {
		name := fmt.Sprintf("%d.profraw", i)
		cmd := exec.Command(filepath.Join(dir, "program"), rounds)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "LLVM_PROFILE_FILE="+name)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		raws = append(raws, mustLoad(t, filepath.Join(dir, name)))
	}
	return raws
}

// compileWith returns the object file of the program.
func compileWith(t testing.TB, dir, clang, option string) []byte {
	t.Helper()
	if out := run(t, dir, clang, "-O2", option, "-c", "program.cpp", "-o", "program.o"); len(out) > 0 {
		t.Errorf("%s: clang warns:\n%s", option, out)
	}
	return mustLoad(t, filepath.Join(dir, "program.o"))
}

// Names of vtables that are kept reach llvm-profdata. The bytes they are packed
// to come from Go's zlib, not LLVM's.
func TestVTableNamesAreKept(t *testing.T) {
	profdata := tool(t, "llvm-profdata", "19")
	for _, s := range samples(t) {
		if s.name() != "19/vp-ir-vtable" {
			continue
		}
		dir, store := t.TempDir(), storeOfFiles(t, 0, s.raws[0])
		got, r := writeIndexed(t, store, WriteOptions{Version: releases["19"], KeepVTableNames: true})
		if len(r.Lost) > 0 {
			t.Errorf("lost %v", r.Lost)
		}
		save(t, dir, "got.profdata", got)
		save(t, dir, "a.profraw", s.raws[0])
		run(t, dir, profdata, "merge", "--keep-vtable-symbols", "-o", "want.profdata", "a.profraw")
		show := []string{profdata, "show", "--all-functions", "--show-vtables"}
		want := run(t, dir, append(show, "want.profdata")...)
		if diff := cmp.Diff(string(want), string(run(t, dir, append(show, "got.profdata")...))); diff != "" {
			t.Errorf("llvm-profdata shows other vtables:\n%.1000s", diff)
		}
		again, r := writeIndexed(t, storeOfFiles(t, 0, mustLoad(t, filepath.Join(dir, "want.profdata"))), WriteOptions{})
		save(t, dir, "again.profdata", again)
		if shown := run(t, dir, append(show, "again.profdata")...); string(shown) != string(want) || len(r.Lost) > 0 {
			t.Errorf("names of an indexed file are lost without the option: %v", r.Lost)
		}
		run(t, dir, profdata, "merge", "--keep-vtable-symbols", "--text", "-o", "want.proftext", "a.profraw")
		text, _ := writeText(t, store, WriteOptions{KeepVTableNames: true})
		requireSame(t, text, mustLoad(t, filepath.Join(dir, "want.proftext")))
		if !bytes.Contains(text, []byte("\n_ZTV2Sq:673\n")) {
			t.Error("text does not name the vtables")
		}
	}
}
