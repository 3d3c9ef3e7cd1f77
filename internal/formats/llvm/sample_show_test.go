package llvm

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestSamplesCounts: the counters are those that llvm-profdata show prints.
func TestSamplesCounts(t *testing.T) {
	for _, s := range samples(t) {
		c, seen := contentOf(t, s.profdata), 0
		for _, name := range []string{"show.txt", "show-cs.txt"} {
			text, err := os.ReadFile(filepath.Join(s.dir, name))
			if err != nil {
				continue // context-sensitive records are there in some alone
			}
			for function, counts := range shown(t, string(text)) {
				if got := c.Functions[function].Counts; !slices.Equal(got, counts) {
					t.Errorf("%s: %s has %d, want %d", s.dir, function, got, counts)
				}
				seen++
			}
		}
		if filepath.Base(s.dir) != "vp-cs" && seen != len(c.Functions) {
			t.Errorf("%s: %d functions, llvm-profdata shows %d", s.dir, len(c.Functions), seen)
		}
	}
}

// shown returns the counters of a listing, by name and hash.
func shown(t *testing.T, text string) map[string][]uint64 {
	all, key := map[string][]uint64{}, ""
	name := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "  "); ok && !strings.HasPrefix(rest, " ") {
			name = strings.TrimSuffix(rest, ":")
			continue
		}
		what, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch what {
		case "Hash":
			key = name + " " + strings.TrimPrefix(value, "0x")
			all[key] = []uint64{}
		case "Function count":
			all[key] = append(all[key], number(t, value))
		case "Block counts":
			for _, n := range strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune("[], ", r) }) {
				all[key] = append(all[key], number(t, n))
			}
		}
	}
	return all
}

func number(t *testing.T, text string) uint64 {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
