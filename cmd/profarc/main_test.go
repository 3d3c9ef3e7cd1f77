package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"profarc": main})
}

// TestScripts runs testdata/script, one script a behaviour.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("TMPDIR", e.WorkDir+"/tmp")
			e.Setenv("TMP", e.WorkDir+"/tmp")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"specimen": scriptSpecimen, "damage": scriptDamage, "compress": scriptCompress,
			"fails": scriptFails, "interrupt": scriptInterrupt, "empty": scriptEmpty,
		},
	})
}
