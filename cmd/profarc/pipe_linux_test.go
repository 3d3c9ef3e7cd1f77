package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/escape"
)

// endsSoon runs a command that must not wait, and returns its error.
func endsSoon(t *testing.T, ctx context.Context, args []string) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- runInProcess(ctx, args) }()
	select {
	case err := <-done:
		return err
	case <-time.After(20 * time.Second):
		t.Fatalf("%q does not end", args)
		return nil
	}
}

// TestPipesAreRefused names a pipe without a writer where each command wants a file. Opening it
// would wait for good.
func TestPipesAreRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	largeArchive(t, "one.parc", 1)
	if err := unix.Mkfifo("pipe", 0o600); err != nil {
		t.Skip(err)
	}
	for _, args := range [][]string{
		{"verify", "pipe"}, {"info", "pipe"}, {"info", "--summary", "pipe"}, {"show", "pipe"}, {"top", "pipe"},
		{"show", "--lookup", "pipe", "a.b::c"},
		{"diff", "pipe", "one.parc"}, {"diff", "one.parc", "pipe"}, {"merge", "pipe", "one.parc", "-o", "out.parc"},
		{"merge", "one.parc", "pipe", "-o", "out.parc"}, {"web", "pipe"}, {"web", "one.parc", "pipe"},
		{"web", "pipe", "-o", "pages"}, {"run", "--archive", "pipe", "--strict", "--", "java"},
		{"check", "pipe", "--against", "one.parc"},
		{"check", "one.parc", "--against", "pipe"}, {"reduce", "--hot", "50%", "pipe", "-o", "out.parc"},
		{"export", "-t", "text", "pipe"},
		{"gate", "pipe"}, {"gate", "one.parc", "--against", "pipe"},
		{"show", "--class-path", "pipe", "one.parc"},
		{"show", "--class-path", ".", "--source-path", "pipe", "one.parc"},
	} {
		if err := endsSoon(t, t.Context(), args); err == nil || !strings.Contains(err.Error(), "a device or a pipe") {
			t.Errorf("%q, of a pipe: %v", args, err)
		}
		if _, err := os.Stat("out.parc"); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%q has written its output: %v", args, err)
		}
	}
}

// TestClosedOutputIsAFailure closes the pipe that commands print to. A verdict that nobody sees is no success.
func TestClosedOutputIsAFailure(t *testing.T) {
	t.Chdir(t.TempDir())
	largeArchive(t, "one.parc", 1)
	for _, args := range [][]string{
		{"info", "one.parc"}, {"show", "one.parc"}, {"top", "one.parc"}, {"diff", "one.parc", "one.parc"},
		{"verify", "one.parc"}, {"check", "one.parc", "--against", "one.parc"}, {"gate", "one.parc"},
		{"gate", "one.parc", "--max-age", "1ns"}, {"export", "-t", "text", "one.parc"}, {"info", "--json", "one.parc"},
		{"--version"}, {"--help"}, {"completion", "bash"}, {"help", "gate"},
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		_ = r.Close()
		var errOut bytes.Buffer
		a := app.New(os.Stdin, cli.Streams{PlainOut: escape.NewWriter(w), RawOut: w, PlainErr: escape.NewWriter(&errOut),
			RawErr: &errOut})
		if code := a.Main(newRootCommand(a), args); code == cli.ExitOK {
			t.Errorf("%q, with a closed output: exit code %d, %s", args, code, errOut.String())
		}
		_ = w.Close()
	}
}

// TestImportWaitsForAPipe: import reads a pipe once somebody writes to it, and ends before that if
// it is interrupted.
func TestImportWaitsForAPipe(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := unix.Mkfifo("pipe", 0o600); err != nil {
		t.Skip(err)
	}
	args := []string{"import", "pipe", "-o", "out.parc"}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := endsSoon(t, ctx, args); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("interrupted while it waits: %v", err)
	}
	go func() {
		time.Sleep(50 * time.Millisecond)
		_ = os.WriteFile("pipe", []byte("main;f 3\nmain;g 4\n"), 0)
	}()
	if err := endsSoon(t, t.Context(), args); err != nil {
		t.Errorf("a pipe whose writer comes later: %v", err)
	}
	if _, err := os.Stat("out.parc"); err != nil {
		t.Error(err)
	}
}

