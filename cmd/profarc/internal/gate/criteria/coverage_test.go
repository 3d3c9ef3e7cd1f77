package criteria

import (
	"strings"
	"testing"

	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// importText returns an archive of a profile in LLVM's text.
func importText(t *testing.T, name, text string) *reader.Store {
	t.Helper()
	in, err := formats.Import(t.Context(), []formats.Input{{Name: name, Reader: strings.NewReader(text)}},
		formats.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := in.Builder.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// A hot function that the program has under another name leaves too little to judge, however well the rest is covered.
// A cold one does not.
func TestCoverageWithoutHotFunctions(t *testing.T) {
	t.Parallel()
	base := importText(t, "base.parc", "hot\n1\n2\n9000\n8000\n\nwarm\n2\n2\n900\n800\n")
	archive := importText(t, "new.parc", "renamed\n1\n2\n0\n0\n\nwarm\n2\n2\n900\n800\n")
	for gone, want := range map[string]State{"hot": Unchecked, "warm": Failed, "none": Failed} {
		j := &judge{ctx: t.Context(), s: archive, whole: archive}
		j.limits = Limits{Coverage: 0.9, Hot: layout.WeightOne / 100 * 99}
		j.evidence = Evidence{Baseline: base, BaselineName: "base.parc", CodeName: "train",
			Lacks: func(k layout.Key) bool { return k.Name == gone }}
		c := j.judgeCoverage()
		if c.State != want {
			t.Errorf("without %s: %s, want %s: %s", gone, c.State, want, c.Reason)
		}
		advised := strings.Contains(c.Advice, "check base.parc --against train --rewrite new-next.parc")
		if advised != (want == Unchecked) {
			t.Errorf("without %s the advice is %q", gone, c.Advice)
		}
	}
}
