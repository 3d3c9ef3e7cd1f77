package pages

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
)

// buildFibs builds a program with the function fibs.fib on lines 20 to 25, as the sampled specimen has it.
func buildFibs(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	files := map[string]string{
		"go.mod":  "module fibs\n",
		"main.go": "package fibs\n" + strings.Repeat("\n", 18) + "//go:noinline\nfunc fib(n int) int { // 21\n\tif n < 2 {\n\t\treturn n\n\t}\n\treturn fib(n-1) + fib(n-2)\n}\n\nvar Fib = fib\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "run"), 0o755); err != nil {
		t.Fatal(err)
	}
	run := "package main\n\nimport \"fibs\"\n\nfunc main() { println(fibs.Fib(5)) }\n"
	if err := os.WriteFile(filepath.Join(folder, "run", "run.go"), []byte(run), 0o644); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-o", "program", "./run")
	build.Dir = folder
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(folder, "program")
}

// TestAssemblyHasTheCountsOfItsLines: the count of a line is beside its first instruction, so that counts add up.
func TestAssemblyHasTheCountsOfItsLines(t *testing.T) {
	t.Parallel()
	program := buildFibs(t)
	for _, sp := range specimen.All() {
		if sp.Name != "sampled" {
			continue
		}
		site := specimenSite(t, sp)
		m, err := site.Archive.Find(layout.Key{Name: "fibs.fib"})
		if err != nil {
			t.Fatal(err)
		}
		if body := shownPageOf(t, site, "method", methodQuery(m)); strings.Contains(body, "Assembly") {
			t.Error("without a program the page has assembly")
		}
		site.Binary = program
		page := built[*methodPage](t, requestOf(t, site, "method", "at", recordRefText(m.Ref())))
		counts := map[string]int{}
		for _, row := range page.Assembly.Rows {
			if row.Count != "" {
				counts[row.Line.Text+" "+row.Count]++
			}
		}
		if counts["main.go:21 400 ms"] != 1 || counts["main.go:22 500 ms"] != 1 || len(counts) != 2 {
			t.Errorf("counts %v, problem %q", counts, page.Assembly.Problem)
		}
		body := shownPageOf(t, site, "method", methodQuery(m))
		if !strings.Contains(body, "<code>cmp ") || !strings.Contains(body, "#line-22") {
			t.Errorf("no instruction with its line in %s", body)
		}
		other := specimenSite(t, sp)
		other.Binary = os.DevNull
		if body := shownPageOf(t, other, "method", methodQuery(m)); !strings.Contains(body, "No assembly is shown") {
			t.Errorf("of no program: %s", body)
		}
		return
	}
	t.Error("no specimen is sampled")
}
