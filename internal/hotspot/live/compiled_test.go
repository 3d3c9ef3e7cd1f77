package live

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// printedMethod is a method as -XX:+PrintCompilation prints it.
var printedMethod = regexp.MustCompile(`([^\s:]+::[^\s:]+) (?:@ \d+ )?\(\d+ bytes\)`)

// Compiled-only is what the VM says that it compiled at any time, also where the compiled code is gone.
func TestCompiledAtAnyTime(t *testing.T) {
	full.Only(t, "starts JVMs")
	testjvm.Each(t, func(t *testing.T, home string) {
		j := start(t, home, "-Xbatch", "-XX:+PrintCompilation", "Deoptimize")
		printed := map[string]bool{}
		for line := ""; strings.TrimSpace(line) != "ready"; {
			var err error
			if line, err = j.out.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			if m := printedMethod.FindStringSubmatch(line); m != nil {
				printed[m[1]] = true
			}
		}
		all := profiledMethods(t, dump(t, j.pid(), Options{}).Store)
		taken := profiledMethods(t, dump(t, j.pid(), Options{CompiledOnly: true}).Store)
		for _, name := range []string{"called", "looped", "profiled"} {
			if name = "Deoptimize::" + name; !printed[name] || !taken[name] {
				t.Errorf("%s: the VM compiled it: %v, the dump says %v", name, printed[name], taken[name])
			}
		}
		if name := "Deoptimize::interpreted"; printed[name] || !all[name] || taken[name] {
			t.Errorf("%s: the VM compiled it: %v, there is a profile: %v, compiled: %v", name, printed[name], all[name],
				taken[name])
		}
		for name := range all {
			if printed[name] != taken[name] {
				t.Errorf("%s: the VM compiled it: %v, the dump says %v", name, printed[name], taken[name])
			}
		}
		t.Logf("%d of %d methods with a profile were compiled", len(taken), len(all))
	})
}

// profiledMethods returns the methods of an archive, spelled as PrintCompilation does.
func profiledMethods(t *testing.T, s *reader.Store) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for m, err := range s.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Key()
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := m.Profile(layout.CodeAny); err == nil {
			names[fmt.Sprintf("%s::%s", strings.ReplaceAll(k.Class, "/", "."), k.Name)] = true
		}
	}
	return names
}
