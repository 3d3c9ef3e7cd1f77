package main

import (
	"os"
	"strings"
	"testing"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/internal/cli"
)

// TestReadmeListsTheCommands checks that the table of commands in README.md has a
// row for each command.
func TestReadmeListsTheCommands(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "| command | what it does |\n")
	if !found {
		t.Fatal("README.md has no table of commands")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	for _, cmd := range newRootCommand(app.New(nil, cli.ProcessStreams())).Commands() {
		if !cmd.Hidden && cmd.Name() != "help" && !strings.Contains(table, "| `"+cmd.Name()) {
			t.Errorf("the table of commands in README.md does not have %s", cmd.Name())
		}
	}
}
