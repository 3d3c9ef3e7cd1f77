package analyze

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/jamaica"
	"github.com/profarc/profarc/internal/testkit/memstore"
)

// profileLine matches a line of PROFILE or PROFILE_CYCLES. Its groups are count, share and method.
var profileLine = regexp.MustCompile(`^PROFILE(?:_CYCLES)?: (\d+) +(?:\((\d+)%\) +)?(.*?)(?:\([a-z]*\)?)?$`)

// TestTopSaysWhatTheProfileSays compares the ranking with the lines of a profile that are sorted by value. Methods that
// share a truncated name stay separate. Bytecodes have the shares that the profile prints. Cycles are inclusive, and
// their shares refer to the cycles of main.
func TestTopSaysWhatTheProfileSays(t *testing.T) {
	texts, _ := filepath.Glob("../../../shared/seeds/jamaicavm-profile-output.txt")
	for _, path := range append(texts, "../../internal/formats/jamaica/testdata/hottest.txt") {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := slices.DeleteFunc(strings.Split(string(data), "\n"),
			func(line string) bool { return !profileLine.MatchString(line) })
		report, err := (&jamaica.Importer{}).Import(&codec.Input{Reader: strings.NewReader(strings.Join(lines, "\n"))})
		if err != nil {
			t.Fatal(err)
		}
		s := memstore.Open(t, report.Dumps[0])
		for by, keyword := range map[string]string{"bytecodes": "PROFILE: ", "cycles": "PROFILE_CYCLES: "} {
			measure, _ := MeasureNamed(by)
			r, err := Hottest(context.Background(), s, measure, RankOptions{Limit: 1000})
			if err != nil {
				t.Fatal(err)
			}
			var want, got []string
			main := uint64(0)
			for _, line := range lines {
				if m := profileLine.FindStringSubmatch(line); strings.HasPrefix(line, keyword) {
					n, _ := strconv.ParseUint(m[1], 10, 64)
					main = max(main, n)
					if by == "cycles" {
						m[2] = fmt.Sprint(100 * n / main)
					}
					want = append(want, fmt.Sprintf("%s %s%% %s", m[1], m[2], m[3]))
				}
			}
			for _, m := range r.Methods {
				got = append(got, fmt.Sprintf("%d %d%% %s", m.Value, int(100*m.Share), m.Name))
				if (m.Sum == nil) != (by == "cycles") {
					t.Errorf("%s: cumulative share of %v", by, m)
				}
			}
			if len(want) != 25 {
				t.Fatalf("%s has %d lines of %s", path, len(want), by)
			}
			slices.Sort(want) // equal counts have no defined order
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%s: top prints %q, the profile has %q", path, got, want)
			}
		}
	}
}
