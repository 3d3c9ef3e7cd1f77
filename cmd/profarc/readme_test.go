package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/parse/escape"
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
