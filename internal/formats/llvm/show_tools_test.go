package llvm

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/reader"
)

// summaryText returns the summary of an archive, with its n hottest functions.
func summaryText(t testing.TB, s *reader.Store, n int, contextSensitive bool) []byte {
	t.Helper()
	sum, cs, err := Summarize(s)
	if err != nil {
		t.Fatal(err)
	}
	if contextSensitive {
		sum = cs
	}
	hottest, err := Hottest(s, n, contextSensitive)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := WriteSummary(&out, s, SummaryText{Summary: sum, Hottest: hottest, TopN: n, Detail: true}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Of functions with equal counts those are printed, and in that order, that
// llvm-profdata prints of its own file.
func TestHottestAreThoseOfLLVM(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	for release, version := range releases {
		t.Run(release, func(t *testing.T) {
			profdata := tool(t, "llvm-profdata", release)
			for seed := range uint64(6) {
				dir := t.TempDir()
				file := tiedProfile(seed, []int{3, 20, 300}[seed%3])
				save(t, dir, "in.proftext", file)
				run(t, dir, profdata, "merge", "-o", "in.profdata", "in.proftext")
				store := compatStore(t, version, [][]byte{file}, nil)
				for _, n := range []int{1, 7, 50, 1000} {
					want := run(t, dir, profdata, "show", "--detailed-summary", fmt.Sprint("--topn=", n), "in.profdata")
					requireSame(t, summaryText(t, store, n, false), want)
				}
				want := run(t, dir, profdata, "show", "--detailed-summary", "--showcs", "--topn=9", "in.profdata")
				requireSame(t, summaryText(t, store, 9, true), want)
			}
		})
	}
}

// tiedProfile returns a text of n names with few different counts, in no order. Some
// have several records, of both instrumentations, and some have marks.
func tiedProfile(seed uint64, n int) []byte {
	rng := rand.New(rand.NewPCG(seed, 3))
	b := bytes.NewBufferString(":csir\n")
	for i := range rng.Perm(n) {
		for range 1 + rng.IntN(3)*rng.IntN(2) {
			fmt.Fprintf(b, "f%d\n%d\n2\n%d\n%d\n", i*i, rng.Uint64()>>2, rng.IntN(3), rng.IntN(2))
		}
		if rng.IntN(20) == 0 {
			fmt.Fprintf(b, "f%d\n%d\n2\n%d\n%d\n", i*i, rng.Uint64()>>2, pseudoHot-rng.Uint64N(3), rng.IntN(2))
		}
	}
	return b.Bytes()
}

// The hottest functions of the samples are those that llvm-profdata prints, however the archive was made.
func TestHottestOfSamples(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	compared := 0
	for _, s := range samples(t) {
		profdata, err := exec.LookPath("llvm-profdata-" + s.release)
		if err != nil {
			continue
		}
		t.Run(s.name(), func(t *testing.T) {
			stores := []*reader.Store{storeOfFiles(t, 0, s.profdata)}
			if len(s.raws) > 0 {
				stores = append(stores, compatStore(t, indexedVersion(s.profdata), s.raws, nil))
			}
			for _, n := range []int{1, 20, 100} {
				want := run(t, t.TempDir(), profdata, "show", "--detailed-summary", fmt.Sprint("--topn=", n),
					mustAbs(t, s.dir+"/x.profdata"))
				for _, store := range stores {
					requireSame(t, summaryText(t, store, n, false), want)
				}
				compared++
			}
		})
	}
	if compared == 0 {
		t.Skip("no llvm-profdata on this machine of a release that there are samples of")
	}
}

func mustAbs(t testing.TB, name string) string {
	t.Helper()
	abs, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}
