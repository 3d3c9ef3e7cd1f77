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
	called  []string
	Running bool  `json:"running"` // when it was read
	Exit    int   `json:"exit"`
	HeldNS  int64 `json:"held_ns"`

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
	ctx      context.Context
	a        *app
	o        trainOptions
	jvms     []*trainedJVM
	archives []trainedArchive
	lost     bool           // profiles that were read could not be written
	queue    chan unwritten // so long that a JVM hardly ever stands still for it
	done     chan struct{}
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
	jvm := &trainedJVM{
		PID: j.PID, Command: strings.Join(j.Args, " "), called: j.Args,
		Running: j.Running, Exit: j.Status.ExitCode(), Refused: []live.Refused{},
	}
	t.jvms = append(t.jvms, jvm)
	if t.a.streams.errTerminal {
		fmt.Fprintf(t.a.errOut, "profarc: reading JVM %d", j.PID)
		defer fmt.Fprint(t.a.streams.rawErr, "\r\x1b[K")
	}
	var profiles *builder.Builder
	err := apartFromOthers(fmt.Sprintf("read JVM %d", j.PID), func() (err error) {
		profiles, err = t.read(j, jvm)
		return err
	})
	jvm.HeldNS = time.Since(begun).Nanoseconds()
	switch {
	case err != nil:
		jvm.Why = unreadable(err, j.Running)
	case jvm.Why == "":
		t.queue <- unwritten{profiles: profiles, jvms: []*trainedJVM{jvm}}
	}
}

// unreadable says why a JVM was not read: at its exit, or as it ran on.
func unreadable(err error, running bool) string {
	switch {
	case errors.Is(err, live.ErrStructure) && running:
		return "it was still starting when the command ended, and runs on: let the command wait for it"
	case errors.Is(err, live.ErrStructure):
		return "it ended before its VM had started, or its memory is damaged: see what it printed itself"
	case errors.Is(err, live.ErrGone):
		return "it was killed while it was read: run the command again"
	}
	return message(err)
}

// read reads a JVM, and fills in what is said of it.
func (t *trainingRun) read(j training.JVM, jvm *trainedJVM) (*builder.Builder, error) {
	vm, err := live.Attach(t.ctx, j.Thread)
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
	early := "it ran too short to have profiles: let it run longer"
	if j.Running {
		early = "it had no profiles yet when the command ended, and runs on: let the command wait for it"
	}
	jvm.Why = whyEmpty(vm, r, early)
	return profiles, nil
}

// finish waits for the last archive.
func (t *trainingRun) finish() {
	close(t.queue)
	<-t.done
}
