package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/testkit/specimen"
)

// writeSpecimen writes an archive of that name, changed if change is not nil, and returns its path.
func writeSpecimen(t *testing.T, name string, change func([]byte) []byte) string {
	t.Helper()
	for _, s := range append(specimen.All(), specimen.Hostile()...) {
		if s.Name != name {
			continue
		}
		data, err := s.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if change != nil {
			data = change(data)
		}
		path := filepath.Join(t.TempDir(), name+cli.ArchiveExtension)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Fatalf("there is no specimen %s", name)
	return ""
}

// runProgram runs the program, and returns its exit code, output and messages.
func runProgram(ctx context.Context, args ...string) (code int, out, messages string) {
	var stdout, stderr bytes.Buffer
	a := cli.New("archive", strings.NewReader(""), cli.Streams{
		PlainOut: escape.NewWriter(&stdout), PlainErr: escape.NewWriter(&stderr), RawOut: &stdout, RawErr: &stderr})
	code = a.Execute(ctx, newCommand(a), args)
	return code, stdout.String(), stderr.String()
}

// TestReportHasAllRows: the measurements of an archive are there. No test says how fast it is.
func TestReportHasAllRows(t *testing.T) {
	code, out, messages := runProgram(t.Context(), "--time", "1ms", writeSpecimen(t, "hotspot", nil))
	if code != 0 || messages != "" {
		t.Errorf("exit code %d: %s", code, messages)
	}
	for _, want := range []string{`archive +p99 +p99\.9 +map`, `id hit, dependent `, `key miss `,
		`open to first hit, warm `, `claim elsewhere, lazy `, `count in place `, `memory: `} {
		if !regexp.MustCompile(`(?m)^ *` + want).MatchString(out) {
			t.Errorf("the report lacks %q:\n%s", want, out)
		}
	}
	if code, out, messages := runProgram(t.Context(), "--time", "1ms", writeSpecimen(t, "graal", nil)); code != 0 ||
		!strings.Contains(out, "\nid hit ") {
		t.Errorf("graal: exit code %d: %s%s", code, out, messages)
	}
}

func TestReportInJSON(t *testing.T) {
	code, out, messages := runProgram(t.Context(), "--time", "1ms", "--json", writeSpecimen(t, "hotspot", nil))
	var r report
	if err := json.Unmarshal([]byte(out), &r); code != 0 || err != nil {
		t.Fatalf("exit code %d, %v: %s", code, err, messages)
	}
	if len(r.Rows) == 0 || r.Rows[0].Name != "id hit" || r.Rows[0].Archive.P999NS <= 0 || r.Rows[0].Ratio == nil {
		t.Errorf("rows: %+v", r.Rows)
	}
}

// TestHostileNamesAreEscaped: names of methods in the archive, and its path, send nothing to the terminal.
func TestHostileNamesAreEscaped(t *testing.T) {
	for _, s := range specimen.Hostile() {
		for _, flag := range []string{"--json=false", "--json"} {
			_, out, messages := runProgram(t.Context(), "--time", "1ms", flag, writeSpecimen(t, s.Name, nil))
			if strings.ContainsAny(out+messages, "\x1b\x07\u202e") {
				t.Errorf("%s: %q %q", s.Name, out, messages)
			}
		}
	}
}

func TestWhatCannotBeMeasured(t *testing.T) {
	sound := writeSpecimen(t, "hotspot", nil)
	for _, c := range []struct {
		what string
		code int
		args []string
		want string
	}{
		{"no archive", 2, nil, "want one archive"},
		{"an unknown flag", 2, []string{"--frobnicate", sound}, "unknown flag"},
		{"no time", 2, []string{"--time", "0s", sound}, "must be more than 0"},
		{"no methods", 1, []string{"--time", "1ms", writeSpecimen(t, "hotspot-empty", nil)}, "no methods to look up"},
		{"a cut archive", 1, []string{writeSpecimen(t, "hotspot", func(b []byte) []byte { return b[:1000] })},
			"header: .*truncated"},
		{"a damaged profile", 1, []string{"--time", "1ms", writeSpecimen(t, "hotspot", flipNearEnd)}, "checksum mismatch"},
		{"a missing file", 1, []string{sound + "x"}, "check the name"},
	} {
		code, out, messages := runProgram(t.Context(), c.args...)
		if code != c.code || out != "" || !regexp.MustCompile(c.want).MatchString(messages) {
			t.Errorf("%s: exit code %d, want %d and %q: %s%s", c.what, code, c.code, c.want, out, messages)
		}
	}
}

// flipNearEnd changes a byte of the last profile.
func flipNearEnd(data []byte) []byte {
	data[len(data)-9] ^= 1
	return data
}

// TestInterruptEndsTheMeasurement interrupts at many points.
func TestInterruptEndsTheMeasurement(t *testing.T) {
	path := writeSpecimen(t, "hotspot", nil)
	for delay := 50 * time.Microsecond; delay < 200*time.Millisecond; delay *= 2 {
		ctx, cancel := context.WithTimeoutCause(t.Context(), delay, errors.New("interrupted"))
		begin := time.Now()
		code, out, _ := runProgram(ctx, "--time", "1m", path)
		if took := time.Since(begin); code == 0 || out != "" || took > 30*time.Second {
			t.Errorf("interrupted after %s: exit code %d after %s: %s", delay, code, took, out)
		}
		cancel()
	}
}
