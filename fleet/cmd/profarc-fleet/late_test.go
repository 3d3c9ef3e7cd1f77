package main

import (
	"bytes"
	"net/http"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
)

// A gate is where requests wait until the test opens it.
type gate struct{ arrived, open chan struct{} }

// gate lets the first so many requests at a moment wait.
func (f *fleet) gate(at moment, requests int32) *gate {
	g, left := &gate{make(chan struct{}, requests), make(chan struct{})}, atomic.Int32{}
	left.Store(requests)
	f.Set(func(_ http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if at.is(r) && left.Add(-1) >= 0 {
			g.arrived <- struct{}{}
			<-g.open
		}
		return false
	})
	return g
}

// A started process is a profarc-fleet that runs.
type started struct {
	*exec.Cmd
	out *bytes.Buffer
	end chan struct{}
}

// start starts profarc-fleet, and waits until it is at a gate.
func (f *fleet) start(t *testing.T, g *gate, args ...string) *started {
	t.Helper()
	cmd, out := f.process(t, args...)
	p := &started{cmd, out, make(chan struct{})}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = cmd.Wait() // the exit code says the same
		close(p.end)
	}()
	select {
	case <-g.arrived:
	case <-p.end:
		close(g.open)
		t.Fatalf("%v ended: %s", args, out)
	}
	return p
}

// ends waits for the end of a process, and returns its exit code and output.
func (p *started) ends() (int, string) {
	<-p.end
	return p.ProcessState.ExitCode(), p.out.String()
}

// TestWorkersTwiceAtOnce: of two workers with the same task neither knows of the other.
func TestWorkersTwiceAtOnce(t *testing.T) {
	f := newFleet(t, small, 1)
	g := f.gate(moment{http.MethodPut, "part-00000"}, 2)
	var workers []*started
	for range 2 {
		workers = append(workers, f.start(t, g, "merge-shard", "0/1", "--plan", "plan.json"))
	}
	close(g.open)
	for _, w := range workers {
		if code, out := w.ends(); code != 0 || !strings.Contains(out, "part 0: wrote") {
			t.Errorf("exit code %d: %s", code, out)
		}
	}
	f.must(t, "published ", "commit", "--plan", "plan.json")
	f.holdsWhole(t, 1)
}

// TestLateWorker: a worker that everybody thought dead writes its part after the commit, and
// one starts when the parts have been removed.
func TestLateWorker(t *testing.T) {
	f := newFleet(t, small, 2)
	f.must(t, "part 0: wrote", "merge-shard", "0/2", "--plan", "plan.json")
	g := f.gate(moment{http.MethodPut, "part-00001"}, 1)
	late := f.start(t, g, "merge-shard", "1/2", "--plan", "plan.json")
	f.must(t, "part 1: wrote", "merge-shard", "1/2", "--plan", "plan.json")
	f.must(t, "published ", "commit", "--plan", "plan.json")
	f.holdsWhole(t, 2)
	close(g.open)
	if code, out := late.ends(); code != 0 {
		t.Errorf("the late worker: exit code %d: %s", code, out)
	}
	f.holdsWhole(t, 2)
	f.must(t, "found the same bytes at ", "commit", "--plan", "plan.json")
	for _, name := range f.objects(t) {
		if name != "out.parc" {
			f.remove(t, name)
		}
	}
	f.must(t, "part 1: wrote", "merge-shard", "1/2", "--plan", "plan.json")
	f.holdsWhole(t, 1)
}

// TestCommitsAtOnce: of two commits one publishes. The other succeeds if its bytes are the
// same, and otherwise says that others are there.
func TestCommitsAtOnce(t *testing.T) {
	f := newFleet(t, small, 2)
	f.must(t, "planned ", "plan", f.URL("runs/run-000001.parc"), "--to", f.URL("out.parc"), "--work", f.URL("other/"),
		"-o", "other.json")
	for _, plan := range []string{"plan.json", "other.json"} {
		f.must(t, "part 0: wrote", "merge-shard", "0/1", "--plan", plan)
	}
	for _, c := range []struct {
		plans []string
		code  int // of the other
		want  string
	}{
		{[]string{"plan.json", "plan.json"}, 0, "found the same bytes at "},
		{[]string{"plan.json", "other.json"}, 1,
			"out.parc: there is another archive already, with other bytes: it stays; remove it, or plan with another name\n"},
	} {
		f.remove(t, "out.parc")
		g := f.gate(moment{http.MethodPut, "out.parc"}, 2)
		var commits []*started
		for _, plan := range c.plans {
			commits = append(commits, f.start(t, g, "commit", "--plan", plan))
		}
		close(g.open)
		published := 0
		for _, p := range commits {
			code, out := p.ends()
			switch {
			case code == 0 && strings.HasPrefix(out, "published "):
				published++
			case code != c.code || !strings.Contains(out, c.want):
				t.Errorf("exit code %d: %s", code, out)
			}
		}
		if published != 1 {
			t.Errorf("%d commits published", published)
		}
	}
}
