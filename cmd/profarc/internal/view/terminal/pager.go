package terminal

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/profarc/profarc/internal/names/escape"
)

// A pager is an output that goes through the user's pager once it exceeds the height of the terminal.
type pager struct {
	plain *escape.Writer // writes to the pager
	out   *os.File
	errs  io.Writer
	lines int // that still fit

	held []byte // what was written before the pager started
	to   io.Writer
	pipe io.WriteCloser // nil if there is no pager
	cmd  *exec.Cmd
	quit bool // the user left the pager before the end
}

// maxHeld bounds the bytes that are held back, whatever their lines.
const maxHeld = 1 << 16

func newPager(out *os.File, errs io.Writer, height int) *pager {
	p := &pager{out: out, errs: errs, lines: height - 1}
	p.plain = escape.NewWriter(p)
	return p
}

// Write writes escaped text.
func (p *pager) Write(b []byte) (int, error) {
	if p.to != nil {
		return p.passOn(b)
	}
	p.held = append(p.held, b...)
	if p.lines -= bytes.Count(b, []byte("\n")); p.lines >= 0 && len(p.held) <= maxHeld {
		return len(b), nil
	}
	p.startPager()
	if _, err := p.passOn(p.held); err != nil {
		return 0, err
	}
	return len(b), nil
}

// passOn writes to the pager, or to the terminal if there is none.
func (p *pager) passOn(b []byte) (int, error) {
	n, err := p.to.Write(b)
	p.quit = p.quit || p.pipe != nil && err != nil // nobody reads the pipe any more
	return n, err
}

// startPager starts the pager. If it does not start, the output goes to the terminal.
func (p *pager) startPager() {
	p.to = p.out
	cmd := pagerCommand()
	if cmd == nil {
		return
	}
	cmd.Stdout = p.out
	cmd.Stderr = p.errs
	pipe, err := cmd.StdinPipe()
	if err != nil || cmd.Start() != nil {
		return
	}
	p.cmd, p.pipe, p.to = cmd, pipe, pipe
}

// defaultPager is used if PAGER is not set. -R shows colours and no other control sequences.
const defaultPager = "less -R"

// pagerCommand returns the user's pager, nil if there is none. PAGER may be any command of a shell.
func pagerCommand() *exec.Cmd {
	pager, set := os.LookupEnv("PAGER")
	if !set {
		pager = defaultPager
	}
	words := strings.Fields(pager)
	if len(words) == 0 || pager == "cat" || !isOnPath(words[0]) && !strings.ContainsAny(words[0], shellSigns) {
		return nil
	}
	if sh, err := exec.LookPath("sh"); err == nil {
		return exec.Command(sh, "-c", pager)
	}
	return exec.Command(words[0], words[1:]...)
}

// shellSigns are what the first word of a command has if it is no program but for a shell.
const shellSigns = "=$\"'`\\(){}<>|&;"

func isOnPath(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

// endPager writes the buffered text and waits for the pager. It returns err, unless that is
// because the user left the pager.
func (p *pager) endPager(err error) error {
	if closed := p.plain.Close(); err == nil {
		err = closed
	}
	if p.to == nil {
		if _, wrote := p.out.Write(p.held); err == nil {
			err = wrote
		}
	}
	if p.pipe != nil {
		_ = p.pipe.Close()
		_ = p.cmd.Wait() // its exit code says nothing about the output
	}
	if p.quit {
		return nil
	}
	return err
}
