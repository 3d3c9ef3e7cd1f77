package lint

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
)

// TestTutorialLearns runs the program of docs/embedding.md twice. The second run must start with the counts of the
// first.
func TestTutorialLearns(t *testing.T) {
	full.Only(t, "builds a program")
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "first")
	if out, err := exec.Command("go", "build", "-o", program, "./example/first").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, says := range []string{"known so far: 0 calls", "known so far: 1000 calls, 333 taken, 667 not taken"} {
		t.Run(says, func(t *testing.T) {
			command := exec.Command(program)
			command.Dir = dir
			if out, err := command.CombinedOutput(); err != nil || !strings.Contains(string(out), says) {
				t.Errorf("%v, %q does not say %q", err, out, says)
			}
		})
	}
}

// TestPagesShowTheVM checks that the code in the pages is part of the root package's tests or of libprofarc's examples,
// which are compiled and run.
func TestPagesShowTheVM(t *testing.T) {
	startInRoot(t)
	showsTheVM(t, "docs/embedding.md", map[string][]string{
		"go": {"example/first/main.go", "run_test.go", "reader/example_layers_test.go"},
		"c": {"c/examples/first.c", "c/examples/vm.c", "c/examples/count.c", "c/examples/layers.c",
			"c/examples/cache.c"}})
}

func showsTheVM(t *testing.T, page string, languages map[string][]string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for language, sources := range languages {
		var code []string
		for _, name := range sources {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			code = append(code, string(b))
		}
		blocks := regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(text), -1)
		if len(blocks) == 0 {
			t.Errorf("%s shows no code in %s", page, language)
		}
		for _, block := range blocks {
			if !slices.ContainsFunc(code, func(c string) bool { return strings.Contains(c, block[1]) }) {
				t.Errorf("%v do not have this code of %s:\n%s", sources, page, block[1])
			}
		}
	}
}
