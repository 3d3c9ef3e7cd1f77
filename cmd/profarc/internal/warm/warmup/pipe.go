package warmup

import (
	"io"
	"os"
	"time"
)

// A pipe is read while a program writes to it.
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

// awaitPipes waits until all output is read, for at most graceOfPipes, since a process left behind can keep a pipe
// open.
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
