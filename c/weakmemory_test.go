package c_test

import (
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
)

// TestCountsAreOrderedOnWeakMemory compiles for a processor that reorders what nothing orders: the
// addition to the count of a row is released, after the type of the row, and a copy acquires it.
func TestCountsAreOrderedOnWeakMemory(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	clang := ""
	for _, name := range []string{"clang", "clang-19", "clang-14"} {
		if path, err := exec.LookPath(name); err == nil && clang == "" {
			clang = path
		}
	}
	if clang == "" || runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("only clang compiles for a processor without its headers; they are those of Linux on x86")
	}
	for file, want := range map[string]struct{ function, instruction, unordered string }{
		"count.c":   {"pa_count_receiver", "ldaddl", "ldadd"},
		"entries.c": {"pa_cell", "ldar", "ldr"},
	} {
		t.Run(file, func(t *testing.T) {
			code, err := exec.Command(clang, "--target=aarch64-linux-gnu", "-D__x86_64__", "-I/usr/include/x86_64-linux-gnu",
				"-march=armv8.1-a", "-std=c11", "-O2", "-Iinclude", "-S", "-o", "-", "src/"+file).Output()
			if err != nil {
				t.Skipf("%s does not compile for ARM: %v", clang, err)
			}
			_, body, _ := strings.Cut(string(code), "\n"+want.function+":")
			body, _, _ = strings.Cut(body, ".cfi_endproc")
			if !regexp.MustCompile(`\s` + want.instruction + `\s`).MatchString(body) {
				t.Errorf("%s has no %s, but %s: %s", want.function, want.instruction, want.unordered, body)
			}
		})
	}
}
