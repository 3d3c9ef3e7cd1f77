package cli

import (
	"io"
	"os"
	"strings"

	"github.com/profarc/profarc/internal/names/escape"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// Streams are the output streams of a process. Plain streams escape control sequences and write to the raw ones.
// Raw streams are for the formats of other tools and for progress bars.
type Streams struct {
	PlainOut, PlainErr       *escape.Writer
	RawOut, RawErr           io.Writer
	OutTerminal, ErrTerminal bool
}

// IsOutput reports whether path is the file of the standard output, such as /dev/stdout.
func (s *Streams) IsOutput(path string) bool {
	out, isFile := s.RawOut.(*os.File)
	if !isFile {
		return false
	}
	pathInfo, err1 := os.Stat(path)
	outInfo, err2 := out.Stat()
	return err1 == nil && err2 == nil && os.SameFile(pathInfo, outInfo)
}

func ProcessStreams() Streams {
	return Streams{
		PlainOut: escape.NewWriter(os.Stdout), PlainErr: escape.NewWriter(os.Stderr),
		RawOut: os.Stdout, RawErr: os.Stderr,
		OutTerminal: term.IsTerminal(int(os.Stdout.Fd())), ErrTerminal: term.IsTerminal(int(os.Stderr.Fd())),
	}
}

// A FailureMode has the flags of a command that reads several files. They say which files should be there, and what
// becomes of the result when one is bad.
type FailureMode struct {
	mode   string
	Expect int    // number of expected files, 0 if it is not known
	list   string // file with the names of the expected files
}

// Values of --failure-mode.
const (
	failAny  = "any"  // a bad file is an error
	FailAll  = "all"  // bad files are left out if another one is good
	failWarn = "warn" // same as FailAll, since an archive needs at least one file
)

func (f *FailureMode) AddFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.mode, "failure-mode", failAny, "of several files, fail if any is bad, or if all are; warn is as all")
	flags.IntVar(&f.Expect, "expect", 0, "number of files that the training run should have left")
	flags.StringVar(&f.list, "expect-list", "", "file with the names of these files, a line each; - for the standard input")
	_ = cmd.RegisterFlagCompletionFunc("failure-mode",
		cobra.FixedCompletions([]string{failAny, FailAll, failWarn}, cobra.ShellCompDirectiveNoFileComp))
}

func (f *FailureMode) SkipsBad() bool     { return f.mode != failAny }
func (f *FailureMode) ExpectsFiles() bool { return f.Expect > 0 || f.list != "" }

func (f *FailureMode) ReadNames(a *App) (names []string, err error) {
	if f.mode != failAny && f.mode != FailAll && f.mode != failWarn {
		return nil, Usagef("--failure-mode %s: it is one of %s, %s, %s", f.mode, failAny, FailAll, failWarn)
	}
	if f.Expect < 0 {
		return nil, Usagef("--expect %d: it is a number of files", f.Expect)
	}
	if f.list == "" {
		return nil, nil
	}
	lines, err := readList(a, f.list)
	for _, line := range lines {
		if name := strings.TrimSpace(line); name != "" {
			names = append(names, name)
		}
	}
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, Usagef("--expect-list %s: there are no names in it", f.list)
	}
	return names, nil
}
