package gopgo_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/internal/formats/stacks/pprof"
	"github.com/profarc/profarc/internal/formats/stacks/pprof/gopgo"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/testprofile"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// preprofile returns what go tool preprofile makes of a profile.
func preprofile(t *testing.T, data []byte) string {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	if err := os.WriteFile(in, data, 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "tool", "preprofile", "-i", in, "-o", out)
	cmd.Env = append(os.Environ(), "GOPROXY=off")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, said)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func imported(t *testing.T, files ...[]byte) *reader.Store {
	t.Helper()
	s, _ := testprofile.Import(t, files...)
	return s
}

// TestCompilerReadsTheSame: go tool preprofile makes the same of the export as of the profile
// that was imported, byte for byte, and so does the preprocessed form.
func TestCompilerReadsTheSame(t *testing.T) {
	full.Only(t, "takes many inputs")
	t.Parallel()
	data := testprofile.OfCompiler(t)
	s := imported(t, data)
	want := preprofile(t, data)
	small, lost := testprofile.Export(t, s, &gopgo.Exporter{})
	if got := preprofile(t, small); got != want || lost.Count(gopgo.LossClamped) > 0 {
		t.Errorf("%d bytes of %d agree; lost %v", agreement(got, want), len(want), lost)
	}
	clear := withoutMixedCalls(t, data)
	whole, _ := testprofile.Export(t, imported(t, clear), &pprof.Exporter{})
	if want, got := preprofile(t, clear), preprofile(t, whole); got != want {
		t.Errorf("pprof: %d bytes of %d agree", agreement(got, want), len(want))
	}
	if len(small) > len(data)*3/4 {
		t.Errorf("the export has %d bytes, the profile %d", len(small), len(data))
	}
	if text, _ := testprofile.Export(t, s, &gopgo.Exporter{Preprocessed: true}); string(text) != want {
		t.Errorf("preprocessed: %d bytes of %d agree", agreement(string(text), want), len(want))
	}
	t.Logf("%d bytes in, %d out, %d edges", len(data), len(small), strings.Count(want, "\n")/3)
}

// withoutMixedCalls drops the samples with calls that are inlined in samples before them and not in these, or the other
// way around, since an archive keeps one of both.
func withoutMixedCalls(t *testing.T, data []byte) []byte {
	t.Helper()
	p, err := profile.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	inlined := map[string]bool{}
	p.Sample = slices.DeleteFunc(p.Sample, func(s *profile.Sample) bool {
		calls := map[string]bool{}
		key := ""
		for i, l := range s.Location {
			for j, n := range l.Line {
				at := n.Line - n.Function.StartLine
				if i+j == 0 {
					at = 0
				}
				key += fmt.Sprint(n.Function.Name, ":", at, "<")
				calls[key] = j > 0
				if before, ok := inlined[key]; ok && before != calls[key] {
					return true
				}
			}
		}
		maps.Copy(inlined, calls)
		return false
	})
	return testprofile.Encode(t, p)
}

// agreement returns the length of the common beginning.
func agreement(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// TestOddProfiles: the same for profiles that no program makes.
func TestOddProfiles(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	t.Parallel()
	for seed := range uint64(40) {
		data := testprofile.Encode(t, testprofile.Random(seed))
		small, _ := testprofile.Export(t, imported(t, data), &gopgo.Exporter{})
		if want, got := preprofile(t, data), preprofile(t, small); got != want {
			t.Errorf("seed %d: got\n%swant\n%s", seed, got, want)
		}
	}
}

// TestSumIsThatOfMergedProfiles: several profiles have the edges of pprof's merge.
func TestSumIsThatOfMergedProfiles(t *testing.T) {
	t.Parallel()
	var profiles []*profile.Profile
	var files [][]byte
	for seed := range uint64(7) {
		profiles = append(profiles, testprofile.Random(seed))
		files = append(files, testprofile.Encode(t, profiles[seed]))
	}
	merged, err := profile.Merge(profiles)
	if err != nil {
		t.Fatal(err)
	}
	small, _ := testprofile.Export(t, imported(t, files...), &gopgo.Exporter{})
	if want, got := preprofile(t, testprofile.Encode(t, merged)), preprofile(t, small); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// A listed edge is one of the output of preprofile.
type listed struct {
	caller, callee string
	offset         int
	weight         int64
}

func list(t *testing.T, text string) (edges []listed) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")[1:]
	for i := 0; i+2 < len(lines); i += 3 {
		offset, weight, _ := strings.Cut(lines[i+2], " ")
		n, err1 := strconv.Atoi(offset)
		w, err2 := strconv.ParseInt(weight, 10, 64)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		edges = append(edges, listed{lines[i], lines[i+1], n, w})
	}
	return edges
}

// countHotEdges returns, as the compiler does, the edges that make up 99% of the weight, the total,
// and the weight above which an edge is hot.
func hotEdges(edges []listed) (hot []listed, total, threshold int64) {
	for _, e := range edges {
		total += e.weight
	}
	sum := int64(0)
	for i, e := range edges {
		if sum += e.weight; float64(sum)/float64(total)*100 > 99 {
			return edges[:i+1], total, e.weight
		}
	}
	return edges, total, 0
}

// skewedProfile has calls of many methods of one name; few are often called.
func skewedProfile() *profile.Profile {
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}}}
	function := func(name string) *profile.Function {
		f := &profile.Function{ID: uint64(len(p.Function) + 1), Name: name, StartLine: 10}
		p.Function = append(p.Function, f)
		return f
	}
	location := func(f *profile.Function, line int64) *profile.Location {
		l := &profile.Location{ID: uint64(len(p.Location) + 1), Address: uint64(len(p.Location) + 1),
			Line: []profile.Line{{Function: f, Line: line}}}
		p.Location = append(p.Location, l)
		return l
	}
	var callees []*profile.Location
	for i := range 20 {
		callees = append(callees, location(function(fmt.Sprintf("io.(*R%d).Read", i)), 12))
	}
	for i := range 30 {
		site := location(function(fmt.Sprintf("a.f%d", i)), int64(11+i))
		for j, callee := range callees {
			weight := int64(3 + (i+j)%5)
			if (i+j)%20 == 0 {
				weight = 20000 - int64(100*i)
			}
			p.Sample = append(p.Sample, &profile.Sample{Value: []int64{weight}, Location: []*profile.Location{callee, site}})
		}
	}
	return p
}

