package damage

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/verify"
)

// TestJudgementsStay changes references, words and bits, and corrects the checksums. It compares what verify finds with
// stored results. Verify must walk over a sound archive once.
func TestJudgementsStay(t *testing.T) {
	full.Only(t, "takes many inputs")
	const every = 40
	for _, s := range specimen.All() {
		data := bytesOf(t, s)
		h := open(t, data).Header()
		var j judgements
		r := rand.New(rand.NewPCG(3, uint64(len(data))))
		err := eachForgery(data, func() bool { return r.IntN(every) == 0 },
			func(f *forger, r reference, _ uint64) { j.judge(t, r.What, f.Bytes()) })
		if err != nil {
			t.Fatal(err)
		}
		for range 200_000 / every {
			changed := bytes.Clone(data)
			region := h.Regions[r.IntN(len(h.Regions)-1)+1]
			if region.Size == 0 || region.Offset < disk.RegionOf(h, disk.RegionIX).Offset {
				continue
			}
			changed[region.Offset+r.Int64N(region.Size)] ^= 1 << r.IntN(8)
			updateAllChecksums(changed, h)
			j.judge(t, "a changed bit", changed)
		}
		j.compare(t, s.Name)
	}
}

// judge adds what verify finds in an archive.
func (j *judgements) judge(t *testing.T, what string, data []byte) {
	t.Helper()
	m, err := archive.FromBytes("damaged.parc", data, archive.Options{})
	if errors.Is(err, layout.ErrCorrupt) { // the shapes of its entries are read when it is opened
		j.add(what, []error{err})
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	var last int64
	walkedTwice := false
	report, err := verify.Store(t.Context(), reader.New(m), func(done, _ int64) {
		walkedTwice = walkedTwice || done < last
		last = done
	})
	if err != nil {
		t.Fatal(err)
	}
	if report.Sound() && walkedTwice {
		t.Errorf("%s, number %d: only the second walk finds the archive sound", what, j.n)
	}
	j.add(what, report.Problems)
}

// judgements are the results for many forgeries of a specimen, namely whether each is sound, and some of the problems.
// They are stored in testdata, so that tests show changed results.
type judgements struct {
	n        int
	verdicts []byte // a bit for each forgery, set if it is sound
	findings strings.Builder
}

// findingsEvery is the number of forgeries for each one whose problems are stored.
const findingsEvery = 50

func (j *judgements) add(what string, problems []error) {
	if j.n%8 == 0 {
		j.verdicts = append(j.verdicts, 0)
	}
	if len(problems) == 0 {
		j.verdicts[j.n/8] |= 1 << (j.n % 8)
	} else if j.n%findingsEvery == 0 {
		fmt.Fprintf(&j.findings, "%d %s: %d problems: %v\n", j.n, what, len(problems), problems[0])
	}
	j.n++
}

// text formats the verdicts in lines of 48 bytes, and one line for each finding.
func (j *judgements) text() string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "%d forgeries\n", j.n)
	for at := 0; at < len(j.verdicts); at += 48 {
		fmt.Fprintf(b, "%x\n", j.verdicts[at:min(at+48, len(j.verdicts))])
	}
	return b.String() + j.findings.String()
}

// compare compares the judgements with those in testdata.
func (j *judgements) compare(t *testing.T, name string) {
	t.Helper()
	path := filepath.Join("testdata", "judgements", name+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(j.text()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, got := strings.Split(string(golden), "\n"), strings.Split(j.text(), "\n")
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) || want[i] != got[i] {
			t.Errorf("%s: from line %d on the judgements are not as before:\n%q, was\n%q", path, i+1,
				strings.Join(got[i:min(i+1, len(got))], ""), strings.Join(want[min(i, len(want)):min(i+1, len(want))], ""))
			return
		}
	}
}
