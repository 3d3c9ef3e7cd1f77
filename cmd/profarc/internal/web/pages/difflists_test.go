package pages

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/cmd/profarc/internal/view/report"
	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// listsOfCommand are the names of the page's lists in the JSON of profarc diff.
var listsOfCommand = map[string]string{"changed": "changed", "came": "came", "went": "went", "renumbered": "renumbered",
	"flipped": "flipped", "sites": "sites", "sure": "no_longer_certain", "nowsure": "now_certain"}

// shownOtherwise are the fields of rows that columns do not have by their names: those of the
// first column, and what texts say.
var shownOtherwise = map[string]bool{"id": true, "method": true, "display": true, "class": true, "name": true,
	"signature": true, "loader": true, "loader_note": true, "access": true,
	"context": true, "point": true, "entry": true, "mismatch": true, "outcome": true, "hidden": true}

// TestEveryRowOfTheDifferenceIsThatOfTheCommand compares the lists of the page with those that
// profarc diff --json prints: each row has all of its numbers and texts.
func TestEveryRowOfTheDifferenceIsThatOfTheCommand(t *testing.T) {
	t.Parallel()
	rows := map[string]int{}
	for _, pair := range comparablePairs(t) {
		a, b := pair[0], pair[1]
		printed := printedDiff(t, a, b)
		page := built[*diffPage](t, requestOf(t, NewSite(t.Context(), Options{Archive: a, Other: b}), nameOfDiff))
		shown := map[string]diffList{}
		for _, l := range page.Lists {
			shown[l.Rows.ID] = l
		}
		for id, name := range listsOfCommand {
			list := printed[name].(map[string]any)
			if got, want := shown[id].Total, int(list["total"].(float64)); got != want {
				t.Errorf("%s: the page has %d, the command %d", name, got, want)
			}
			for i, want := range list["list"].([]any) {
				checkRow(t, shown[id].Rows, i, want.(map[string]any))
				rows[name]++
			}
		}
	}
	for _, name := range listsOfCommand {
		if rows[name] == 0 {
			t.Errorf("no pair of archives has any in %s", name)
		}
	}
}

// comparablePairs returns archives of all domains that can be compared.
func comparablePairs(t *testing.T) (pairs [][2]*reader.Store) {
	t.Helper()
	pairs = append(pairs, [2]*reader.Store{runOf(t, 900, 100, 500, 0, "went"), runOf(t, 100, 900, 300, 200, "came")},
		[2]*reader.Store{runOf(t, 900, 0, 500, 300, "x"), runOf(t, 100, 900, 300, 0, "x")},
		[2]*reader.Store{runOf(t, 100, 900, 300, 0, "x"), runOf(t, 900, 0, 500, 300, "x")})
	pairs = append(pairs, [2]*reader.Store{lambdaRun(t, "A$$Lambda@A#4"), lambdaRun(t, "A$$Lambda@A#3")})
	all := specimen.All()
	for _, x := range all {
		for _, y := range all {
			a, b := memstore.Open(t, x.Build()), memstore.Open(t, y.Build())
			if a.Header().Domain == b.Header().Domain && a.Header().ProducerID == b.Header().ProducerID {
				pairs = append(pairs, [2]*reader.Store{a, b})
			}
		}
	}
	return pairs
}

// lambdaRun returns an archive with a method of a hidden class.
func lambdaRun(t *testing.T, class string) *reader.Store {
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	b.Internal().DescribeType(b.Type(builder.TypeKey{Name: class}), "", layout.TypeHidden)
	p := b.Profile(layout.Key{Class: class, Name: "test", Signature: "()V"}, 5)
	p.Branch(builder.At{Bci: 1}, builder.Branch{Taken: 5, Displacement: 4})
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	return memstore.Open(t, b)
}

// printedDiff returns what profarc diff --json prints.
func printedDiff(t *testing.T, a, b *reader.Store) map[string]any {
	t.Helper()
	found, err := report.CompareStores(t.Context(), a, b, compare.Options{Top: changesListed})
	if err != nil {
		t.Fatal(err)
	}
	return printed(t, found)
}

// printed returns a report as JSON.
func printed(t *testing.T, r *compare.Report) (object map[string]any) {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &object); err != nil {
		t.Fatal(err)
	}
	return object
}

