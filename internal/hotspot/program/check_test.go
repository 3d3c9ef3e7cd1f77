package program_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/fit"
	"github.com/profarc/profarc/internal/hotspot/program"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// edits are a day's work on the program: checks and statements that are added, a new case, a new branch in
// the middle, a method that is renamed, one that is deleted, and one that is written anew. None changes what
// the program computes but for digits.
var edits = [][2]string{
	{"            orders.add(o);\n",
		"            if (o.note != null) {\n                rejected += 2;\n            }\n            orders.add(o);\n"},
	{"            int n = 0;\n            for (int i = 0; i < orders.size()",
		"            if (kind > 99) {\n                return -1;\n            }\n            int n = 0;\n            for " +
			"(int i = 0; i < orders.size()"},
	{"        boolean[] out = new",
		"        if (n < 2) {\n            return new int[0];\n        }\n        boolean[] out = new"},
	{"            steps++;\n",
		"            if (steps > 100000) {\n                throw new IllegalStateException(\"n \" + n);\n            }\n " +
			"           steps++;\n"},
	{"        switch (kind) {\n",
		"        if (price == -12345) {\n            return 0;\n        }\n        switch (kind) {\n            case 5:\n " +
			"               return price / 2;\n"},
	{"            Rule r = rules[i];\n",
		"            Rule r = rules[i];\n            if (r == null) {\n                continue;\n            }\n"},
	{"        if (o instanceof Order) {\n",
		"        if (o == null) {\n            return null;\n        }\n        if (o instanceof Order) {\n"},
	{"            t += weigh(o.kind, p);\n",
		"            if (p > 5000) {\n                t += Math.abs(p);\n            }\n            t += weigh(o.kind, " +
			"p);\n"},
	{"            } else if (c == '-') {\n",
		"            } else if (c == '_') {\n                h += 2;\n            } else if (c == '-') {\n"},
	{"    static String label(Order o) {", "    static String caption(Order o) {"},
	{"            String s = label(o);\n", "            String s = caption(o);\n"},
	{"            t += digits(o.price);\n", "            t += o.price / 500;\n"},
	{"    static int digits(int n) {\n        int d = 1;\n        while (n >= 10) {\n            n /= 10;\n            " +
		"d++;\n        }\n        return d;\n    }\n", ""},
	{"        int n = 0;\n        boolean negative = false;\n",
		"        if (s.isEmpty()) {\n            return 0;\n        }\n        int n = 0;\n        boolean negative = " +
			"false;\n"},
	{"        for (int i = 1; i < a.length; i++) {\n            int v",
		"        if (a == null) {\n            return;\n        }\n        for (int i = 1; i < a.length; i++) {\n         " +
			"   int v"},
	{"            int mid = (low + high) >>> 1;\n",
		"            int mid = (low + high) >>> 1;\n            if (mid < 0) {\n                break;\n            }\n"},
	{"            return left * b.eval(x) % 1009;",
		"            int right = b.eval(x);\n            if (right == 0) {\n                return 0;\n            }\n    " +
			"        return left * right % 1009;"},
	{"            Expr e = term();\n",
		"            if (text.isEmpty()) {\n                return new Num(0);\n            }\n            Expr e = " +
			"term();\n"},
	{"            char c = look();\n            at++;\n",
		"            char c = look();\n            at++;\n            if (c == 0) {\n                throw new " +
			"IllegalStateException(text);\n            }\n"},
	{"                int s = 0;\n",
		"                if (c == a || c == b) {\n                    continue;\n                }\n                int s " +
			"= 0;\n"},
	{"        StringBuilder b = new StringBuilder();\n",
		"        if (s.length() < 2) {\n            return s;\n        }\n        StringBuilder b = new " +
			"StringBuilder(s.length());\n"},
	{"                    Integer n = count.get(w);\n",
		"                    if (w.length() > 99) {\n                        w = w.substring(0, 99);\n                    " +
			"}\n                    Integer n = count.get(w);\n"},
	{"        if (points >= 900) {\n",
		"        if (points == 5000) {\n            return 0;\n        }\n        if (points >= 900) {\n"},
	{"                case 2 -> t += 5;\n", "                case 0 -> t += 100;\n                case 2 -> t += 5;\n"},
	{"        if (o instanceof Plus) {\n",
		"        if (o instanceof Num) {\n            return 0;\n        }\n        if (o instanceof Plus) {\n"},
	{"        int x = a[0];\n        if (x < b) {\n            return b < c ? b : Math.max(x, c);\n        }\n        " +
		"return x < c ? x : Math.max(b, c);\n", "        int[] v = {a[0], b, c};\n        sort(v);\n        return v[1];\n"},
}

