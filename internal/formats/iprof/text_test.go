package iprof

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/builder"
)

// texted has method 3 in a profile, and in the text of an unknown key methods 4 and 5 and
// type 7. Method 6 and type 8 are in neither.
const texted = rowsOfTexts + `"callCountProfiles":[{"ctx":"3:0","records":[1]}],` +
	`"x":[{"ctx":"4:0","records":[18446744073709551616]},{"ctx":"5:1 < 3:x","records":[7],"signature":[9]}]}`

const rowsOfTexts = `{"version":"1.0.0","types":[{"id":1,"name":"A"},{"id":2,"name":"void"},{"id":7,"name":"B"},` +
	`{"id":8,"name":"C"},{"id":9,"name":"D"}],` +
	`"methods":[{"id":3,"name":"m","signature":[1,2]},{"id":4,"name":"n","signature":[1,2,9]},` +
	`{"id":5,"name":"o","signature":[1,2]},{"id":6,"name":"p","signature":[1,2,8]}],`

// oddItems has the methods of texted in items that are left out.
const oddItems = rowsOfTexts +
	`"callCountProfiles":[{"ctx":"3:0","records":[1]},{"ctx":"4:0","records":[18446744073709551616]}],` +
	`"virtualInvokeProfiles":[{"ctx":"5:1 < 3:x","records":[7]}]}`

// TestOddItemsAreReported: how many items are left out. What they name ran.
func TestOddItemsAreReported(t *testing.T) {
	for _, o := range []ReadOptions{{}, {Unordered: true}} {
		data, report := read(t, oddItems, o)
		if report.Seen != 1 || report.Lost.Count(LossOdd) != 2 {
			t.Errorf("%+v: %+v", o, report)
		}
		s := open(t, data)
		for name, ran := range map[string]bool{"m": true, "n": true, "o": true, "p": false} {
			signature := map[string]string{"n": "void(D)", "p": "void(C)"}[name]
			if signature == "" {
				signature = "void()"
			}
			if m := find(t, s, "A", name, signature); m.Unexecuted() == ran {
				t.Errorf("%s: never ran %t", name, ran)
			}
		}
	}
	_, report := read(t,
		strange(`,"samplingProfiles":[{"ctx":"3:0","records":[4],"thread":"main"},{"ctx":"","records":[4]}]`), ReadOptions{})
	if report.Lost.Count(LossOdd) != 2 || report.Stacks != 1 {
		t.Errorf("one with more in it, and one that is left out: %+v", report)
	}
}

// TestPruneKeepsWhatTextsNeed: rows that only the text of an unknown key refers to stay.
func TestPruneKeepsWhatTextsNeed(t *testing.T) {
	data, _ := read(t, texted, ReadOptions{})
	text, report := write(t, data, WriteOptions{Prune: true})
	want := strings.NewReplacer(`,{"id":6,"name":"p","signature":[1,2,8]}`, "", `,{"id":8,"name":"C"}`, "").Replace(texted)
	if text != want || report.Lost.Count(PrunedMethods) != 1 || report.Lost.Count(PrunedTypes) != 1 {
		t.Errorf("%v\n%s", report.Lost, cmp.Diff(want, text))
	}
}

// TestContextIDs: ids are found in contexts that cannot be read otherwise.
func TestContextIDs(t *testing.T) {
	for text, want := range map[string][]int64{
		`{"ctx":"2:x"}`: {2}, `{"ctx":""}`: nil, `{"ctx":" 2:0 < 03:1"}`: {2, 3}, `{"ctx":"4<"}`: {4},
		`{"ctx":"2:0\u003c5:1"}`:  {2, 5},
		`{"ctx":7,"ctx" : "8:0"}`: {8}, `{"methodBciList":"3:0,5:2"}`: {3, 5}, `{"x":"\"ctx\":\"3:0\""}`: nil,
		`[{"ctx":"a"},{"ctx":"-6:0"}]`: {-6},
	} {
		t.Run(text, func(t *testing.T) {
			if diff := cmp.Diff(want, contextIDs(text)); diff != "" {
				t.Errorf("%s: %s", text, diff)
			}
		})
	}
}

