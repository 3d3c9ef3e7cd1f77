package c_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
)

// TestNoCommaOperators asks clang for comma operators in the library and the agent: a statement does
// one thing.
func TestNoCommaOperators(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	clang, err := exec.LookPath("clang")
	if err != nil {
		t.Skip("clang is not there")
	}
	for _, pattern := range []string{"src/*.c", "../agent/*.c"} {
		t.Run(pattern, func(t *testing.T) {
			files, err := filepath.Glob(pattern)
			if err != nil || len(files) == 0 {
				t.Fatalf("%s: %v", pattern, err)
			}
			args := append([]string{"-std=gnu11", "-fsyntax-only", "-Wcomma", "-Werror", "-Iinclude"}, files...)
			if out, err := exec.Command(clang, args...).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", pattern, err, out)
			}
		})
	}
}
