package verify_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the judgements in testdata anew")

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
