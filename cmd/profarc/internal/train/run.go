package train

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/dump"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/hotspot/live"
	"github.com/profarc/profarc/internal/hotspot/training"
	"github.com/profarc/profarc/internal/names/match"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/internal/system/secrets"
	"github.com/profarc/profarc/layout"
)

type trainedJVM struct {
	PID     int    `json:"pid"`
	Number  int    `json:"number"`  // number from 1, in order of exit
	Command string `json:"command"` // command line without secrets
	Main    string `json:"main,omitempty"`
	called  []string
	Running bool  `json:"running"`          // whether it was still running when read
	Served  bool  `json:"served,omitempty"` // whether the agent read the memory
	Exit    int   `json:"exit"`
	HeldNS  int64 `json:"held_ns"`

	live.Recorded

	Adopted *live.Adopted `json:"adopted,omitempty"`

	LeftToBase uint64 `json:"left_to_base,omitempty"` // methods left to the base

	Archive string `json:"archive,omitempty"` // "" if none was written
	Bytes   int64  `json:"bytes"`
	Why     string `json:"why,omitempty"`   // reason for a missing archive
	Apart   string `json:"apart,omitempty"` // reason for not being merged with the others
}

// A trainingRun collects the JVMs of a command. It copies the memory of each JVM while the JVM is held. Another
// goroutine reads the copies and lays out the archives.
type trainingRun struct {
	ctx      context.Context
	a        *cli.App
	o        trainOptions
	jvms     []*trainedJVM
	archives []trainedArchive
	outputs  []*namedOutput
	contents live.Contents
	listener *live.Listener      // where JVMs serve their memory; nil if tracing is allowed
	unread   string              // why no JVM was read; "" if they were
	lost     bool                // whether profiles could not be written
	short    bool                // whether an archive has fewer methods than --require
	queue    chan pendingArchive // buffered, so that a held JVM rarely waits
	done     chan struct{}
}

func newTraining(ctx context.Context, a *cli.App, o trainOptions) *trainingRun {
	t := &trainingRun{ctx: ctx, a: a, o: o, queue: make(chan pendingArchive, 8), done: make(chan struct{})}
	go t.gatherJVMs()
	return t
}

func (t *trainingRun) readHeldJVM(j training.JVM) {
	begun := time.Now()
	called := secrets.Mask(j.Args)
	jvm := &trainedJVM{
		PID: j.PID, Number: len(t.jvms) + 1, Command: strings.Join(called, " "), called: called,
		Running: j.Running, Served: j.Served != nil, Exit: j.Status.ExitCode(),
		Recorded: live.Recorded{Refused: []live.Refused{}},
	}
	t.jvms = append(t.jvms, jvm)
	if t.a.Streams.ErrTerminal {
		fmt.Fprintf(t.a.ErrOut, "profarc: reading JVM %d", j.PID)
		defer fmt.Fprint(t.a.Streams.RawErr, "\r\x1b[K")
	}
	u := pendingArchive{jvms: []*trainedJVM{jvm}}
	err := runIsolated(fmt.Sprintf("read JVM %d", j.PID), func() (err error) {
		u.read, err = t.copyJVM(j, jvm)
		return err
	})
	jvm.HeldNS = time.Since(begun).Nanoseconds()
	switch {
	case err != nil:
		jvm.Why = unreadable(err, j.Running)
	case u.read != nil:
		t.queue <- u
	}
}

func unreadable(err error, running bool) string {
	switch {
	case errors.Is(err, live.ErrNotStarted) && !running:
		return "its VM did not start, as with a wrong flag: see its own output"
	case errors.Is(err, live.ErrStructure) && running:
		return "it was still starting when the command ended, and runs on: let the command wait for it"
	case errors.Is(err, live.ErrStructure):
		return "it ended before its VM had started, or its memory is damaged: see its own output"
	case errors.Is(err, live.ErrGone):
		return "it was killed while it was read: run the command again"
	}
	return app.Message(err)
}

// copyJVM copies the JVM's memory and returns a function that reads the profiles from the copy. The JVM may then exit.
// The function is nil if --only excludes the JVM.
func (t *trainingRun) copyJVM(j training.JVM, jvm *trainedJVM) (read func() (*builder.Builder, error), err error) {
	vm, err := j.Attach(t.ctx)
	if err != nil {
		return nil, err
	}
	jvm.Main = vm.Provenance(t.ctx).Main
	jvm.Why = t.unselected(jvm.Main, j)
	if jvm.Why != "" {
		return nil, nil
	}
	read = func() (*builder.Builder, error) { return t.readJVM(vm, j, jvm) }
	if !vm.OwnFiles(t.ctx) {
		if err := vm.Detach(t.ctx); !errors.Is(err, live.ErrTooLarge) {
			return read, err
		}
	}
	profiles, err := read() // memory too large to copy must be read while the JVM lives
	return func() (*builder.Builder, error) { return profiles, nil }, err
}

func (t *trainingRun) readJVM(vm *live.VM, j training.JVM, jvm *trainedJVM) (*builder.Builder, error) {
	o := t.o.filters.Options()
	o.Began = j.Began
	if !j.Running && !j.Replaced {
		o.Exit = recordedExit(j.Status)
	}
	profiles, r, err := vm.Dump(t.ctx, o)
	if err != nil {
		return nil, err
	}
	r.Describe(t.ctx, profiles, &t.contents)
	jvm.Recorded = r.Recorded
	jvm.Adopted = r.Adopted
	early := "it ran too short to have profiles: let it run longer"
	if j.Running {
		early = "it had no profiles yet when the command ended, and runs on: let the command wait for it"
	}
	jvm.Why = dump.EmptyReason(vm, r, early)
	return profiles, nil
}

// Reasons why a JVM is left out and has no archive.
const (
	notSelected = "--only does not select it"
	notOwn      = "the program started it: only its own JVM trains, and with --inherit all"
)

func (t *trainingRun) unselected(main string, j training.JVM) string {
	switch {
	case t.o.first && !t.o.merge && !j.Own:
		return notOwn
	case !t.isSelected(main, j.Args):
		return notSelected
	}
	return ""
}

func (t *trainingRun) isSelected(main string, args []string) bool {
	only := match.New(t.o.only)
	return only.Matches(main) || only.Matches(strings.Join(args, " "))
}

func recordedExit(s training.Status) layout.Exit {
	if s.Signal != 0 {
		return schema.ExitSignal(s.Signal)
	}
	return schema.ExitCode(s.Code)
}

// awaitCopies waits until the copies of all JVMs are read.
func (t *trainingRun) awaitCopies() {
	close(t.queue)
	<-t.done
}

func (t *trainingRun) refusalOf(status training.Status) string {
	code := status.ExitCode()
	switch {
	case code == cli.ExitOK, t.o.keepFailed, slices.Contains(t.o.accept, code), slices.Contains(stopCodes, code):
		return ""
	case t.o.first:
		return fmt.Sprintf("the program failed with exit code %d: the next start trains", code)
	default:
		return fmt.Sprintf("the command failed with exit code %d: nothing of the run is kept, unless --keep-failed is "+
			"given or --accept %d", code, code)
	}
}
