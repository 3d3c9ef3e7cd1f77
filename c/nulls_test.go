package c_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/specimen"
)

// TestNulls calls every function with NULL for each pointer, and with structs of zeros.
func TestNulls(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program := sanitized(t, "address,undefined").client(t, "tests/nulls.c")
	for _, s := range specimen.All() {
		t.Run(s.Name, func(t *testing.T) {
			path := writeArchive(t, archiveOf(t, s))
			if out, stderr, status := runProgram(t, program, path, t.TempDir()); status != 0 {
				t.Errorf("exit status %d: %s%s", status, out, stderr)
			}
		})
	}
}

// TestNullsOfEveryFunction checks that tests/nulls.c calls every function that the headers declare.
func TestNullsOfEveryFunction(t *testing.T) {
	calls, err := os.ReadFile("tests/nulls.c")
	if err != nil {
		t.Fatal(err)
	}
	functions := 0
	for _, header := range []string{"include/profarc.h", "include/profarc_archive.h"} {
		text, err := os.ReadFile(header)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range regexp.MustCompile(`(?m)^PA_API [^(;]*\b(pa_\w+)\(`).FindAllStringSubmatch(string(text), -1) {
			functions++
			if !strings.Contains(string(calls), f[1]+"(") {
				t.Errorf("tests/nulls.c does not call %s", f[1])
			}
		}
	}
	if functions < 100 {
		t.Errorf("the headers declare %d functions", functions)
	}
}
