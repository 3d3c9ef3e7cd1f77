package agent_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/internal/formats/text"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"github.com/profarc/profarc/layout"
)

// archivedTraps are the counts of the method branch by reason, from 0. All releases have the
// same reasons below 9.
var archivedTraps = []byte{0, 7, 0, 0, 0, 0, 0, 0, 6, 5, 4}

// ofRelease returns a copy of an archive that a VM of a release might have written, in which
// branch has archivedTraps.
func ofRelease(t *testing.T, path string, release uint32) string {
	t.Helper()
	var out bytes.Buffer
	if _, err := formats.Export(t.Context(), &out, open(t, path), &text.Exporter{}); err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile(`(?m)^param vm-release .*$`).ReplaceAll(out.Bytes(),
		fmt.Appendf(nil, "param vm-release %d", release))
	lines = regexp.MustCompile(`(?m)^ +traps .*\n`).ReplaceAll(lines, nil)
	branch := regexp.MustCompile(`method Adopted\$Work(\{\w+\})?::branch\(I\)I.*\n +profile .*\n( +size .*\n)? +invocations .*\n`)
	traps := fmt.Sprint(archivedTraps)
	changed := branch.ReplaceAll(lines, []byte("${0}    traps "+traps[1:len(traps)-1]+"\n"))
	if bytes.Equal(changed, lines) {
		t.Fatalf("there is no branch:\n%s", lines)
	}
	in, err := formats.Import(t.Context(), []formats.Input{{Name: "t.txt", Reader: bytes.NewReader(changed)}},
		formats.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "release.parc")
	if _, err := in.Builder.Commit(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	return name
}

// Releases number the reasons of traps differently: counts of an archive of another release
// are adopted only for reasons that all releases have.
func TestTrapsOfAnotherRelease(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	testjvm.Each(t, func(t *testing.T, home string) {
		classes := testjvm.Compile(t, home, "testdata/Adopted.java")
		trained := train(t, home, classes, 20000)
		own := open(t, trained).Header().Params.VMRelease
		other := slices.Clone(archivedTraps)
		clear(other[9:])
		for release, want := range map[uint32][]byte{own: archivedTraps, 42 - own: other} { // 17 and 25
			j := testjvm.Start(t, home, agentFlag(t, ofRelease(t, trained, release), ""), "-cp", classes, "Adopted", "load")
			j.Await("ready")
			s := open(t, dumpAll(t, j))
			j.End()
			p, err := s.Profile(layout.Key{Class: "Adopted$Work", Name: "branch", Signature: "(I)I", Loader: "app"},
				layout.CodeAny)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.TrapHistory(); !bytes.HasPrefix(got, want) {
				t.Errorf("an archive of release %d: the VM of %d has the traps %v, want %v", release, own, got, want)
			}
		}
	})
}
