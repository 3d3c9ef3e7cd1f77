package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/formats/hotspot/live"
	"github.com/profarc/profarc/internal/training"
)

// A trainedJVM is what became of a JVM.
type trainedJVM struct {
	PID     int    `json:"pid"`
	Command string `json:"command"`
	Running bool   `json:"running"` // when it was read
	Exit    int    `json:"exit"`
	HeldNS  int64  `json:"held_ns"`

	Producer string         `json:"producer,omitempty"`
	Methods  int            `json:"methods"`
	Entries  int            `json:"entries"`
	Skipped  int            `json:"skipped"` // by the filters
	Refused  []live.Refused `json:"refused"`

	Archive string `json:"archive,omitempty"` // empty if none was written
	Bytes   int64  `json:"bytes"`
	Why     string `json:"why,omitempty"`   // there is no archive
	Apart   string `json:"apart,omitempty"` // why it was not merged with the others
}

// A trainingRun gathers the JVMs of a command. Each is read while it is held,
// and written by another goroutine when it has gone.
type trainingRun struct {
	ctx   context.Context
	a     *app
	o     trainOptions
	jvms  []*trainedJVM
	queue chan unwritten // so long that a JVM hardly ever stands still for it
	done  chan struct{}
}

// unwritten are profiles without an archive.
type unwritten struct {
	profiles *builder.Builder
	jvm      *trainedJVM
}

func newTraining(ctx context.Context, a *app, o trainOptions) *trainingRun {
	t := &trainingRun{ctx: ctx, a: a, o: o, queue: make(chan unwritten, 16), done: make(chan struct{})}
	if o.merge {
		go t.writeMerged()
	} else {
		go t.write()
	}
	return t
}

// held reads a JVM that stands still.
func (t *trainingRun) held(j training.JVM) {
	begun := time.Now()
	jvm := &trainedJVM{PID: j.PID, Command: j.Command, Running: j.Running, Exit: j.Status.ExitCode(), Refused: []live.Refused{}}
	t.jvms = append(t.jvms, jvm)
	if t.a.errTerminal {
		fmt.Fprintf(t.a.errOut, "profarc: reading JVM %d", j.PID)
		defer fmt.Fprint(t.a.errOut, "\r\x1b[K")
	}
	profiles, err := t.read(j, jvm)
	jvm.HeldNS = time.Since(begun).Nanoseconds()
	switch {
	case err != nil:
		jvm.Why = unreadable(err)
	case jvm.Methods == 0 && jvm.Skipped > 0:
		jvm.Why = "no method passes the filters: loosen them"
	case jvm.Methods == 0:
		jvm.Why = "it ran too short to have profiles: let it run longer"
	default:
		t.queue <- unwritten{profiles, jvm}
	}
}

// unreadable says why a JVM was not read at its exit.
func unreadable(err error) string {
	switch {
	case errors.Is(err, live.ErrStructure):
		return "it ended before its VM had started, or its memory is damaged: see what it printed itself"
	case errors.Is(err, live.ErrGone):
		return "it was killed while it was read: run the command again"
	}
	return message(err)
}

func (t *trainingRun) read(j training.JVM, jvm *trainedJVM) (*builder.Builder, error) {
	vm, err := live.Attach(j.Thread)
	if err != nil {
		return nil, err
	}
	o := live.Options{CompiledOnly: t.o.compiledOnly, MinInvocations: t.o.min}
	if t.o.class != "" {
		o.Class = newPattern(t.o.class).matches
	}
	profiles, r, err := vm.Dump(t.ctx, o)
	if err != nil {
		return nil, err
	}
	jvm.Producer, jvm.Methods, jvm.Entries, jvm.Skipped = r.Producer, r.Methods, r.Entries, r.Skipped
	jvm.Refused = append(jvm.Refused, r.Refused...)
	return profiles, nil
}

// write writes the archives. The first waits for the second, or for the end:
// only then is its name known.
func (t *trainingRun) write() {
	defer close(t.done)
	var first *unwritten
	written := 0
	for u := range t.queue {
		if first == nil && written == 0 {
			first = &u
			continue
		}
		if first != nil {
			written++
			t.commit(*first, t.numbered(written))
			first = nil
		}
		written++
		t.commit(u, t.numbered(written))
	}
	if first != nil {
		t.commit(*first, t.o.out)
	}
}

// writeMerged writes one archive of all JVMs that fit together, at the end; the
// others get archives of their own.
func (t *trainingRun) writeMerged() {
	defer close(t.done)
	var all *builder.Builder
	var inAll []*trainedJVM
	apart := 0
	for u := range t.queue {
		merged, err := mergeBuilt(all, u.profiles, "the JVM's profiles", importConfig{})
		if err != nil {
			apart++
			u.jvm.Apart = message(err)
			t.commit(u, t.numbered(apart))
			continue
		}
		all, inAll = merged, append(inAll, u.jvm)
	}
	if all == nil {
		return
	}
	r, err := all.Commit(t.ctx, t.o.out)
	for _, jvm := range inAll {
		if jvm.Archive, jvm.Bytes = t.o.out, r.Bytes; err != nil {
			jvm.Archive, jvm.Why = "", message(err)
		}
	}
}

// numbered is the archive of one of several JVMs.
func (t *trainingRun) numbered(n int) string {
	return fmt.Sprintf("%s.%d%s", strings.TrimSuffix(t.o.out, archiveExtension), n, archiveExtension)
}

func (t *trainingRun) commit(u unwritten, path string) {
	r, err := u.profiles.Commit(t.ctx, path)
	if err != nil {
		u.jvm.Why = message(err)
		return
	}
	u.jvm.Archive, u.jvm.Bytes = path, r.Bytes
}

// finish waits for the last archive.
func (t *trainingRun) finish() []*trainedJVM {
	close(t.queue)
	<-t.done
	return t.jvms
}
