package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/profarc/profarc/internal/java/jdk"
	"github.com/profarc/profarc/internal/testkit/full"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"profarc": mainBySchema}) }

// TestScripts runs testdata/script, one script a behaviour.
func TestScripts(t *testing.T) {
	folder, err := filepath.Abs(schemas)
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv(schemaFolder, folder)
			e.Setenv("TMPDIR", e.WorkDir+"/tmp")
			e.Setenv("TMP", e.WorkDir+"/tmp")
			e.Setenv("JAVA25", java25())
			e.Setenv("JDK", filepath.Dir(filepath.Dir(jdk.FindJava(""))))
			return nil
		},
		Condition: func(condition string) (bool, error) {
			switch condition {
			case "jdk25":
				return java25() != "", nil
			case "full":
				return full.Enabled(), nil
			case "records": // perf may record
				return exec.Command("perf", "record", "-q", "-o", os.DevNull, "-e", "cpu-clock:u", "true").Run() == nil, nil
			}
			return false, fmt.Errorf("a condition %s is not known", condition)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"specimen": scriptSpecimen, "process": scriptProcess, "damage": scriptDamage, "compress": scriptCompress,
			"fails": scriptFails, "interrupt": scriptInterrupt, "empty": scriptEmpty, "javac": scriptJavac,
		},
	})
}

// java25 returns the java of a JDK 25, empty if there is none.
func java25() string {
	home := os.Getenv("JAVA25_HOME")
	if found, _ := filepath.Glob("/usr/lib/jvm/*25*"); len(found) > 0 {
		home = cmp.Or(home, found[0])
	}
	java := filepath.Join(home, "bin", "java")
	if _, err := os.Stat(java); home == "" || err != nil {
		return ""
	}
	return java
}