// TestTextsWithoutAnOrder: an archive that has lost the order of its file keeps its texts,
// and says that the order is lost.
func TestTextsWithoutAnOrder(t *testing.T) {
	data, _ := read(t, texted, ReadOptions{})
	if _, report := write(t, data, WriteOptions{}); len(report.Lost) > 0 {
		t.Errorf("with an order: %v", report.Lost)
	}
	b, _, err := Read(strings.NewReader(texted), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b.Type(builder.TypeKey{Name: "not in the order"})
	text, report := write(t, archiveOf(t, b), WriteOptions{})
	if !strings.Contains(text, "18446744073709551616") || report.Lost.Count(LossOrder) != 1 {
		t.Errorf("without an order: %v\n%s", report.Lost, text)
	}
}

// TestRepeatedIDs: rows that have the id of another are counted.
func TestRepeatedIDs(t *testing.T) {
	for name, want := range map[string]int{"equal rows": 2, "far ids": 0, "ids without rows": 0} {
		if _, report := read(t, strangeThings[name].text, ReadOptions{}); report.Repeated != want {
			t.Errorf("%s: %d, want %d", name, report.Repeated, want)
		}
	}
	rows := `{"version":"1.0.0","types":[],"methods":[{"id":3,"name":"m","signature":[]},{"id":3,"name":"n","signature":[]},{"id":4,"name":"o","signature":[]}]`
	for rest, want := range map[string]int{`}`: 3, `,"callCountProfiles":[{"ctx":"3:0","records":[1]}]}`: 1} {
		t.Run(rest, func(t *testing.T) {
			if _, report := read(t, rows+rest, ReadOptions{}); report.Seen != want || report.Repeated != 1 {
				t.Errorf("%s: %d never ran, want %d", rest, report.Seen, want)
			}
		})
	}
}

// TestAdvice: an error has the advice that helps in its case.
func TestAdvice(t *testing.T) {
	deep := `{"version":"1.0.0","types":[],"methods":[],"x":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}`
	packed := func(text string) io.Reader {
		return io.MultiReader(strings.NewReader(text),
			failing{fmt.Errorf("a.iprof: gzip: %w: copy the file again", io.ErrUnexpectedEOF)})
	}
	for _, c := range []struct {
		in      io.Reader
		salvage bool
		want    string
	}{
		{strings.NewReader(`{"version":"1.0.0"`), false,
			"a.iprof: byte 18, after the key \"version\": the profile is cut off: let the program exit by itself and dump " +
				"again"},
		{strings.NewReader(`{`), true,
			"a.iprof: byte 1: the profile is cut off: let the program exit by itself and dump again: there is nothing to " +
				"salvage, for what is whole has no version"},
		{packed(`{`), false, "a.iprof: byte 1: the profile is cut off: gzip: unexpected EOF: copy the file again"},
		{strings.NewReader(deep), false, "a.iprof: byte 1047, after the key \"x\": values nested in more than 1000 others: " +
			"no tool writes such a file; check that it is the right file, and make it again"},
	} {
		_, _, err := Read(c.in, ReadOptions{Name: "a.iprof", Salvage: c.salvage})
		if err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
		if can := errors.Is(err, ErrSalvageable); can != (errors.Is(err, ErrCut) && !c.salvage) {
			t.Errorf("%v: salvageable is %t", err, can)
		}
	}
	_, report := read(t, `{"version":"1.0.0","types":[],"methods":[],"types":[]}`, ReadOptions{Salvage: true})
	if got := report.Salvage.Reason.Reason(); got != `not what an iprof file has here: a second "types", found "[]}"` {
		t.Error(got)
	}
	_, report = read(t, `{"version":"1.0.0","types":[`, ReadOptions{Salvage: true})
	if got := report.Salvage.Reason; errors.Is(got, ErrSalvageable) || !errors.Is(got, ErrCut) {
		t.Error(got)
	}
}

// failing is a reader that fails.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// TestOldVersionIsSaid: that the version written differs from the source's is no secret.
func TestOldVersionIsSaid(t *testing.T) {
	data, _ := read(t, `{"version":"0.2.0","types":[],"methods":[],"hotnessPoints":[]}`, ReadOptions{})
	for version, want := range map[string]int{"": 1, "1.1.0": 0} {
		t.Run(version, func(t *testing.T) {
			if _, report := write(t, data, WriteOptions{Version: version}); report.Lost.Count(LossVersion) != want {
				t.Errorf("%q: %v", version, report.Lost)
			}
		})
	}
}
