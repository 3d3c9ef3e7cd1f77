package libstdcxx_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/profarc/profarc/internal/recording/libstdcxx"
	"github.com/profarc/profarc/internal/testkit/full"
)

// reference reads a number of elements and their keys. It prints the input indexes of the elements in the order in
// which the library's sort returns them.
const reference = `
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <vector>
struct Element { unsigned key; int place; };
int main() {
  size_t n;
  while (std::cin >> n) {
    std::vector<Element> all(n);
    for (size_t i = 0; i < n; i++) {
      std::cin >> all[i].key;
      all[i].place = (int)i;
    }
    auto less = [](const Element &a, const Element &b) { return a.key < b.key; };
    std::sort(all.begin(), all.end(), less);
    for (auto &e : all) std::printf("%d ", e.place);
    std::printf("\n");
  }
}
`

type element struct{ key, place int }

func less(a, b element) bool { return a.key < b.key }

// Equal elements come out in the order in which the library returns them.
func TestOrderOfTheLibrary(t *testing.T) {
	full.Only(t, "takes many inputs")
	var in, want bytes.Buffer
	for _, keys := range sequences() {
		var all []element
		for place, key := range keys {
			all = append(all, element{key, place})
		}
		fmt.Fprintln(&in, len(keys), numbers(keys))
		libstdcxx.Sort(all, less)
		fmt.Fprintln(&want, places(all))
	}
	got := runReference(t, in.Bytes())
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("the library returns another order:\n%.2000s\nwe:\n%.2000s", got, want.Bytes())
	}
}

// sequences returns key sequences of many lengths, with few and with many equal keys.
func sequences() (all [][]int) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		for _, different := range []int{1, 3, 1 + n/4, 1 + 10*n} {
			keys := make([]int, n)
			for i := range keys {
				keys[i] = rng.IntN(different)
			}
			all = append(all, keys)
		}
	}
	return all
}

func numbers(keys []int) string { return fmt.Sprint(keys)[1 : len(fmt.Sprint(keys))-1] }

func places(all []element) string {
	var b bytes.Buffer
	for _, e := range all {
		fmt.Fprint(&b, e.place, " ")
	}
	return b.String()
}

func runReference(t *testing.T, in []byte) []byte {
	t.Helper()
	full.Only(t, "runs compilers and their tools")
	compiler, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("no g++ on this machine")
	}
	dir := t.TempDir()
	source, program := filepath.Join(dir, "reference.cpp"), filepath.Join(dir, "reference")
	if err := os.WriteFile(source, []byte(reference), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(compiler, "-O1", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.Command(program)
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return out
}