// What has become of the methods that were edited; all others are exact.
var edited = map[fit.State][]string{
	fit.Moved: {"Book.add", "Book.count", "Market.sieve", "Market.collatz", "Market.weigh", "Market.priceOf",
		"Market.ruleFor", "Market.settle", "Market.hash", "Market.text", "Market.parse", "Market.sort", "Market.search",
		"Times.eval", "Parser.expression", "Parser.factor", "Market.multiply", "Market.reverse", "Market.words",
		"Market.grade", "Market.grades", "Market.weight"},
	fit.Stale: {"Market.median"},
	fit.Gone:  {"Market.label", "Market.digits"},
}

func stateOf(name string) fit.State {
	for state, names := range edited {
		if slices.Contains(names, name) {
			return state
		}
	}
	return fit.Exact
}

func TestNothingChanged(t *testing.T) {
	full.Only(t, "starts JVMs")
	old := compile(t)
	s := old.train(t)
	r, verdicts := check(t, s, old, fit.Options{})
	if len(verdicts) < 50 || r.Profiles[fit.Exact] != len(verdicts) || r.Score() != 1 {
		t.Errorf("%d profiles: %v, score %v", len(verdicts), r.Profiles, r.Score())
	}
	p, err := program.ReadProcess(t.Context(), old.start(t))
	if err != nil {
		t.Fatal(err)
	}
	if r, _ := check(t, s, p, fit.Options{}); r.Profiles[fit.Exact] != len(verdicts) {
		t.Errorf("against a process: %v of %d", r.Profiles, len(verdicts))
	}
	if r, _ := check(t, s, fit.Archived(s), fit.Options{}); r.Profiles[fit.Exact] != len(verdicts) {
		t.Errorf("against itself: %v of %d", r.Profiles, len(verdicts))
	}
}

func TestEditedProgram(t *testing.T) {
	full.Only(t, "starts JVMs")
	old, now := compile(t), compile(t, edits...)
	trained, fresh := old.train(t), now.train(t)
	process, err := program.ReadProcess(t.Context(), now.start(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what    string
		against fit.Code
		old     fit.Code
		least   float64 // share of the truth that must come out
		removed fit.State
		renamed fit.State
	}{
		{"class files", now, nil, 0.75, fit.Gone, fit.Gone},
		{"a process", process, nil, 0.75, fit.Gone, fit.Gone},
		{"profiles of it", fit.Archived(fresh), nil, 0.75, fit.Unchecked, fit.Unchecked}, // it may not have run
		{"class files, with the old ones", now, old, 0.85, fit.Gone, fit.Renamed},
	} {
		t.Run(c.what, func(t *testing.T) {
			into := builder.New(layout.DomainHotSpot, builder.ConfigOf(trained.Header()))
			r, verdicts := check(t, trained, c.against, fit.Options{Into: into, Old: c.old, Top: 5,
				Confidence: fit.AssumedConfidence})
			for name, v := range verdicts {
				want := stateOf(name)
				if want == fit.Gone {
					want = c.removed
				}
				if name == "Market.label" {
					want = c.renamed
				}
				if v.State != want {
					t.Errorf("%s is %s (%s, confidence %.2f), want %s", name, v.State, v.Reason, v.Confidence, want)
				}
			}
			adapted := open(t, into)
			if c.against == fit.Code(now) { // of others it is not known what calls name
				sameForms(t, adapted, fresh, verdicts)
			}
			raw, matched := agreement(t, trained, trained, fresh, verdicts), agreement(t, trained, adapted, fresh, verdicts)
			t.Logf("score %.3f, %v; of the truth %s came out, %s by place alone", r.Score(), r.Profiles, matched, raw)
			if matched.share() < c.least || matched.share() < raw.share()+0.4 {
				t.Error("too little of the truth")
			}
			kept := r.Profiles[fit.Unchecked]
			if r,
				_ := check(t, adapted, now, fit.Options{}); r.Profiles[fit.Exact] != int(adapted.Header().Counts.Profiles)-kept ||
				r.Profiles[fit.Gone] != kept {
				t.Errorf("the adapted archive: %v", r.Profiles)
			}
		})
	}
}

// A tally counts the points that an old profile knew, and how many of them came out as in a fresh run.
type tally struct{ right, all int }

func (n tally) share() float64 { return float64(n.right) / float64(max(n.all, 1)) }
func (n tally) String() string {
	return fmt.Sprintf("%d of %d (%.0f%%)", n.right, n.all, 100*n.share())
}

// agreement compares what s says of methods that have moved with what a fresh
// run counted at the same places. All is what the trained profiles say.
func agreement(t *testing.T, trained, s, fresh *reader.Store, verdicts map[string]fit.Verdict) (n tally) {
	t.Helper()
	for m, err := range fresh.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		if v, ok := verdicts[name(t, m)]; !ok || v.State != fit.Moved {
			continue
		}
		truth := profileOf(t, fresh, m)
		for e := range profileOf(t, trained, m).Entries() {
			if _, ok := said(t, e); ok {
				n.all++
			}
		}
		for e := range profileOf(t, s, m).Entries() {
			f, ok := said(t, e)
			if !ok {
				continue
			}
			if want, there := truth.At(e.Point()); there {
				if known, ok := said(t, want); ok && known.agrees(f) {
					n.right++
				}
			}
		}
	}
	return n
}