// TestHot: the lossy form has the same hot edges, total and threshold, and for every call the
// heaviest callee.
func TestHot(t *testing.T) {
	full.Only(t, "takes many inputs")
	t.Parallel()
	inputs := [][]byte{testprofile.Encode(t, skewedProfile()), testprofile.OfCompiler(t)}
	for seed := range uint64(7) {
		inputs = append(inputs, testprofile.Encode(t, testprofile.Random(seed)))
	}
	for i, data := range inputs {
		s := imported(t, data)
		whole, _ := testprofile.Export(t, s, &gopgo.Exporter{})
		part, lost := testprofile.Export(t, s, &gopgo.Exporter{Hot: true})
		all, kept := list(t, preprofile(t, whole)), list(t, preprofile(t, part))
		wantHot, wantTotal, wantThreshold := hotEdges(all)
		hot, total, threshold := hotEdges(kept)
		if !slices.Equal(hot, wantHot) || total != wantTotal || threshold != wantThreshold {
			t.Errorf("%d: %d hot edges of %d above %d, want %d of %d above %d", i, len(hot), total, threshold, len(wantHot),
				wantTotal, wantThreshold)
		}
		type site struct {
			caller string
			offset int
		}
		heaviest := func(edges []listed) map[site]listed {
			best := map[site]listed{}
			for _, e := range edges {
				if at := (site{e.caller, e.offset}); best[at].weight < e.weight && e.caller != "~cold" {
					best[at] = e
				}
			}
			return best
		}
		best := heaviest(kept)
		for at, want := range heaviest(all) {
			if best[at] != want {
				t.Errorf("%d: at %v the heaviest is %v, want %v", i, at, best[at], want)
			}
		}
		if i == 0 && (lost.Count(gopgo.LossCold) == 0 || len(part) >= len(whole)) {
			t.Errorf("nothing was left out: %d bytes of %d, lost %v", len(part), len(whole), lost)
		}
	}
}

// TestRefused: what a compiler cannot use is refused.
func TestRefused(t *testing.T) {
	t.Parallel()
	old := testprofile.Random(1)
	for _, f := range old.Function {
		f.StartLine = 0
	}
	graal := memstore.Open(t, builder.New(layout.DomainGraal, builder.Config{}))
	flat := testprofile.Random(1)
	for _, s := range flat.Sample {
		s.Value = []int64{0, 0}
	}
	for name, c := range map[string]struct {
		s    *reader.Store
		want error
	}{
		"no start lines": {imported(t, testprofile.Encode(t, old)), gopgo.ErrNoStartLines},
		"another domain": {graal, gopgo.ErrNoEdges},
		"no samples":     {imported(t, testprofile.Encode(t, flat)), gopgo.ErrNoEdges},
		"two units": {imported(t, testprofile.Encode(t, testprofile.Random(1)),
			testprofile.Encode(t, testprofile.Random(7))), gopgo.ErrUnits},
	} {
		_, err := formats.Export(t.Context(), &bytes.Buffer{}, c.s, &gopgo.Exporter{})
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), "test.parc") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBytesDoNotChange: a function that moves in its file changes no byte of the export.
func TestBytesDoNotChange(t *testing.T) {
	t.Parallel()
	p := testprofile.Random(1)
	before, _ := testprofile.Export(t, imported(t, testprofile.Encode(t, p)), &gopgo.Exporter{})
	for _, l := range p.Location {
		for i := range l.Line {
			if l.Line[i].Function != nil {
				l.Line[i].Line += 5
			}
		}
	}
	for _, f := range p.Function {
		f.StartLine += 5
	}
	if after, _ := testprofile.Export(t, imported(t, testprofile.Encode(t, p)),
		&gopgo.Exporter{}); !bytes.Equal(before, after) {
		t.Error("the export changed")
	}
}
