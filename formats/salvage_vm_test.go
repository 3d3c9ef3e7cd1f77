package formats_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/hotspot"
	"github.com/profarc/profarc/internal/formats/iprof"
	"github.com/profarc/profarc/internal/formats/jamaica"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/testkit/full"
)

// A countRule finds the counts of a text by itself, as numbers of the first group of a pattern.
type countRule struct {
	importer codec.Importer
	pattern  *regexp.Regexp
}

var (
	iprofRule = countRule{&iprof.Importer{Salvage: true},
		regexp.MustCompile(`(?s)"ctx":"(?:[^"]*)","records":\[([^\]]*)[\],]`)}
	methodDataRule = countRule{&hotspot.Importer{Salvage: true},
		regexp.MustCompile(`(?m)(?:count|taken)\((\d+)\)|'\((\d+) [0-9.]+\)|^  (?:invocation|backedge)_counter: +(\d+)$`)}
	jamaicaRule = countRule{&jamaica.Importer{Salvage: true},
		regexp.MustCompile(`(?m)^PROFILE(?:_CYCLES|_INVOKE|_NEWARRAY|_NATIVE)?: (\d+) .*\n`)}
)

// total returns the total of the counts of a text.
func (r countRule) total(content []byte) (sum uint64) {
	for _, m := range r.pattern.FindAllSubmatch(content, -1) {
		for _, group := range m[1:] {
			if n, _ := strconv.ParseUint(string(group), 10, 64); n < math.MaxInt32 { // others are negative
				sum += n
			}
		}
	}
	return sum
}

// totalOfIprof returns the total of the counts of an iprof file up to a cut, of which the last record may be a part.
func totalOfIprof(content []byte) (sum uint64) {
	width := 1
	sections := regexp.MustCompile(`"(\w+)Profiles":\[|"records":\[([^\]]*)`)
	for _, m := range sections.FindAllSubmatch(content, -1) {
		if len(m[1]) > 0 {
			width = map[string]int{"conditional": 3, "virtualInvoke": 2, "instanceof": 2, "monitor": 2}[string(m[1])]
			width = max(width, 1)
			continue
		}
		for i, word := range strings.Split(string(m[2]), ",") {
			if i%width == width-1 {
				n, _ := strconv.ParseUint(strings.TrimSpace(word), 10, 64)
				sum += n
			}
		}
	}
	return sum
}

func sumOf(totals ledger.Totals) (sum uint64) {
	for _, n := range totals {
		sum += n
	}
	return sum
}

// salvaged imports a cut file, and returns the sum of the counts in the archive, 0 if nothing can be salvaged.
func salvaged(t *testing.T, content []byte, i codec.Importer) (sum uint64, state ledger.State) {
	t.Helper()
	in, err := formats.Import(t.Context(), []formats.Input{{Name: "cut", Reader: bytes.NewReader(content)}},
		formats.ImportOptions{Importers: []codec.Importer{i}})
	if err != nil {
		return 0, 0
	}
	_, account := settled(t, in.Builder)
	return sumOf(account.Totals()), account.Inputs[0].State
}

func checkCuts(t *testing.T, content []byte, i codec.Importer, total func(content []byte) uint64) {
	t.Helper()
	step := 7
	if full.Enabled() {
		step = 1
	}
	for percent := 1; percent < 100; percent += step {
		cut := content[:len(content)*percent/100]
		got, state := salvaged(t, cut, i)
		want := total(cut)
		if float64(got) < 0.9*float64(want) {
			t.Errorf("cut at %d%%: kept %d of %d counts", percent, got, want)
		}
		if got > 0 && state != ledger.Salvaged {
			t.Errorf("cut at %d%%: the input is %v", percent, state)
		}
	}
}

func TestCutFilesOfVMsAreSalvaged(t *testing.T) {
	t.Parallel()
	samples := filepath.Join("..", "..", "shared", "samples")
	for _, c := range []struct {
		file  string
		rule  codec.Importer
		total func([]byte) uint64
	}{
		{"iprof/some-compiler-0.4.0.iprof.gz", iprofRule.importer, totalOfIprof},
		{"iprof/elidemin-1.0.0.iprof", iprofRule.importer, totalOfIprof},
		{"hotspot/kinds.printmethoddata.txt", methodDataRule.importer, methodDataRule.total},
	} {
		t.Run(filepath.Base(c.file), func(t *testing.T) {
			content, err := os.ReadFile(filepath.Join(samples, filepath.FromSlash(c.file)))
			if err != nil {
				t.Skip(err)
			}
			if zipped, err := gzip.NewReader(bytes.NewReader(content)); err == nil {
				content, err = io.ReadAll(zipped)
				if err != nil {
					t.Fatal(err)
				}
			}
			checkCuts(t, content, c.rule, c.total)
		})
	}
	t.Run("jamaica", func(t *testing.T) {
		var content bytes.Buffer
		for i := range 300 {
			fmt.Fprintf(&content, "PROFILE: %d (0%%)           A.m%d()V\nPROFILE_INVOKE: %d 3 A.m%d()V B.n()V\n", i, i, i, i)
		}
		for percent := 1; percent < 100; percent++ {
			cut := content.Bytes()[:content.Len()*percent/100]
			got, _ := salvaged(t, cut, jamaicaRule.importer)
			if want := jamaicaRule.total(cut); got < want {
				t.Errorf("cut at %d%%: kept %d of %d counts", percent, got, want)
			}
		}
	})
}