// fileFlags returns the flags of all commands that name a file to read, as "command --flag".
func fileFlags(root *cobra.Command) (all []string) {
	for _, c := range root.Commands() {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			words := strings.FieldsFunc(strings.ToLower(f.Name+" "+f.Usage), func(r rune) bool { return r < 'a' || r > 'z' })
			isNoun := func(w string) bool { return w == "file" || w == "archive" || w == "base" }
			if strings.HasPrefix(f.Value.Type(), "string") && slices.ContainsFunc(words, isNoun) {
				all = append(all, c.Name()+" --"+f.Name)
			}
		})
	}
	return all
}

// fileArguments has, for each flag that names a file to read, a command whose FILE is replaced; and "" for flags that
// name something else.
var fileArguments = map[string]string{
	"check --against":       "check one.parc --against FILE",
	"check --base":          "check one.parc --base FILE --against one.parc",
	"check --rewrite":       "",
	"dump --output":         "",
	"export --folded-value": "",
	"export --output":       "",
	"gate --against":        "gate one.parc --against FILE",
	"gate --base":           "gate one.parc --base FILE",
	"gate --baseline":       "gate one.parc --baseline FILE",
	"gate --max-size":       "",
	"import --expect-list":  "import one.txt -o out.parc --expect-list FILE",
	"import --files":        "import -o out.parc --files FILE",
	"import --output":       "",
	"import --weighted":     "",
	"merge --expect-list":   "merge one.parc one.parc -o out.parc --expect-list FILE",
	"merge --files":         "merge one.parc -o out.parc --files FILE",
	"merge --flatten":       "merge one.parc -o out.parc --flatten FILE",
	"merge --output":        "",
	"reduce --base":         "reduce one.parc -o out.parc --base FILE",
	"reduce --key-file":     "reduce one.parc -o out.parc --anonymize --key-file FILE",
	"reduce --may-differ":   "",
	"reduce --output":       "",
	"run --aot-output":      "",
	"run --archive":         "run --strict --archive FILE -- java",
	"run --base":            "run --strict --archive one.parc --base FILE -- java",
	"run --report":          "",
	"show --base":           "show one.parc --base FILE",
	"show --source-file":    "",
	"train --base":          "train -o out.parc --base FILE -- java",
	"train --may-differ":    "",
	"train --output":        "",
	"train --report":        "",
	"verify --base":         "verify one.parc --base FILE",
	"warm --archive":        "warm --archive FILE -- java -version",
	"warm --input":          "warm --input FILE -- java -version",
	"warm --report":         "",
	"web --output":          "",
}

// TestFileFlagsNeverWait gives each flag that takes a file a pipe without a writer, and a device without an end. The
// command ends when it is interrupted, and takes little memory.
func TestFileFlagsNeverWait(t *testing.T) {
	t.Chdir(t.TempDir())
	largeArchive(t, "one.parc", 1)
	if err := unix.Mkfifo("pipe", 0o600); err != nil {
		t.Skip(err)
	}
	root := newRootCommand(app.New(os.Stdin, cli.Streams{}))
	for _, flag := range fileFlags(root) {
		line, known := fileArguments[flag]
		if !known {
			t.Errorf("%s: how to give it a file is not in fileArguments", flag)
		}
		for _, file := range []string{"pipe", "/dev/zero"} {
			if line != "" {
				checkEndsSmall(t, strings.Fields(strings.ReplaceAll(line, "FILE", file)))
			}
		}
	}
}

// checkEndsSmall runs a command that fails, at the latest when it is interrupted, and allocates less than 64 MiB.
func checkEndsSmall(t *testing.T, args []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := endsSoon(t, ctx, args); err == nil {
		t.Errorf("%q succeeds", args)
	}
	runtime.ReadMemStats(&after)
	if grown := (after.TotalAlloc - before.TotalAlloc) >> 20; grown > 64 {
		t.Errorf("%q allocates %d MiB", args, grown)
	}
}
