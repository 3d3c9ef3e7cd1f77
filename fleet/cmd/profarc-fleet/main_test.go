package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

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
		"await":         command(await),
		"runjobs":       command(runJobs),
	})
}

// TestScripts runs testdata/script, one script a behaviour.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", RequireExplicitExec: true, RequireUniqueNames: true})
}

// TestProfarcListsTheCommands checks that profarc knows each command, by the same text. It has a watch of its own, for
// folders.
func TestProfarcListsTheCommands(t *testing.T) {
	t.Parallel()
	listed := map[string]string{}
	for _, c := range cli.FleetCommands {
		listed[c.Name] = c.Short
	}
	for _, cmd := range newRootCommand(cli.New("profarc-fleet", nil, cli.ProcessStreams())).Commands() {
		if cmd.Hidden || cmd.Name() == "help" || cmd.Name() == "completion" || cmd.Name() == "watch" {
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
