package agent_test

import (
	"context"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/hotspot/agentlib"
	"github.com/profarc/profarc/internal/hotspot/live"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

var agentFolder string

// library builds the agent, once.
var library = sync.OnceValues(func() (path string, err error) {
	if agentFolder, err = os.MkdirTemp("", "agent"); err != nil {
		return "", err
	}
	return (&agentlib.Build{Cache: agentFolder}).Find(context.Background(), "")
})

func TestMain(m *testing.M) {
	code := m.Run()
	if agentFolder != "" {
		_ = os.RemoveAll(agentFolder)
	}
	os.Exit(code)
}

// agentFlag returns the flag that loads the agent with an archive and further options.
func agentFlag(t testing.TB, archive, options string) string {
	t.Helper()
	full.Only(t, "starts JVMs")
	path, err := library()
	if errors.Is(err, agentlib.ErrNoCompiler) || errors.Is(err, agentlib.ErrPlatform) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return "-agentpath:" + path + "=archive=" + archive + options
}

// dump writes what a JVM has counted to an archive.
func dump(t testing.TB, j *runningJVM) string {
	t.Helper()
	return dumpWith(t, j, live.Options{Stop: true})
}

// dumpAll writes the profiles of a JVM to an archive as its compilers see them, with what
// it adopted.
func dumpAll(t testing.TB, j *runningJVM) string {
	t.Helper()
	return dumpWith(t, j, live.Options{Stop: true, KeepAdopted: true})
}

func dumpWith(t testing.TB, j *runningJVM, o live.Options) string {
	t.Helper()
	path, _ := dumpReport(t, j, o)
	return path
}

func dumpReport(t testing.TB, j *runningJVM, o live.Options) (path string, r *live.Report) {
	t.Helper()
	vm, err := live.Attach(t.Context(), j.PID())
	if err != nil {
		t.Fatal(err)
	}
	b, r, err := vm.Dump(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	r.Describe(t.Context(), b, &live.Contents{})
	path = filepath.Join(t.TempDir(), "dump.parc")
	if _, err := b.Commit(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	return path, r
}

// train runs Adopted and returns the archive of its profiles.
func train(t testing.TB, home, classes string, rounds int, flags ...string) string {
	t.Helper()
	j := startJVM(t, home, append(flags, "-cp", classes, "Adopted", "train", fmt.Sprint(rounds))...)
	j.Await("ready")
	archive := dump(t, j)
	j.End()
	return archive
}

// eachProfile calls visit with each profile of an archive and the key of its method.
func eachProfile(t testing.TB, s *reader.Store, visit func(k layout.Key, p reader.Profile)) {
	t.Helper()
	for m, err := range s.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Key()
		if err != nil {
			t.Fatal(err)
		}
		for p, err := range m.Profiles() {
			if err != nil {
				t.Fatal(err)
			}
			visit(k, p)
		}
	}
}

func open(t testing.TB, path string) *reader.Store {
	t.Helper()
	a, err := reader.Open(path, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	return a
}

// A report is what the agent says of its work.
type report map[string]any

func (r report) count(name string) int {
	n, ok := r[name].(float64)
	if !ok {
		return -1
	}
	return int(n)
}

func readReport(t testing.TB, path string) (r report) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return r
}

// The agent is in one process with whatever else uses libprofarc.
func TestAgentShowsThreeNames(t *testing.T) {
	t.Parallel()
	flag := agentFlag(t, "none", "")
	path, _, _ := strings.Cut(strings.TrimPrefix(flag, "-agentpath:"), "=")
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	shown := []string{"Agent_OnAttach", "Agent_OnLoad", "profarc_adopted"}
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF && !slices.Contains(shown, s.Name) {
			t.Errorf("the agent shows %s", s.Name)
		}
	}
}
