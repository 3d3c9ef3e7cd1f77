package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/specimen"
)

// readerCommands read FILE, which is an archive or a profile of another tool. Their output has no durations.
var readerCommands = []string{
	"top FILE", "top --json FILE", "show FILE", "show --json FILE", "diff FILE FILE", "diff --json FILE FILE",
	"export -t json FILE", "export -t text FILE", "check FILE --against FILE", "check --json FILE --against FILE",
	"gate FILE --max-age 1000000h", "gate FILE --against FILE --baseline FILE",
}

// timedCommands are like readerCommands, but their output has durations or a dump's identity.
var timedCommands = []string{
	"info FILE", "info --json --summary FILE", "info --losses FILE", "info --tables FILE", "show --lookup FILE none",
	"web FILE -o out.html", "web FILE FILE -o out.html",
}

// archiveCommands need the file of an archive.
var archiveCommands = []string{
	"verify FILE", "reduce FILE --hot 90% -o out.parc", "merge FILE FILE -o out.parc",
	"merge --flatten FILE FILE -o out.parc",
	"run --strict --archive FILE -- java", "warm --archive FILE -- java -version",
	"train -o out.parc --base FILE -- java",
}

// runOnFile runs a command line on a file, and returns what it prints and its exit code.
func runOnFile(line, file string, stdin io.Reader) (out, errOut string, code int) {
	var stdout, stderr bytes.Buffer
	a := app.New(stdin, cli.Streams{PlainOut: escape.NewWriter(&stdout), PlainErr: escape.NewWriter(&stderr),
		RawOut: &stdout, RawErr: &stderr})
	code = runRoot(context.Background(), a, strings.Fields(strings.ReplaceAll(line, "FILE", file)))
	return stdout.String(), stderr.String(), code
}

// exportedProfiles writes each specimen in each format that import reads to profile/, and the archive that import makes
// of it to archive/ under the same name. It returns the names, and the first one of each format.
func exportedProfiles(t *testing.T) (names []string, first map[string]string) {
	first = map[string]string{}
	for _, sp := range specimen.All() {
		store := memstore.Open(t, sp.Build())
		for i, e := range append(formats.Exporters(), &formats.GoPGOExporter{Preprocessed: true}) {
			var b bytes.Buffer
			if _, err := formats.Export(t.Context(), &b, store, e); err != nil {
				continue // the format does not hold this domain
			}
			name := fmt.Sprintf("%s.%d.%s", sp.Name, i, e.Format().Name)
			in, err := formats.Import(t.Context(), []formats.Input{{Name: name, Reader: bytes.NewReader(b.Bytes())}},
				formats.ImportOptions{})
			if err != nil {
				continue // import does not read the format, or there is nothing to read
			}
			writeProfile(t, "profile/"+name, b.Bytes())
			if _, err := in.Builder.Commit(t.Context(), "archive/"+name); err != nil {
				t.Fatal(err)
			}
			setAge(t, 100*time.Hour, "profile/"+name, "archive/"+name)
			first[in.Format] = cmp.Or(first[in.Format], name)
			names = append(names, name)
		}
	}
	formatsRead := slices.Sorted(maps.Keys(first))
	want := []string{"folded", "iprof", "jamaica", "llvm", "methoddata", "pprof", "preprofile", "text"}
	if !slices.Equal(formatsRead, want) {
		t.Errorf("the test reads %v, want %v", formatsRead, want)
	}
	return names, first
}

