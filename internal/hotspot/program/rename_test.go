package program_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/fit"
	"github.com/profarc/profarc/internal/hotspot/program"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// renamedWords are names in the program, and others: of classes that have
// profiles, of some that are only mentioned (Rule, Expr), of methods.
var renamedWords = map[string]string{
	"Order": "Deal", "Book": "Ledger", "Rule": "Policy", "Discount": "Rebate", "Expr": "Term", "Plus": "Sum",
	"Parser": "Syntax",
	"sieve":  "primes", "hash": "mix", "words": "terms", "clamp": "limit",
}

// What a run of the program says is what a run of the renamed program says, once
// it has been given the new names.
func TestRenamedProgram(t *testing.T) {
	full.Only(t, "starts JVMs")
	old, now := compile(t), compileRenamed(t, renamedWords)
	trained, fresh := old.train(t), now.train(t)
	into := builder.New(layout.DomainHotSpot, builder.ConfigOf(trained.Header()))
	r, verdicts := check(t, trained, now, fit.Options{Old: old, Into: into})
	for name, v := range verdicts {
		if v.State != fit.Exact && v.State != fit.Renamed {
			t.Errorf("%s is %s: %s", name, v.State, v.Reason)
		}
	}
	if r.Score() != 1 || r.Profiles[fit.Renamed] < 15 || r.Profiles[fit.Exact] < 15 {
		t.Errorf("score %v, %v", r.Score(), r.Profiles)
	}
	found := map[string]string{}
	for _, n := range r.Renames {
		if n.From.Name == "" {
			found[strings.TrimPrefix(n.From.Class, "Market$")] = strings.TrimPrefix(n.To.Class, "Market$")
		} else {
			found[n.From.Name] = n.To.Name
		}
	}
	for from, to := range renamedWords {
		if found[from] != to {
			t.Errorf("%s is now %q, want %s", from, found[from], to)
		}
	}
	if len(found) != len(renamedWords) {
		t.Errorf("renamed: %v", found)
	}
	adapted := open(t, into)
	if got, want := facts(t, adapted), facts(t, fresh); !slices.Equal(got, want) {
		t.Errorf("the adapted archive says\n%s\na fresh run\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if r, _ := check(t, adapted, now, fit.Options{}); r.Score() != 1 || r.Profiles[fit.Renamed] != 0 {
		t.Errorf("the adapted archive: %v", r.Profiles)
	}
}

// facts returns what the profiles of an archive say, with the names that they use.
func facts(t *testing.T, s *reader.Store) (all []string) {
	t.Helper()
	for m, err := range s.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		k := key(t, m)
		for p, err := range m.Profiles() {
			if err != nil {
				t.Fatal(err)
			}
			for e := range p.Entries() {
				if f, ok := said(t, e); ok {
					all = append(all, strings.Join([]string{k.Class, k.Name, k.Signature, f.what}, " "))
				}
			}
		}
	}
	return all
}

// Without the old class files little code is no proof, and nothing is taken for
// what it is not; names that were only kept are left out.
func TestRenamesWithoutTheOldCode(t *testing.T) {
	full.Only(t, "starts JVMs")
	old, now := compile(t), compileRenamed(t, renamedWords)
	trained := old.train(t)
	r, verdicts := check(t, trained, now, fit.Options{})
	for _, n := range r.Renames {
		from, to := strings.TrimPrefix(n.From.Class, "Market$"), strings.TrimPrefix(n.To.Class, "Market$")
		if n.From.Name != "" {
			from, to = n.From.Name, n.To.Name
		}
		if renamedWords[from] != to {
			t.Errorf("%s is now %s", from, to)
		}
	}
	if r.Profiles[fit.Renamed] < 10 {
		t.Errorf("%v", r.Profiles)
	}
	if v := verdicts["Market.clamp"]; v.State != fit.Gone ||
		!strings.Contains(v.Reason, "unless it is now Market::limit(III)I") {
		t.Errorf("clamp is %s: %s", v.State, v.Reason)
	}
	into := builder.New(layout.DomainHotSpot, builder.ConfigOf(trained.Header()))
	r, verdicts = check(t, trained, now, fit.Options{Into: into, KeepNames: true})
	want := 0
	for _, v := range verdicts { // what names something whose new name is no proof has moved
		if v.State == fit.Exact || v.State == fit.Moved && v.To == (layout.Key{}) {
			want++
		}
	}
	if r.Rewritten.Profiles != want || r.Profiles[fit.Renamed] < 10 {
		t.Errorf("%d profiles with their names, want %d of %v", r.Rewritten.Profiles, want, r.Profiles)
	}
	process, err := program.ReadProcess(t.Context(), now.start(t))
	if err != nil {
		t.Fatal(err)
	}
	if r, _ := check(t, trained, process, fit.Options{Old: old}); r.Profiles[fit.Renamed] < 3 {
		t.Errorf("against a process: %v", r.Profiles)
	}
}

// A deleted method is gone, though something else has the same code.
func TestDeletedIsNotRenamed(t *testing.T) {
	full.Only(t, "starts JVMs")
	median := "    static int median(int[] a, int b, int c) {"
	twin := "    static int twin(int[] a, int v) {\n        return search(a, v) + 1;\n    }\n\n"
	other := "    static int other(int[] a, int v) {\n        return search(a, v) + 1;\n    }\n\n"
	use := [2]string{"    static int arrays(int n) {\n",
		"    static int arrays(int n) {\n        int[] one = {1};\n        for (int i = 0; i < 3000; i++) {\n            " +
			"one[0] = twin(one, 1);\n        }\n"}
	unused := [2]string{"one[0] = twin(one, 1)", "one[0] = one.length"}
	old := compile(t, [2]string{median, twin + other + median}, use)
	now := compile(t, [2]string{median, other + median}, use, unused)
	trained := old.train(t)
	for _, o := range []fit.Options{{}, {Old: old}} {
		r, verdicts := check(t, trained, now, o)
		if v := verdicts["Market.twin"]; v.State != fit.Gone || len(r.Renames) != 0 {
			t.Errorf("twin is %s: %s; %v", v.State, v.Reason, r.Renames)
		}
	}
}
