// Package warmup runs a program once and measures how it starts and warms up. It measures the time to the first output,
// the total time, the processor time and memory of all processes, and the times of the units of work that the program
// prints.
//
// The program is not traced or modified. Its output is read from a pipe, and the system counts its resources. It runs
// in a separate process group, if the system has these, and the whole group ends with it.
//
// A [Curve] has the units of a run. Its peak, and the time until the peak is reached, show whether a program that
// starts sooner also warms up sooner.
package warmup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/internal/cli"
)

type Program struct {
	Path    string   // path of the executable
	Args    []string // argv
	Env     []string // environment; nil for the caller's
	Input   string   // file for standard input; "" for none
	Watch   Watch
	Timeout time.Duration // maximum duration of a run; 0 for none
	Accept  []int         // successful exit codes besides 0
}

// A Run is the measurement of one run. Times are from just before its start.
type Run struct {
	WallNS int64 `json:"wall_ns"` // time to its end
	CPUNS  int64 `json:"cpu_ns"`  // user and system time of all its processes
	// time to the first output or match of Watch.Ready; 0 if there was none
	FirstNS int64 `json:"first_ns"`
	// maximum memory of one of its processes; 0 if unknown
	PeakBytes int64  `json:"peak_bytes,omitempty"`
	Exit      int    `json:"exit"`
	Output    string `json:"output"`            // checksum of stdout
	Failure   string `json:"failure,omitempty"` // reason for discarding the run
	Units     []Unit `json:"units,omitempty"`

	Text   []byte `json:"-"` // first bytes of stdout, whose checksum is Output
	Last   []byte `json:"-"` // last bytes of stdout, where a JVM says why it ends
	Errors []byte `json:"-"` // last bytes of stderr
	// Inert are the lines of stderr in which the agent reports that it adopts nothing.
	Inert []string `json:"inert,omitempty"`
}

// Limits on the time that a program takes to end.
const (
	graceOfEnd   = 2 * time.Second // after SIGTERM
	graceOfPipes = time.Second     // limit for pipes that other processes hold open
)

var errTimeout = errors.New("it took too long")

// Measure runs a program to its end. A discarded run has a Failure. The error comes from starting the program, or from
// ctx.
func Measure(ctx context.Context, p Program) (Run, error) {
	p.Watch.timed = p.Watch.Unit != nil && p.Watch.Unit.NumSubexp() > 0
	within, cancel := context.WithCancel(ctx)
	if p.Timeout > 0 {
		within, cancel = context.WithTimeoutCause(ctx, p.Timeout, errTimeout)
	}
	defer cancel()
	r := &running{ctx: within, p: &p, ended: make(chan struct{})}
	if err := r.startProgram(); err != nil {
		return Run{}, err
	}
	r.awaitEnd()
	r.collectRun()
	if err := ctx.Err(); err != nil {
		return r.run, err
	}
	return r.run, nil
}

type running struct {
	ctx    context.Context
	p      *Program
	cmd    *exec.Cmd
	begun  time.Time
	out    *output
	err    *errorOutput
	pipes  []pipe
	ended  chan struct{} // closed after the process has ended
	wallNS int64
	run    Run
}

func (r *running) startProgram() error {
	r.cmd = &exec.Cmd{Path: r.p.Path, Args: r.p.Args, Env: r.p.Env, SysProcAttr: ownGroup()}
	if r.p.Input != "" && r.p.Input != os.DevNull {
		in, err := cli.OpenFile(r.p.Input)
		if err != nil {
			return err
		}
		defer in.Close()
		r.cmd.Stdin = in
	}
	r.out = &output{watch: &r.p.Watch, hash: xxhash.New()}
	r.err = &errorOutput{}
	stdout, err := r.newPipe(r.out)
	if err != nil {
		return err
	}
	defer stdout.Close()
	stderr, err := r.newPipe(r.err)
	if err != nil {
		return err
	}
	defer stderr.Close()
	r.cmd.Stdout, r.cmd.Stderr = stdout, stderr
	r.begun = time.Now()
	r.out.begun = r.begun
	if err := r.cmd.Start(); err != nil {
		r.closePipes()
		return err
	}
	for _, p := range r.pipes {
		go p.copyOutput()
	}
	go func() {
		_ = r.cmd.Wait() // cmd.ProcessState has the result
		r.wallNS = time.Since(r.begun).Nanoseconds()
		close(r.ended)
	}()
	return nil
}

func (r *running) awaitEnd() {
	select {
	case <-r.ended:
	case <-r.ctx.Done():
		r.terminate()
	}
	r.killRest()
}

func (r *running) terminate() {
	r.askToEnd()
	timer := time.NewTimer(graceOfEnd)
	defer timer.Stop()
	select {
	case <-r.ended:
	case <-timer.C:
		r.killGroup()
		<-r.ended
	}
}

func (r *running) collectRun() {
	r.awaitPipes()
	state := r.cmd.ProcessState
	run := &r.run
	run.WallNS, run.CPUNS = r.wallNS, (state.UserTime() + state.SystemTime()).Nanoseconds()
	run.PeakBytes, run.Exit = peakMemory(state), exitCode(state)
	run.FirstNS, run.Units, run.Text, run.Last, run.Output = r.out.results()
	run.Errors, run.Inert = r.err.results()
	run.Failure = r.failureText()
}

func (r *running) failureText() string {
	switch {
	case errors.Is(context.Cause(r.ctx), errTimeout):
		return fmt.Sprintf("it took more than %v", r.p.Timeout)
	case r.ctx.Err() != nil:
		return "it was interrupted"
	case r.run.Exit != 0 && !slices.Contains(r.p.Accept, r.run.Exit):
		return fmt.Sprintf("it ended with exit code %d", r.run.Exit)
	case r.p.Watch.Ready != nil && r.run.FirstNS == 0:
		return "no line was one that says that it is ready"
	}
	return ""
}

type pipe struct {
	from *os.File
	to   io.Writer
	done chan struct{}
}

// newPipe returns the write end of a new pipe. Its output goes to w.
func (r *running) newPipe(w io.Writer) (*os.File, error) {
	from, to, err := os.Pipe()
	if err != nil {
		r.closePipes()
		return nil, err
	}
	r.pipes = append(r.pipes, pipe{from, w, make(chan struct{})})
	return to, nil
}

func (r *running) closePipes() {
	for _, p := range r.pipes {
		p.from.Close()
	}
}

func (p pipe) copyOutput() {
	defer close(p.done)
	_, _ = io.CopyBuffer(onlyWriter{p.to}, onlyReader{p.from}, make([]byte, 1<<16))
}

// These hide methods that bypass the buffer.
type (
	onlyWriter struct{ io.Writer }
	onlyReader struct{ io.Reader }
)

func (r *running) awaitPipes() {
	timer := time.NewTimer(graceOfPipes)
	defer timer.Stop()
	for _, p := range r.pipes {
		select {
		case <-p.done:
		case <-timer.C:
			timer.Reset(0)
		}
	}
	r.closePipes()
}
