package agent_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
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

// reasonList is the row of an archive with the names of trap reasons.
var reasonList = regexp.MustCompile(`(?m)^( +row hotspot\.trap_reasons )(.*)\n`)

// ofRelease returns a copy of an archive that a VM of a release might have written, in which branch has archivedTraps.
// list changes its list of trap reasons; nil removes the list.
func ofRelease(t *testing.T, path string, release uint32, list func(names []string)) string {
	t.Helper()
	var out bytes.Buffer
	if _, err := formats.Export(t.Context(), &out, open(t, path), &text.Exporter{}); err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile(`(?m)^param vm-release .*$`).ReplaceAll(out.Bytes(),
		fmt.Appendf(nil, "param vm-release %d", release))
	lines = regexp.MustCompile(`(?m)^ +traps .*\n`).ReplaceAll(lines, nil)
	lines = reasonList.ReplaceAllFunc(lines, func(row []byte) []byte {
		if list == nil {
			return nil
		}
		parts := reasonList.FindSubmatch(row)
		names := strings.Split(string(parts[2]), ",")
		list(names)
		return []byte(string(parts[1]) + strings.Join(names, ",") + "\n")
	})
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

// TestTrapsOfAnotherRelease checks trap counts by reason, which releases number differently. The archive's list
// of names translates them. Without a list, only reasons that all releases have are adopted from another release.
func TestTrapsOfAnotherRelease(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	testjvm.Each(t, func(t *testing.T, home string) {
		classes := testjvm.Compile(t, home, "testdata/Adopted.java")
		trained := train(t, home, classes, 20000)
		own := open(t, trained).Header().Params.VMRelease
		other, swapped := slices.Clone(archivedTraps), slices.Clone(archivedTraps)
		clear(other[9:])
		swapped[9], swapped[10] = swapped[10], swapped[9]
		swap := func(names []string) { names[9], names[10] = names[10], names[9] }
		for _, c := range []struct {
			release uint32
			list    func(names []string)
			want    []byte
		}{{own, nil, archivedTraps}, {42 - own, nil, other}, {42 - own, swap, swapped}} { // 17 and 25
			release, want := c.release, c.want
			file := ofRelease(t, trained, release, c.list)
			j := startJVM(t, home, agentFlag(t, file, ""), "-cp", classes, "Adopted", "load")
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
