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

// newPipe returns the end of a new pipe that the program writes to. Its output goes to w.
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

// copyOutput reads a pipe to its end.
func (p pipe) copyOutput() {
	defer close(p.done)
	_, _ = io.CopyBuffer(onlyWriter{p.to}, onlyReader{p.from}, make([]byte, 1<<16))
}

// These hide methods that would copy without the buffer.
type (
	onlyWriter struct{ io.Writer }
	onlyReader struct{ io.Reader }
)

// awaitPipes waits until all was read that the program wrote. A process that it left behind may hold a
// pipe open for good.
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
