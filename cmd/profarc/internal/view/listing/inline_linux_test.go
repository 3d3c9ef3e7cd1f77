package listing

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/hotspot/live"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"github.com/profarc/profarc/reader"
)

// A decision is what C2 decided at one call, by its log.
type decision struct {
	inlined bool
	reasons map[string]bool // why not, in compilations where it was not
}

// Reasons that do not depend on the call alone: the caller was full, or deep in another.
var ofTheCaller = map[string]bool{"inlining too deep": true, "size > DesiredMethodLimit": true,
	"NodeCountInliningCutoff": true, "recursive inlining is too deep": true}

// decisions reads a log of -XX:+LogCompilation: what C2 decided at the calls of the methods that it compiled,
// by class, name and bci. It leaves out the calls within inlined methods.
func decisions(t *testing.T, log string) map[string]*decision {
	f, err := os.Open(log)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := map[string]*decision{}
	task, bci, depth, method := "", "", 0, false
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		switch name, _, _ := strings.Cut(line, " "); name {
		case "<task":
			task, depth, method = "", 0, false
			if words := strings.Fields(attributeOf(line, "method")); !strings.Contains(line, " level='") && len(words) == 3 {
				task = strings.ReplaceAll(words[0], ".", "/") + " " + words[1] + words[2]
			}
		case "<parse":
			depth++
		case "</parse>":
			depth--
		case "<bc":
			bci, method = attributeOf(line, "bci"), false
		case "<call":
			method = true
		case "<inline_success", "<inline_fail":
			reason := attributeOf(line, "reason")
			if task == "" || depth != 1 || !method || ofTheCaller[reason] {
				continue
			}
			key := task + "@" + bci
			if all[key] == nil {
				all[key] = &decision{reasons: map[string]bool{}}
			}
			if name == "<inline_success" {
				all[key].inlined = true
			} else {
				all[key].reasons[reason] = true
			}
		}
	}
	return all
}

func attributeOf(line, name string) string {
	_, rest, _ := strings.Cut(line, " "+name+"='")
	value, _, _ := strings.Cut(rest, "'")
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(value)
}

// C2's own log says of most refused calls that they were not inlined.
func TestRefusedCallsAreNotInlined(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	testjvm.EachInLongForm(t, func(t *testing.T, home string) {
		classes := testjvm.Compile(t, home, filepath.FromSlash("../../../../../internal/hotspot/live/testdata/Compile.java"))
		log := filepath.Join(t.TempDir(), "log")
		cmd := exec.CommandContext(t.Context(), filepath.Join(home, "bin", "java"), "-XX:+UnlockDiagnosticVMOptions",
			"-XX:+LogCompilation", "-XX:LogFile="+log, "-cp", classes, "Compile", "2", t.TempDir())
		in, out := testjvm.StartPiped(t, cmd)
		if line, err := bufio.NewReader(out).ReadString('\n'); strings.TrimSpace(line) != "ready" {
			t.Fatalf("%q, %v", line, err)
		}
		s := dumpOf(t, cmd.Process.Pid)
		if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
			t.Fatal(err)
		}
		refused := refusedCalls(t, s, home)
		c2 := decisions(t, log)
		agree, known := 0, 0
		missed := map[string]int{}
		for key, r := range refused {
			d := c2[key]
			if d == nil || d.inlined && len(d.reasons) > 0 {
				continue // not compiled as a root, or decided both ways
			}
			known++
			if !d.inlined {
				agree++
			} else {
				t.Logf("inlined: %s: %s", key, r.Why)
			}
		}
		for key, d := range c2 {
			for reason := range d.reasons {
				if _, ok := refused[key]; !ok && !d.inlined {
					missed[reason]++
				}
			}
		}
		t.Logf("%d calls refused, %d decided by C2, %d of them alike; not refused here: %v", len(refused), known, agree,
			missed)
		if known < 30 || agree*5 < known*4 { // C2 may have inlined a call before the callee's own code became big
			t.Errorf("%d of %d refused calls were not inlined", agree, known)
		}
	})
}

// dumpOf dumps a process, and opens the archive.
func dumpOf(t *testing.T, pid int) *reader.Store {
	t.Helper()
	vm, err := live.Attach(context.Background(), pid)
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := vm.Dump(context.Background(), live.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := vm.Detach(context.Background()); err != nil {
		t.Fatal(err)
	}
	return memstore.Open(t, b)
}

// refusedCalls returns the refused calls of all methods, by class, name and bci.
func refusedCalls(t *testing.T, s *reader.Store, home string) map[string]*Refusal {
	t.Helper()
	p, err := Open([]string{home}, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	refused := map[string]*Refusal{}
	for m, err := range s.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		for q, err := range m.Profiles() {
			if err != nil {
				t.Fatal(err)
			}
			l, err := p.ListMethod(m, q)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range l.Instructions {
				if i.NotInlined != nil {
					refused[fmt.Sprintf("%s %s%s@%d", l.Class, l.Name, l.Descriptor, i.Bci)] = i.NotInlined
				}
			}
		}
	}
	return refused
}
