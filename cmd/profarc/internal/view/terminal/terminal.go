// Package terminal prints names as programmers write them. On a terminal it adds colors, fits tables to the width, and
// sends long output through a pager.
package terminal

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type Options struct {
	raw, mangled, noPager bool
	color                 string
}

// Help describes the flags in help texts.
const Help = `Names are as programmers write them: java.util.HashMap.put(Object, Object) for
java.util.HashMap::put(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;, C++ and Rust demangled.
--raw prints them as the archive has them. On a terminal long names lose packages and parameters to fit
its width, and what exceeds its height goes through $PAGER (less -R).`

// The values of --color.
const (
	colorAuto   = "auto"
	colorAlways = "always"
	colorNever  = "never"
)

func (o *Options) AddFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.raw, "raw", false, "names as the archive has them")
	f.BoolVar(&o.mangled, "no-demangle", false, "names of C++ and Rust as linkers know them")
	f.StringVar(&o.color, "color", colorAuto, "colours: auto (on a terminal, unless NO_COLOR is set), always or never")
	f.BoolVar(&o.noPager, "no-pager", false, "print long outputs directly, not through $PAGER")
	_ = cmd.RegisterFlagCompletionFunc("color", cobra.FixedCompletions([]string{colorAuto, colorAlways, colorNever},
		cobra.ShellCompDirectiveNoFileComp))
}

// A Screen controls the output of a command. The zero Screen prints as into a pipe, without colors or cuts.
type Screen struct {
	Spelling display.Spelling
	Domain   layout.Domain // domain of the names
	Width    int           // width of a line; 0 for unlimited
	color    bool
	a        *cli.App
	pager    *pager // nil without paging
}

const defaultWidth = 80

func (o *Options) Run(a *cli.App, print func(*Screen) error) error {
	s, err := o.newScreen(a)
	if err != nil {
		return err
	}
	if s.pager == nil {
		return print(s)
	}
	a.Out.Reset(s.pager.plain)
	err = print(s)
	if flushed := a.Out.Flush(); err == nil {
		err = flushed
	}
	err = s.pager.endPager(err)
	a.Out.Reset(a.Streams.PlainOut)
	return err
}

// Print prints a report on names of a domain: v with --json, else what printText prints.
func (o *Options) Print(a *cli.App, d layout.Domain, v any, printText func(*Screen)) error {
	return o.Run(a, func(s *Screen) error {
		s.Domain = d
		return a.Print(v, func() { printText(s) })
	})
}

func (o *Options) newScreen(a *cli.App) (*Screen, error) {
	s := &Screen{a: a, Spelling: display.Spelling{Raw: o.raw, Mangled: o.mangled}}
	tty := a.Streams.OutTerminal
	dumb := os.Getenv("TERM") == "dumb"
	switch o.color {
	case colorAlways:
		s.color = true
	case colorAuto:
		s.color = tty && !dumb && os.Getenv("NO_COLOR") == ""
	case colorNever:
	default:
		return nil, cli.Usagef("--color %s: name one of auto, always, never", o.color)
	}
	out, width, height := terminalSize(a)
	s.Width = width
	if width > 0 && !o.noPager && !dumb && height > 0 {
		s.pager = newPager(out, a.Streams.RawErr, height)
	}
	return s, nil
}

// terminalSize returns the terminal of the output and its size; 0 for a pipe, and for an unknown height.
func terminalSize(a *cli.App) (out *os.File, width, height int) {
	out, isFile := a.Streams.RawOut.(*os.File)
	if !a.Streams.OutTerminal || !isFile {
		return nil, 0, 0
	}
	width, height, err := term.GetSize(int(out.Fd()))
	if err != nil || width <= 0 {
		return out, defaultWidth, 0
	}
	return out, width, height
}

func (s *Screen) TypeText(in *reader.Store, name, loader string) string {
	switch {
	case name == "":
		return "none"
	case !s.Spelling.Raw:
		return escape.Printable(s.Spelling.Type(s.Domain, name) + display.LoaderNote(in, name, loader))
	}
	return escape.Printable(display.WithLoader(name, loader))
}

// InTerms returns a text of this program in the terms of the domain, see display.InTermsOf.
func (s *Screen) InTerms(text string) string { return display.InTermsOf(s.Domain, text) }

// MethodText returns a method for people. Unless names are raw, it names the class loader only if necessary; see
// display.LoaderNote.
func (s *Screen) MethodText(m analyze.MethodName) string {
	if s.Spelling.Raw {
		return escape.Printable(m.String())
	}
	text := s.Spelling.Method(s.Domain, layout.Key{Class: m.Class, Name: m.Name, Signature: m.Signature})
	return escape.Printable(text + m.LoaderNote)
}

// KeyText is MethodText for the method of a key.
func (s *Screen) KeyText(in *reader.Store, k layout.Key) string {
	if s.Spelling.Raw {
		return escape.Printable(display.WithLoader(display.MethodText(in.Header().Domain, k), k.Loader))
	}
	return escape.Printable(s.Spelling.Method(s.Domain, k) + display.LoaderNote(in, k.Class, k.Loader))
}

// PaintText writes a text in a color, which is the parameter of an SGR sequence, or "".
func (s *Screen) PaintText(w *bufio.Writer, color, text string) {
	if !s.color || color == "" {
		_, _ = w.WriteString(text) // the error stays in w
		return
	}
	s.writeControl(w, "\x1b["+color+"m")
	_, _ = w.WriteString(text)
	s.writeControl(w, "\x1b[0m")
}

func (s *Screen) writeControl(w *bufio.Writer, sequence string) {
	if w.Flush() != nil || w != s.a.Out && s.a.Out.Flush() != nil {
		return
	}
	if s.pager != nil {
		_, _ = s.pager.Write([]byte(sequence))
		return
	}
	_, _ = s.a.Streams.RawOut.Write([]byte(sequence))
}

// HeatColor returns the color of a heat from 0 to 1; see listing.Heat.
func HeatColor(heat float64) string {
	switch {
	case heat >= 0.9:
		return "1;31"
	case heat >= 0.7:
		return "31"
	case heat >= 0.4:
		return "33"
	}
	return ""
}

// Faint is the color of less important text.
const Faint = "2"

func (s *Screen) Bar(share float64, width int) string {
	if !unicodeLocale() {
		return strings.Repeat("#", int(share*float64(width)+0.5))
	}
	eighths := min(int(share*float64(8*width)+0.5), 8*width)
	bar := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		bar += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return bar
}

func unicodeLocale() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := os.Getenv(name); v != "" {
			v = strings.ToUpper(v)
			return strings.Contains(v, "UTF-8") || strings.Contains(v, "UTF8")
		}
	}
	return false
}

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
