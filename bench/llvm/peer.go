package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// An answer is what a turn of look-ups gave.
type answer struct {
	nanoseconds float64 // per look-up
	found       uint64
	sum         uint64 // of the first counters of what was found
}

// A peer is LLVM's reader at work in a process of its own.
type peer struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func (b *bench) startPeer(profdata, hits, misses string) (*peer, error) {
	cmd := exec.Command(b.peer, profdata, hits, misses)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &peer{cmd, in, bufio.NewReader(out)}, cmd.Start()
}

// lookup lets the peer look all keys of a file up: "hits" or "misses".
func (p *peer) lookup(file string) (a answer, err error) {
	if _, err := fmt.Fprintln(p.in, file); err != nil {
		return a, err
	}
	_, err = fmt.Fscan(p.out, &a.nanoseconds, &a.found, &a.sum)
	return a, err
}

func (p *peer) stop() error { return errors.Join(p.in.Close(), p.cmd.Wait()) }
