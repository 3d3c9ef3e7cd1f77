package app

import (
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/reader"
)

// An OutputLimit is the number of bytes after which printing fails; 0 is the default. The output can be many times
// larger than the archive, since each record repeats the names and calling contexts it refers to.
type OutputLimit int64

// The default is this many times the size of the archive, but no less than that
// many bytes. The output about a recorded archive is 2 to 10 times its size.
const (
	outputShare = 64
	outputLeast = 1 << 30
)

var _ pflag.Value = (*OutputLimit)(nil)

// AddFlag adds the flag --max-output.
func (l *OutputLimit) AddFlag(f *pflag.FlagSet) {
	f.Var(l, "max-output", fmt.Sprintf("most that is printed, as 20GB (default %d times the archive, 1GB at least)",
		outputShare))
}

func (l *OutputLimit) Type() string { return "size" }

func (l *OutputLimit) String() string {
	if *l == 0 {
		return ""
	}
	return strconv.FormatInt(int64(*l), 10)
}

// Set parses a number of bytes, kB, MB or GB.
func (l *OutputLimit) Set(text string) error {
	n, err := ParseSize(text)
	if err == nil {
		*l = OutputLimit(n)
	}
	return err
}

func (l OutputLimit) limitFor(s *reader.Store) int64 {
	if l != 0 {
		return int64(l)
	}
	return max(outputLeast, outputShare*s.Header().FileSize)
}

// LimitWriter returns a writer to w that fails beyond the limit for the archive s.
func (l OutputLimit) LimitWriter(w io.Writer, s *reader.Store) io.Writer {
	most := l.limitFor(s)
	return &limitedOutput{w, most,
		fmt.Errorf("%s: it has %s, and prints as more than %s, since its names or calling contexts are shared by many "+
			"records: choose some with profarc show --class or --method, or name a higher --max-output",
			s.Mapping().Name(), cli.FormatSize(s.Header().FileSize), cli.FormatSize(most))}
}

// A limitedOutput writes left more bytes, and then fails with errTooMuch.
type limitedOutput struct {
	w          io.Writer
	left       int64
	errTooMuch error
}

func (o *limitedOutput) Write(b []byte) (int, error) {
	full := int64(len(b)) > o.left
	if full {
		b = b[:o.left]
	}
	n, err := o.w.Write(b)
	o.left -= int64(n)
	if full && err == nil {
		err = o.errTooMuch
	}
	return n, err
}
