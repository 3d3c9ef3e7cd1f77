package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/testkit/full"
)

//go:noinline
func divideForUnits(until time.Time) (n int) {
	for i := 1; time.Now().Before(until); i++ {
		for j := 1; j < 1000; j++ {
			n += (i * j) % (j + 3)
		}
	}
	return n
}

//go:noinline
func callForUnits(until time.Time) int { return divideForUnits(until) + 1 }

// recordOwnProfile writes a CPU profile of this process, and its archive.
func recordOwnProfile(t *testing.T) (profile, archive string) {
	t.Helper()
	profile, archive = filepath.Join(t.TempDir(), "cpu.pb.gz"), filepath.Join(t.TempDir(), "a.parc")
	f, err := os.Create(profile)
	if err != nil {
		t.Fatal(err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		t.Skip(err) // this test is being profiled
	}
	callForUnits(time.Now().Add(time.Second))
	pprof.StopCPUProfile()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	said(t, "import", profile, "-o", archive)
	return profile, archive
}

// said runs a command that succeeds and returns its output.
func said(t *testing.T, args ...string) string {
	t.Helper()
	p := execute(t, false, args...)
	if p.code != cli.ExitOK {
		t.Fatalf("%v: %d, %s", args, p.code, p.plain.String())
	}
	return p.plain.String() + p.raw.String()
}

// TestUnitsOfAGoProfile: samples, nanoseconds and samples of calls are never added up, are
// called the same by every command, and are those that go tool pprof reads.
func TestUnitsOfAGoProfile(t *testing.T) {
	full.Only(t, "takes many inputs")
	profile, archive := recordOwnProfile(t)
	for unit, index := range map[string]string{"samples": "samples", "nanoseconds": "cpu"} {
		t.Run(unit, func(t *testing.T) {
			var top struct {
				By      string
				Total   uint64
				Methods []rankedForUnits
			}
			if err := json.Unmarshal([]byte(said(t, "top", archive, "--by", unit, "--json", "-n", "1000")), &top); err != nil {
				t.Fatal(err)
			}
			total, flat := readByGoTool(t, profile, index, ".divideForUnits")
			i := slices.IndexFunc(top.Methods, func(m rankedForUnits) bool {
				return strings.HasSuffix(m.Name, ".divideForUnits")
			})
			if i < 0 || top.By != unit || top.Total != total || top.Methods[i].Value+top.Methods[i].Self != flat {
				t.Errorf("%s: %+v, go tool pprof has %d of %d", unit, top, flat, total)
			}
		})
	}
	if facts := said(t, "info", archive, "--json"); strings.Contains(facts, `"summary"`) {
		t.Errorf("sums of all units: %s", facts)
	}
	if text := said(t, "info", archive); strings.Contains(text, "\nsums\n") {
		t.Errorf("sums of all units: %s", text)
	}
	var info struct {
		Cutoffs struct{ Units []struct{ Unit string } } `json:"cutoff_summary"`
	}
	if err := json.Unmarshal([]byte(said(t, "info", archive, "--summary", "--json")), &info); err != nil {
		t.Fatal(err)
	}
	var units []string
	for _, u := range info.Cutoffs.Units {
		units = append(units, u.Unit)
	}
	if want := []string{"samples of calls", "samples", "nanoseconds"}; !slices.Equal(units, want) {
		t.Errorf("units %q, want %q", units, want)
	}
	for _, name := range []string{"calls", "counts", "invocations", "weight"} {
		if text := said(t, "top", archive, "--by", name); !strings.Contains(text, "nothing in") {
			t.Errorf("by %s: %s", name, text)
		}
	}
	report := filepath.Join(t.TempDir(), "report.html")
	said(t, "web", archive, "-o", report)
	page, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{said(t, "info", archive, "--summary"), said(t, "top", archive, "--by", "nanoseconds"),
		string(page)} {
		if strings.Contains(text, "did not run") || strings.Contains(text, "point samples") {
			t.Errorf("functions of stacks that did not run, or units of another name: %.3000s", text)
		}
	}
	for _, heading := range []string{"Hottest by calls", "Hottest by counts"} {
		if strings.Contains(string(page), heading) {
			t.Errorf("a page says %q", heading)
		}
	}
}

// A rankedForUnits is a method of top: with a value, or by samples with its own.
type rankedForUnits struct {
	Name        string
	Value, Self uint64
}

// readByGoTool returns the sum of a profile and a function's own share of it.
func readByGoTool(t *testing.T, profile, index, function string) (total, flat uint64) {
	t.Helper()
	out, err := exec.Command("go", "tool", "pprof", "-raw", profile).Output()
	if err != nil {
		t.Skip(err)
	}
	column := map[string]int{"samples": 1, "cpu": 2}[index]
	_, samples, _ := strings.Cut(string(out), "Samples:\n")
	samples, locations, _ := strings.Cut(samples, "Locations\n")
	locations, _, _ = strings.Cut(locations, "\nMappings")
	leaf := map[string]bool{} // by the first line of a location
	for _, m := range regexp.MustCompile(`(?m)^ *(\d+): 0x\w+ M=\d+ (\S+)`).FindAllStringSubmatch(locations, -1) {
		leaf[m[1]] = strings.HasSuffix(m[2], function)
	}
	for _, m := range regexp.MustCompile(`(?m)^ *(\d+) +(\d+): (\d+)`).FindAllStringSubmatch(samples, -1) {
		n, err := strconv.ParseUint(m[column], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		total += n
		if leaf[m[3]] {
			flat += n
		}
	}
	return total, flat
}