// profileOf returns the profile that an archive has of a method of another.
func profileOf(t *testing.T, s *reader.Store, m reader.Method) reader.Profile {
	t.Helper()
	there, err := s.Find(key(t, m))
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := there.Profile(layout.CodeAny)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A fact is what a compiler takes from an entry: how often a branch is taken,
// the type that most receivers have, the case that most values take.
type fact struct {
	what  string
	share float64 // of a branch
}

func (f fact) agrees(g fact) bool { return f.what == g.what && math.Abs(f.share-g.share) < 0.1 }

// said returns the fact of an entry. ok is false if it counted too little to say anything.
func said(t *testing.T, e reader.Entry) (f fact, ok bool) {
	t.Helper()
	const enough = 100
	if b, is := e.Branch(); is {
		taken, not := float64(b.Taken.Trained()), float64(b.NotTaken.Trained())
		return fact{"taken", taken / (taken + not)}, taken+not >= enough
	}
	var names []string
	var counts []uint64
	if r, is := e.Receivers(); is {
		names, counts = []string{"other"}, []uint64{uint64(max(0, int64(r.Other().Trained())))}
		for row := range r.All() {
			name, err := row.Type.Name()
			if err != nil {
				t.Fatal(err)
			}
			names, counts = append(names, name.String()), append(counts, row.Count.Trained())
		}
	}
	if rows, is := e.Rows(); is && e.Tag() == layout.TagMultiBranch {
		names, counts = []string{"default"}, []uint64{rows.Head(0).Trained()}
		for i := range rows.Len() {
			names, counts = append(names, fmt.Sprint("case ", i)), append(counts, rows.Cell(i, 0).Trained())
		}
	}
	sum := uint64(0)
	for _, n := range counts {
		sum += n
	}
	for i, n := range counts {
		if sum >= enough && n > sum*6/10 {
			return fact{names[i], 0}, true
		}
	}
	return fact{}, false
}

// sameForms checks that adapted profiles have the entries that the VM itself
// makes for the new code: places, kinds, sizes and displacements.
func sameForms(t *testing.T, adapted, fresh *reader.Store, verdicts map[string]fit.Verdict) {
	t.Helper()
	for m, err := range fresh.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		if v, ok := verdicts[name(t, m)]; !ok || v.State != fit.Moved {
			continue
		}
		got, want := form(profileOf(t, adapted, m)), form(profileOf(t, fresh, m))
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%q, the VM makes\n%q", name(t, m), got, want)
		}
	}
}

func form(p reader.Profile) (list []string) {
	for e := range p.Entries() {
		text := fmt.Sprint(e.Point(), e.Tag(), e.Cells(), e.Offset())
		switch e.Tag() {
		case layout.TagJump, layout.TagBranch:
			text += fmt.Sprint(" ", int64(e.Cell(1).Trained()))
		case layout.TagMultiBranch:
			for i := 2; i < e.Cells(); i += 2 {
				text += fmt.Sprint(" ", int64(e.Cell(i).Trained()))
			}
		}
		list = append(list, text)
	}
	return list
}
