package terminal

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/profarc/profarc/internal/names/escape"
)

// A pager is an output that starts the user's pager when it exceeds the height of the terminal.
type pager struct {
	plain *escape.Writer // writes to the pager
	out   *os.File
	errs  io.Writer
	lines int // number of lines that still fit

	held []byte // output before the pager started
	to   io.Writer
	pipe io.WriteCloser // nil without a pager
	cmd  *exec.Cmd
	quit bool // whether the user left the pager early
}

// maxHeld is the maximum number of bytes held before the pager starts.
const maxHeld = 1 << 16

func newPager(out *os.File, errs io.Writer, height int) *pager {
	p := &pager{out: out, errs: errs, lines: height - 1}
	p.plain = escape.NewWriter(p)
	return p
}

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

func (p *pager) passOn(b []byte) (int, error) {
	n, err := p.to.Write(b)
	p.quit = p.quit || p.pipe != nil && err != nil // the pager no longer reads
	return n, err
}

// startPager starts the pager. If that fails, the output goes to the terminal.
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

// defaultPager is used if PAGER is not set. Of control sequences, -R shows only colors.
const defaultPager = "less -R"

// pagerCommand returns the user's pager, or nil. PAGER can be any shell command.
func pagerCommand() *exec.Cmd {
	pager, set := os.LookupEnv("PAGER")
	if !set {
		pager = defaultPager
	}
	words := strings.Fields(pager)
	if len(words) == 0 || pager == "cat" {
		return nil
	}
	if _, err := exec.LookPath(words[0]); err != nil && !strings.ContainsAny(words[0], shellSigns) {
		return nil
	}
	if sh, err := exec.LookPath("sh"); err == nil {
		return exec.Command(sh, "-c", pager)
	}
	return exec.Command(words[0], words[1:]...)
}

const shellSigns = "=$\"'`\\(){}<>|&;"

// endPager writes the held text, and waits for the pager. It returns err, unless the user left the pager early.
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
		_ = p.cmd.Wait() // its exit code is irrelevant to the output
	}
	if p.quit {
		return nil
	}
	return err
}