// checkRow compares a row with an object of the command.
func checkRow(t *testing.T, list *table, at int, want map[string]any) {
	t.Helper()
	cells := map[string]cell{}
	for i, c := range list.Columns {
		cells[c.Key] = list.Rows[at][i]
	}
	if text := cells["method"].Link.Text; !strings.HasPrefix(text, fmt.Sprint(want["display"])) {
		t.Errorf("%s: row %d is of %s, not of %v", list.ID, at, text, want["display"])
	}
	if inB, ok := want["name_b"].(map[string]any); ok {
		want = map[string]any{"name_b": inB["display"], "share_a": want["share_a"], "share_b": want["share_b"]}
	}
	for path, value := range leaves("", want) {
		c, ok := cells[path]
		switch v := value.(type) {
		case float64:
			if !ok || c.Value != v || !c.Number {
				t.Errorf("%s: row %d: %s is %+v, not %v", list.ID, at, path, c, v)
			}
		case nil:
			if c.Link.Text != "null seen" {
				t.Errorf("%s: row %d: %s is %q, not that null was seen", list.ID, at, path, c.Link.Text)
			}
		default:
			if !ok || !strings.Contains(c.Link.Text, textOfCommand(path, fmt.Sprint(v))) {
				t.Errorf("%s: row %d: %s is %q, not %q", list.ID, at, path, c.Link.Text, v)
			}
		}
	}
}

// textOfCommand returns how the page spells a text of the command.
func textOfCommand(path, text string) string {
	switch path {
	case "change":
		return capitalized(text)
	case "kind":
		return capitalized(report.SiteText(text))
	}
	return text
}

// leaves returns the values of an object by their paths. Those of a list of targets are one text.
func leaves(prefix string, of map[string]any) map[string]any {
	all := map[string]any{}
	for key, value := range of {
		path := prefix + key
		switch v := value.(type) {
		case map[string]any:
			for inner, x := range leaves(path+".", v) {
				all[inner] = x
			}
		case []any:
			var texts []string
			for _, one := range v {
				if target, ok := one.(map[string]any); ok {
					texts = append(texts, fmt.Sprint(target["target"], " ", percentText(target["share"].(float64))))
				}
			}
			if !shownOtherwise[path] {
				all[path] = strings.Join(texts, ", ")
			}
		default:
			if !shownOtherwise[path] {
				all[path] = value
			}
		}
	}
	return all
}

// TestDifferenceSaysWhatIsInNoSum has all remarks of the command on the page, and the kind of
// counts that agrees least.
func TestDifferenceSaysWhatIsInNoSum(t *testing.T) {
	t.Parallel()
	for _, pair := range comparablePairs(t) {
		site := NewSite(t.Context(), Options{Archive: pair[0], Other: pair[1]})
		page := built[*diffPage](t, requestOf(t, site, nameOfDiff))
		text := shown(t, requestOf(t, site, nameOfDiff))
		for _, remark := range report.Remarks(page.Report, realText) {
			if !strings.Contains(text, unbroken(string(nameElement(capitalized(remark)+".")))) {
				t.Errorf("the page does not say %q", remark)
			}
		}
		if low := report.Lowest(page.Report, percentText); low != nil &&
			!strings.Contains(text, fmt.Sprintf("of %s</dd>", report.KindText(low.Kind))) {
			t.Errorf("the page does not have the overlap of %s", low.Kind)
		}
	}
}

func TestRemarksOfADifference(t *testing.T) {
	t.Parallel()
	d := &compare.Report{DumpedA: "2026-02-01T00:00:00Z", DumpedB: "2026-01-01T00:00:00Z",
		Kinds:   []compare.Overlap{{Kind: "type_checks", UntypedA: 33960518, UntypedB: 2}},
		LeftOut: 2, MarkedB: 1, NotCompared: []compare.Uncompared{{What: "samples", A: 4, B: 4},
			{What: "rows of monitors", A: 1, B: 2}}, NoLoaders: "none.parc"}
	want := []string{
		"A is newer than B: the arguments may be swapped (A was dumped at 2026-02-01T00:00:00Z, B at 2026-01-01T00:00:00Z)",
		"type checks of types that were not recorded are in no sum: 33,960,518 in A, 2 in B",
		"2 context-sensitive records are left out: compare them with --cs",
		"0 functions of A and 1 of B are marked as hot or warm and have no counts to compare",
		"not compared: 4 samples, 1 and 2 rows of monitors",
		"matched by name: none.parc names no class loaders, the other does; a class that several loaders have there has " +
			"no partner",
	}
	if diff := cmp.Diff(want, report.Remarks(d, realText)); diff != "" {
		t.Error(diff)
	}
	d.DumpedA = ""
	if got := report.Remarks(d, realText)[0]; got != want[1] {
		t.Errorf("of an unknown time: %s", got)
	}
}

func TestSmallSharesKeepTwoDigits(t *testing.T) {
	t.Parallel()
	for share, want := range map[float64]string{0: "0.0%", 0.00013: "0.013%", 0.0000999: "0.010%", 0.002963: "0.30%",
		0.01234: "1.2%", 0.0994: "9.9%", 0.472: "47.2%", 3.4e-7: "0.000034%", 1e-12: "<0.00001%", 1: "100.0%"} {
		if got := finePercent(share); got != want {
			t.Errorf("%v is %s, not %s", share, got, want)
		}
	}
}
