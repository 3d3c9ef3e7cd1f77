package iprof

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/internal/testkit/full"
)

// TestSamplesComeBack: what GraalVM wrote comes back byte by byte, what others
// wrote with other blanks is the same JSON.
func TestSamplesComeBack(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	for name, exact := range map[string]bool{
		"some-compiler-0.4.0.iprof.gz": true, "elidemin-1.0.0.iprof": true,
		"reachability-demo-1.0.0.iprof": false, "reachability-demo_sampled-1.0.0.iprof": false,
		"reachability-near_call_instrumented-1.0.0.iprof": false, "reachability-near_call_sampling-1.0.0.iprof": false,
	} {
		t.Run(name, func(t *testing.T) {
			want := string(sample(t, name))
			data, in := read(t, want, ReadOptions{})
			got, out := write(t, data, WriteOptions{})
			if exact && got != want {
				t.Error("other bytes")
			}
			sameJSON(t, got, want)
			valid(t, got, in.Version)
			if len(in.Lost)+len(out.Lost) > 0 {
				t.Errorf("lost %v, %v", in.Lost, out.Lost)
			}
		})
	}
}

// TestOldDialect: the figures of a file of 0.2.0, counted in another way, equal its archive's.
func TestOldDialect(t *testing.T) {
	text := sample(t, "binary-tree-0.2.0-types.iprof.gz")
	var plain struct {
		Types []struct {
			ID       int64
			TypeName string
		}
		Methods []any
	}
	if err := json.Unmarshal(text, &plain); err != nil {
		t.Fatal(err)
	}
	data, report := read(t, string(text), ReadOptions{})
	if report.Types != len(plain.Types) || report.Methods != len(plain.Methods) || len(report.Lost) > 0 ||
		report.Lost.Count(LossOdd) > 0 || report.Dangling > 0 {
		t.Errorf("%+v, the file has %d types", report, len(plain.Types))
	}
	s := open(t, data)
	for _, row := range plain.Types {
		if _, err := s.FindType(row.TypeName, ""); err != nil {
			t.Fatalf("%s: %v", row.TypeName, err)
		}
	}
	out, _ := write(t, data, WriteOptions{})
	valid(t, out, "1.0.0")
	var again plainFile
	if err := json.Unmarshal([]byte(out), &again); err != nil {
		t.Fatal(err)
	}
	if again.Version != "1.0.0" || len(again.Types) != len(plain.Types) {
		t.Fatalf("version %s, %d types", again.Version, len(again.Types))
	}
	for i, row := range plain.Types {
		if diff := cmp.Diff(plainRow{ID: row.ID, Name: row.TypeName}, again.Types[i]); diff != "" {
			t.Fatal(diff)
		}
	}
}

// TestOtherVersions: a sample in every version that can be written is valid, and
// is the sample again after a way back.
func TestOtherVersions(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	want := string(sample(t, "some-compiler-0.4.0.iprof.gz"))
	data, _ := read(t, want, ReadOptions{})
	for _, version := range Versions {
		text, report := write(t, data, WriteOptions{Version: version})
		valid(t, text, version)
		if len(report.Lost) > 0 {
			t.Errorf("%s: lost %v", version, report.Lost)
		}
		other, _ := read(t, text, ReadOptions{})
		if back, _ := write(t, other, WriteOptions{Version: "0.4.0"}); back != want {
			t.Errorf("%s: other bytes after the way back", version)
		}
	}
}

// TestPruned: rows that nothing refers to are gone and counted, and the profiles are what they were.
func TestPruned(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	data, in := read(t, string(sample(t, "some-compiler-0.4.0.iprof.gz")), ReadOptions{})
	text, out := write(t, data, WriteOptions{Prune: true})
	valid(t, text, "0.4.0")
	if n := out.Lost.Count(PrunedMethods); n != in.Seen || out.Methods+n != in.Methods {
		t.Errorf("%+v of %+v", out, in)
	}
	_, again := read(t, text, ReadOptions{})
	if again.Types+out.Lost.Count(PrunedTypes) != in.Types || again.Seen != 0 || again.Dangling != 0 ||
		again.Entries != in.Entries || again.Profiles != in.Profiles {
		t.Errorf("%+v of %+v", again, in)
	}
}
