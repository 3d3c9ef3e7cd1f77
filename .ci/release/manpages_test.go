package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestEachCommandHasAManPage: each command that the program completes has a page with all words of its help.
func TestEachCommandHasAManPage(t *testing.T) {
	t.Parallel()
	program, err := buildForHelp(t.Context(), "../..", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	pages, err := manPages(t.Context(), program, "v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	commands := [][]string{nil}
	for _, parent := range [][]string{nil, {"agent"}, {"completion"}} {
		for _, name := range completed(t, program, parent) {
			commands = append(commands, append(slices.Clone(parent), name))
		}
	}
	if len(commands) < 40 || len(pages) != len(commands) {
		t.Errorf("%d commands, %d pages", len(commands), len(pages))
	}
	for _, args := range commands {
		name := strings.Join(append([]string{"profarc"}, args...), "-")
		page := pages[name+".1"]
		if page == "" {
			t.Errorf("%s has no page", name)
			continue
		}
		checkManPage(t, program, args, page)
	}
	if !strings.Contains(pages["profarc-push.1"], `\fB\-\-subject IMAGE\fR`+"\nIMAGE to attach the archive to\n") {
		t.Errorf("push: %s", pages["profarc-push.1"])
	}
}

// completed returns the commands that a program completes after a command.
func completed(t *testing.T, program string, after []string) (names []string) {
	t.Helper()
	out, err := exec.Command(program, slices.Concat([]string{"__complete"}, after, []string{""})...).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if name, _, ok := strings.Cut(line, "\t"); ok {
			names = append(names, name)
		}
	}
	return names
}

func checkManPage(t *testing.T, program string, args []string, page string) {
	t.Helper()
	for _, title := range []string{"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS"} {
		if !strings.Contains(page, "\n.SH "+title+"\n") {
			t.Errorf("%v: no %q", args, title)
		}
	}
	text := strings.NewReplacer(`\e`, `\`, `\-`, "-", `\(dq`, `"`, `\&`, "", `\fB`, "", `\fR`, "").Replace(page)
	words := map[string]bool{}
	for _, word := range strings.Fields(text) {
		words[word] = true
	}
	out, err := exec.Command(program, append(slices.Clone(args), "--help")...).Output()
	if err != nil {
		t.Fatal(err)
	}
	help, _, _ := strings.Cut(string(out), "\nUse \"profarc")
	for line := range strings.Lines(help) {
		for _, word := range strings.Fields(line) {
			if !words[word] && !sectionTitle.MatchString(strings.TrimSpace(line)) {
				t.Errorf("%v: the page lacks %s", args, word)
			}
		}
	}
}

// TestManPageIsEscaped: lines that begin like requests, backslashes and tables stay as they are.
func TestManPageIsEscaped(t *testing.T) {
	t.Parallel()
	h := parseHelp("About *.parc.\n.profarc is a folder.\n\n  a  b\n\nUsage:\n  profarc x\n\n" +
		"Flags:\n  -n, --number N   a \\ b\n")
	got := h.page("profarc-x", "Do x", "v1.2.3")
	const want = `.TH PROFARC\-X 1 "" "profarc v1.2.3" "profarc"
.SH NAME
profarc\-x \- Do x
.SH SYNOPSIS
.nf
  profarc x
.fi
.SH DESCRIPTION
.PP
About *.parc.
\&.profarc is a folder.
.PP
.nf
  a  b
.fi
.SH OPTIONS
.TP
\fB\-n, \-\-number N\fR
a \e b
`
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestPackedPages: the archive has each page, and depends only on them.
func TestPackedPages(t *testing.T) {
	t.Parallel()
	pages := map[string]string{"profarc.1": "one", "profarc-top.1": "two"}
	data, err := packPages(pages)
	again, err2 := packPages(pages)
	if err := errors.Join(err, err2); err != nil || !bytes.Equal(data, again) {
		t.Fatalf("%v, or the bytes differ", err)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for r := tar.NewReader(z); ; {
		head, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, head.Name+" "+string(text))
	}
	if want := []string{"share/man/man1/profarc-top.1 two", "share/man/man1/profarc.1 one"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
