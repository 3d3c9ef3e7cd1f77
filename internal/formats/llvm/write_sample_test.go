package llvm

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// storeOfFiles reads profiles that an LLVM made which writes a version of the
// indexed format, 0 if the files say it.
func storeOfFiles(t testing.TB, version int, files ...[]byte) *reader.Store {
	t.Helper()
	var params layout.Params
	params.LLVMVersion = uint32(version)
	b, _ := readInto(t, ReadOptions{Name: "test", Config: builder.Config{Params: params}}, files...)
	return memstore.Open(t, b)
}

// indexedVersion returns the version of an indexed file.
func indexedVersion(file []byte) int { return int(le.Uint64(file[8:]) & versionMask) }

func writeIndexed(t testing.TB, s *reader.Store, o WriteOptions) ([]byte, *codec.Report) {
	t.Helper()
	var out bytes.Buffer
	r, err := WriteIndexed(&out, s, o)
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), r
}

func writeText(t testing.TB, s *reader.Store, o WriteOptions) ([]byte, *codec.Report) {
	t.Helper()
	var out bytes.Buffer
	r, err := WriteText(&out, s, o)
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), r
}

// sources returns the ways to a sample's profile: as the programs wrote it, and as llvm-profdata did.
func (s *sample) sources() map[string][][]byte {
	all := map[string][][]byte{"indexed": {s.profdata}}
	if len(s.raws) > 0 {
		all["raw"] = s.raws
	}
	return all
}

func (s *sample) name() string { return s.release + "/" + filepath.Base(s.dir) }

// ordered reports whether llvm-profdata of the release orders functions in a way
// that does not depend on which came first: before LLVM 17 it was a map's order.
func (s *sample) ordered() bool { return s.release >= "17" }

// exact reports whether the merge of several raw files comes to the bytes of
// llvm-profdata without being told to merge as it does. It adds vtables that have
// no name up in the order of the files; here the order makes no difference.
func (s *sample) exact(source string) bool {
	return source != "raw" || !strings.HasPrefix(filepath.Base(s.dir), "vp-ir-vtable")
}

func TestIndexedFilesAreThoseOfLLVM(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	for _, s := range samples(t) {
		version := indexedVersion(s.profdata)
		for source, files := range s.sources() {
			t.Run(s.name()+"/"+source, func(t *testing.T) {
				got, r := writeIndexed(t, storeOfFiles(t, version, files...), WriteOptions{Version: version})
				if len(r.Lost) > 0 && source == "indexed" {
					t.Errorf("lost %v", r.Lost)
				}
				if source == "indexed" || s.ordered() && s.exact(source) {
					requireSame(t, got, s.profdata)
				} else {
					requireSameContent(t, got, s.profdata)
				}
			})
		}
	}
}

// requireSameContent is for files whose functions, or values without a name,
// have an order that cannot be known.
func requireSameContent(t testing.TB, got, want []byte) {
	t.Helper()
	a, b := contentOf(t, want), contentOf(t, got)
	if len(a.BinaryIDs) < len(b.BinaryIDs) {
		b.BinaryIDs = a.BinaryIDs // LLVM 16 keeps the last module's alone
	} else if len(got) != len(want) {
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("other contents:\n%.2000s", diff)
	}
}

// requireSame reports where two files differ first.
func requireSame(t testing.TB, got, want []byte) {
	t.Helper()
	if bytes.Equal(got, want) {
		return
	}
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	t.Errorf("differ at byte %d of %d (want %d bytes): %.60q, want %.60q", at, len(got), len(want), got[at:], want[at:])
}

func TestTextIsThatOfLLVM(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	for _, s := range samples(t) {
		sources := s.sources()
		sources["text"] = [][]byte{s.proftext}
		for source, files := range sources {
			t.Run(s.name()+"/"+source, func(t *testing.T) {
				got, _ := writeText(t, storeOfFiles(t, indexedVersion(s.profdata), files...), WriteOptions{})
				if s.exact(source) {
					requireSame(t, got, s.proftext)
				} else {
					requireSameContent(t, got, s.proftext)
				}
			})
		}
	}
}

func TestSummaryIsThatOfLLVM(t *testing.T) {
	for _, s := range samples(t) {
		t.Run(s.name(), func(t *testing.T) {
			store := storeOfFiles(t, 0, s.profdata)
			sum, _, err := Summarize(store)
			if err != nil {
				t.Fatal(err)
			}
			requireSame(t, summaryText(store, sum, true), mustLoad(t, s.dir+"/summary.txt"))
		})
	}
}

// A raw file does not name its LLVM exactly: the summary has the lines of every LLVM
// that can have written it, or with the release given, the lines of that one.
func TestSummaryOfRawFiles(t *testing.T) {
	for _, s := range samples(t) {
		if len(s.raws) == 0 {
			continue
		}
		t.Run(s.name(), func(t *testing.T) {
			want := string(mustLoad(t, s.dir+"/summary.txt"))
			named := string(detailedSummary(t, storeOfFiles(t, indexedVersion(s.profdata), s.raws...), false))
			if named != want {
				t.Errorf("got\n%swant\n%s", named, want)
			}
			if s.release == "22" {
				return // it prints the lines that LLVM 19 does in other words
			}
			unnamed := string(detailedSummary(t, storeOfFiles(t, 0, s.raws...), false))
			for line := range strings.Lines(want) {
				if !strings.Contains(unnamed, line) {
					t.Errorf("%q is not in\n%s", line, unnamed)
				}
			}
		})
	}
}

// The context-sensitive profiles have a summary of their own; llvm-profdata prints its first lines.
func TestContextSensitiveSummaryIsThatOfLLVM(t *testing.T) {
	for _, s := range samples(t) {
		show, err := os.ReadFile(s.dir + "/show-cs.txt")
		if err != nil {
			continue
		}
		store := storeOfFiles(t, 0, s.profdata)
		_, sum, err := Summarize(store)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(summaryText(store, sum, false))) {
			if !strings.Contains(string(show), line) {
				t.Errorf("%s: llvm-profdata does not print %q", s.name(), line)
			}
		}
	}
}

// Profiles of both instrumentations of one program go into one file. LLVM was given the ordinary ones first.
func TestBothInstrumentationsMerge(t *testing.T) {
	by := map[string]sample{}
	for _, s := range samples(t) {
		by[s.name()] = s
	}
	for name, merged := range by {
		if filepath.Base(name) != "vp-cs-merged" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			first, second := by[merged.release+"/vp-ir"], by[merged.release+"/vp-cs"]
			version := indexedVersion(merged.profdata)
			store := storeOfFiles(t, version, first.profdata, second.profdata)
			got, _ := writeIndexed(t, store, WriteOptions{Version: version})
			if merged.ordered() {
				requireSame(t, got, merged.profdata)
			} else {
				requireSameContent(t, got, merged.profdata)
			}
			text, _ := writeText(t, store, WriteOptions{})
			requireSame(t, text, merged.proftext)
		})
	}
}
