package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/escape"
)

// TestHelpGroupsTheCommands checks that the help, which README.md names instead of a table, lists
// every command under the title of its group.
func TestHelpGroupsTheCommands(t *testing.T) {
	t.Parallel()
	var help bytes.Buffer
	root := newRootCommand(app.New(nil, cli.Streams{PlainOut: escape.NewWriter(&help), PlainErr: escape.NewWriter(&help)}))
	root.SetOut(&help)
	if err := root.Help(); err != nil {
		t.Fatal(err)
	}
	for _, cmd := range root.Commands() {
		listed := regexp.MustCompile(`(?m)^  ` + cmd.Name() + ` +\S`).MatchString(help.String())
		if cmd.Name() != "help" && (listed == cmd.Hidden || cmd.GroupID == "") {
			t.Errorf("%s: listed %t, hidden %t, in the group %q", cmd.Name(), listed, cmd.Hidden, cmd.GroupID)
		}
	}
	text, err := os.ReadFile("../../README.md")
	if err != nil || !strings.Contains(string(text), "`profarc help`") {
		t.Errorf("README.md does not name the help: %v", err)
	}
}

// TestPagesTypeTheCommand parses every line of README.md and of the pages that begins with profarc, as the
// command does: the subcommand, its flags and the number of its arguments. It runs none, since most need a
// JVM, a compiler or a registry; the scripts in testdata run the commands.
func TestPagesTypeTheCommand(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	typed := 0
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.ReplaceAll(string(text), "\\\n", " ")
		for _, line := range regexp.MustCompile(`(?m)^(?:    )?(?:\$ |\./)?profarc (.+)$`).FindAllStringSubmatch(lines, -1) {
			if err := parses(line[1]); err != nil {
				t.Errorf("%s: profarc %s: %v", page, line[1], err)
			}
			typed++
		}
	}
	if typed < 30 || parses("merge --no-such-flag a.parc") == nil {
		t.Errorf("the pages type %d commands, or flags are not parsed", typed)
	}
}

// parses returns why the command does not take a line of words.
func parses(line string) error {
	line, _, _ = strings.Cut(line, " #")
	line = regexp.MustCompile(` (?:&&|\|\|?|>+|&|<).*`).ReplaceAllString(line, "")
	words := regexp.MustCompile(`(?:"[^"]*"|'[^']*'|\$\([^)]*\)|\S)+`).FindAllString(line, -1)
	cmd, rest, err := newRootCommand(app.New(nil, cli.Streams{})).Find(words)
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	return cmd.ValidateArgs(cmd.Flags().Args())
}
