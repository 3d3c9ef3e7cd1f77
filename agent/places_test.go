package agent_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
)

// constants finds the constants of jvm.h.
var constants = regexp.MustCompile(`\b((?:VM|JNI|JVMTI|TI)_[A-Z_]+) = (0x[0-9a-f]+|\d+)`)

// The agent has declarations of its own of JNI and JVMTI. A JDK's headers, which name the
// same constants otherwise, judge them.
func TestPlacesOfFunctions(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler")
	}
	text, err := os.ReadFile("jvm.h")
	if err != nil {
		t.Fatal(err)
	}
	header := &strings.Builder{}
	for _, m := range constants.FindAllStringSubmatch(string(text), -1) {
		fmt.Fprintf(header, "#define AGENT_%s %s\n", m[1], m[2])
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "places.h"), []byte(header.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	testjvm.Each(t, func(t *testing.T, home string) {
		include := filepath.Join(home, "include")
		if _, err := os.Stat(filepath.Join(include, "jvmti.h")); err != nil {
			t.Skip("the JDK has no headers")
		}
		out, err := exec.Command(cc, "-std=c11", "-fsyntax-only", "-I"+dir, "-I"+include,
			"-I"+filepath.Join(include, "linux"), "testdata/places.c").CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
}
