package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"github.com/profarc/profarc/fleet/internal/ship"
	"github.com/profarc/profarc/fleet/internal/testschema"
	"github.com/profarc/profarc/internal/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"profarc-fleet": main,
		"profarc":       main, // as profarc starts it
		"archives":      command(makeArchives),
		"whole":         command(mergeWhole),
		"half":          command(halve),
		"damage":        command(damage),
		"account":       command(printAccount),
		"count":         command(printCount),
		"await":         command(await),
		"runjobs":       command(runJobs),
	})
}

// TestScripts runs testdata/script, one script a behaviour.
func TestScripts(t *testing.T) {
	folder, err := filepath.Abs(testschema.Folder)
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{Dir: "testdata/script", RequireExplicitExec: true, RequireUniqueNames: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			// schema COMMAND compares what was printed last with the schema of a command.
			"schema": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(testschema.Validate(folder, args[0], ts.ReadFile("stdout")))
			},
		}})
}

// TestEachJSONHasASchema: scripts compare the output of each command with its schema, except of those that the tests of
// registries run.
func TestEachJSONHasASchema(t *testing.T) {
	t.Parallel()
	var scripts strings.Builder
	paths, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		scripts.Write(text)
	}
	a := cli.New("profarc-fleet", nil, cli.ProcessStreams())
	all := slices.DeleteFunc(newRootCommand(a).Commands(), func(c *cobra.Command) bool { return c.GroupID == ship.Group })
	commands, err := testschema.Commands(all)
	if err != nil || len(commands) < 4 {
		t.Fatalf("%v, %v", commands, err)
	}
	for _, name := range commands {
		if !strings.Contains(scripts.String(), "--json\nschema "+name+"\n") {
			t.Errorf("no script has --json and then schema %s", name)
		}
	}
	if n, m := strings.Count(scripts.String(), "--json\n"), strings.Count(scripts.String(), "--json\nschema "); n != m {
		t.Errorf("%d of %d outputs are compared", m, n)
	}
}

// TestProfarcListsTheCommands checks that profarc knows each command, by the same text.
func TestProfarcListsTheCommands(t *testing.T) {
	t.Parallel()
	listed := map[string]string{}
	for _, c := range cli.FleetCommands {
		listed[c.Name] = c.Short
	}
	for _, cmd := range newRootCommand(cli.New("profarc-fleet", nil, cli.ProcessStreams())).Commands() {
		if cmd.Hidden || cmd.Name() == "help" || cmd.Name() == "completion" {
			continue
		}
		if listed[cmd.Name()] != cmd.Short {
			t.Errorf("%s: cli.FleetCommands says %q, the command %q", cmd.Name(), listed[cmd.Name()], cmd.Short)
		}
		if cmd.GroupID == "" {
			t.Errorf("%s is in no group", cmd.Name())
		}
		delete(listed, cmd.Name())
	}
	if len(listed) > 0 {
		t.Errorf("cli.FleetCommands has commands that there are not: %v", listed)
	}
}
