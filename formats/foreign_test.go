package formats_test

import (
	"context"
	"strings"
	"testing"

	"github.com/profarc/profarc/formats"
)

// foreignBeginnings has the beginning of a file of each kind that users mistake for an importable profile, and a word
// of its description.
var foreignBeginnings = map[string]string{
	"FLR\x00\x00\x02":                        "Flight Recorder",
	"2ELIFREP\x00\x68":                       "perf script",
	"\x81rforpm\xff\x01":                     "MemProf",
	"adcg":                                   "gcov's data (.gcda), as gcc and clang --coverage count: compile",
	"oncg*33B":                               "gcov's notes (.gcno) of gcc or clang, which have no counts: compile",
	"JAVA PROFILE 1.0.2\x00\x00\x00\x00\x08": "heap dump",
	"\xca\xfe\xba\xbe\x00\x00\x00\x3d":       "class file",
	"\x7fELF\x02\x01":                        "a program",
	"PK\x03\x04\x14":                         "jar",
	"\xfd7zXZ\x00\x00":                       "xz -d",
	"BZh91AY":                                "bzip2 -d",
	"1 main 1f 1 f/a.c/1 0 0 100\n":          "llvm-bolt",
	"---\nheader:\n  profile-version: 1\n":   "llvm-bolt",
	"#\n# A fatal error has been detected by the Java Runtime\n":           "hs_err",
	"  invocation_counter: 5\n":                                            "without its ruled lines",
	"<?xml version=\"1.0\"?>\n<svg version=\"1.1\">\n":                     "folded stacks",
	"{\"gcc_version\": \"14.2.0\"}":                                        "gcov's JSON",
	"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"}": "JSON of another tool",
	"# To display the perf.data header info, use --header\n":               "perf script",
	"File: app\nType: cpu\n   flat  flat%\n":                               "go tool pprof",
	"Counters:\n  main:\n":                                                 "llvm-profdata show",
	"2025-01-01 10:00:00\nFull thread dump OpenJDK 64-Bit":                 "thread dump",
	"<!DOCTYPE html><html><head>":                                          "HTML",
	strings.Repeat("x", 257) + "ustar\x0000":                               "tar -xf",
}

// TestForeignFilesAreNamed checks that each file has its description.
func TestForeignFilesAreNamed(t *testing.T) {
	t.Parallel()
	for text, want := range foreignBeginnings {
		_, err := formats.Detect(context.Background(), formats.Input{Name: "x", Reader: strings.NewReader(text)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