func writeProfile(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// setAge gives files one modification time, since gate prints the age of a file that has no time of its dump.
func setAge(t *testing.T, age time.Duration, paths ...string) {
	t.Helper()
	written := time.Now().Add(-age) // 4.2 days, for hours
	for _, path := range paths {
		if err := os.Chtimes(path, written, written); err != nil {
			t.Fatal(err)
		}
	}
}

// TestReadersTakeAnyProfile: a command prints the same about a profile as about the archive that import makes of it.
func TestReadersTakeAnyProfile(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("archive", 0o777); err != nil {
		t.Fatal(err)
	}
	names, first := exportedProfiles(t)
	for _, name := range names {
		lines := readerCommands
		if slices.Contains(slices.Collect(maps.Values(first)), name) {
			lines = slices.Concat(readerCommands, timedCommands)
			checkArchivesAreAskedFor(t, "profile/"+name)
		}
		for _, line := range lines {
			got, said, code := runOnFile(line, "profile/"+name, nil)
			want, _, wantCode := runOnFile(line, "archive/"+name, nil)
			want = strings.ReplaceAll(want, "archive/"+name, "profile/"+name)
			if code != wantCode || code == 2 && !strings.Contains(said, "is a layer") {
				t.Errorf("%s of %s: exit code %d, of its archive %d: %s", line, name, code, wantCode, said)
			}
			if got != want && slices.Contains(readerCommands, line) {
				t.Errorf("%s of %s prints\n%s\nof its archive\n%s", line, name, got, want)
			}
			if !strings.Contains(said, "read   ") {
				t.Errorf("%s of %s does not say that it was imported: %q", line, name, said)
			}
		}
	}
}

// checkArchivesAreAskedFor types the advice of commands that need an archive.
func checkArchivesAreAskedFor(t *testing.T, file string) {
	t.Helper()
	advice := "profarc import " + file + " -o NAME.parc"
	for _, line := range archiveCommands {
		if _, said, code := runOnFile(line, file, nil); code != 1 || !strings.Contains(said, advice) {
			t.Errorf("%s of %s: exit code %d, and no advice to type %s: %s", line, file, code, advice, said)
		}
	}
	if _, said, code := runOnFile(strings.TrimPrefix(advice, "profarc "), "", nil); code != 0 {
		t.Errorf("%s fails: %s", advice, said)
	}
}

// TestReadersTakeTheStandardInput: - is a profile, which can be read once.
func TestReadersTakeTheStandardInput(t *testing.T) {
	for line, want := range map[string]int{"top -": 0, "diff - -": 2, "verify -": 1} {
		out, said, code := runOnFile(line, "", strings.NewReader("main;f 3\nmain;g 4\n"))
		if code != want || code == 0 && !strings.Contains(out, "g") {
			t.Errorf("%s: exit code %d, want %d: %s%s", line, code, want, out, said)
		}
	}
}

// TestReadersSayWhichFlagsImportNeeds: what import reads with a flag alone has to be imported first.
func TestReadersSayWhichFlagsImportNeeds(t *testing.T) {
	t.Chdir(t.TempDir())
	var whole bytes.Buffer
	graal := memstore.Open(t, specimen.All()[4].Build())
	if _, err := formats.Export(t.Context(), &whole, graal, &formats.IprofExporter{}); err != nil {
		t.Fatal(err)
	}
	writeProfile(t, "cut$.iprof", whole.Bytes()[:whole.Len()*7/8])
	const want = "--salvage: give that flag to profarc import 'cut$.iprof' -o NAME.parc, and name the archive here"
	if _, said, code := runOnFile("top FILE", "cut$.iprof", nil); code != 1 || !strings.Contains(said, want) {
		t.Errorf("exit code %d, and no %q: %s", code, want, said)
	}
}

// TestNearFormatsAreNamed: export knows formats by other names too.
func TestNearFormatsAreNamed(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{"pgo": "gopgo", "profraw": "profdata", "collapsed": "folded",
		"java": "methoddata", "foldd": "folded", "GRAAL": "iprof"} {
		want = "-t " + typed + ": there is no such format: did you mean " + want + "?"
		_, said, code := runOnFile("export -t "+typed+" FILE", "none.parc", nil)
		if code != 2 || !strings.Contains(said, want) {
			t.Errorf("-t %s: exit code %d, %s, want %q", typed, code, said, want)
		}
	}
	if out, _, _ := runOnFile("__complete export -t pr", "", nil); !strings.Contains(out, "\nprofdata\n") {
		t.Errorf("completions of pr: %s", out)
	}
	if out, _, _ := runOnFile("__complete top FILE", "x", nil); !strings.HasPrefix(out, "parc\nprofraw\n") {
		t.Errorf("completions of archives: %s", out)
	}
}

// TestJSONIsASwitch: --json means the same in each command.
func TestJSONIsASwitch(t *testing.T) {
	t.Parallel()
	root := newRootCommand(app.New(nil, cli.Streams{}))
	n := 0
	for _, c := range root.Commands() {
		for _, cmd := range append(c.Commands(), c) {
			f := cmd.Flags().Lookup("json")
			if f == nil {
				continue
			}
			n++
			if f.Value.Type() != "bool" || f.Usage != "print JSON instead of text" {
				t.Errorf("%s --json is a %s: %s", cmd.CommandPath(), f.Value.Type(), f.Usage)
			}
		}
	}
	if n < 15 {
		t.Errorf("%d commands have --json", n)
	}
}
