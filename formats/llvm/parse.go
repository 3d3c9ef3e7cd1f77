package llvm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/parse"
)

// A Kind is a form of profiles.
type Kind uint8

// The forms.
const (
	KindRaw Kind = iota + 1
	KindIndexed
	KindText
)

func (k Kind) String() string {
	return [...]string{"", "raw", "indexed", "text"}[k&3]
}

// ReadOptions say how a profile is read. The zero value is of use.
type ReadOptions struct {
	Name string // of the file, for errors
	// Config is what the archive says of itself. Of its Params those that the
	// file shows are set; ParamLLVMVersion of the caller stands, where it is
	// not 0, for raw files and text: they do not say which LLVM made them
	// exactly.
	Config builder.Config
	// Into is the builder that the profiles are added to, nil for a new one.
	Into *builder.Builder
	// Run is the run that the profiles are of. It begins anew with each file
	// that is read into Into, and with each module of a raw file.
	Run builder.Run
}

// Read reads a profile of any form into a builder. The error is an [*Error]
// where the file is not what LLVM writes, and matches builder.ErrMismatch where
// its kind does not fit what Into has: profiles of another instrumentation, or
// counts together with coverage of single bytes.
func Read(r io.Reader, o ReadOptions) (*builder.Builder, *Report, error) {
	in := newIntake(o, false)
	if err := in.read(r); err != nil {
		return nil, nil, err
	}
	return in.b, in.report, nil
}

// Check reads a profile as Read does and keeps nothing. It needs the memory of
// one module of a raw file, and no more than a buffer for the other forms. Read
// accepts what Check accepts, but for an indexed file that has a name twice,
// which no LLVM writes.
func Check(r io.Reader, o ReadOptions) (*Report, error) {
	in := newIntake(o, true)
	if err := in.read(r); err != nil {
		return nil, err
	}
	return in.report, nil
}

// read reads a profile of any form.
func (in *intake) read(r io.Reader) error {
	err := in.scan(&scan{newSource(r), in})
	if added := in.plain.addTo(in.b); added != nil {
		return added // of a function that stands before what err is of
	}
	return err
}

func (in *intake) scan(s *scan) error {
	head := s.peek(8)
	if _, ok := machineOf(head); ok {
		return s.raw()
	}
	switch {
	case s.failure() != nil:
		return s.failure()
	case len(head) == 8 && binary.LittleEndian.Uint64(head) == indexedMagic:
		return s.indexed()
	case len(head) > 0 && isText(head):
		return s.text()
	}
	return s.fault(ErrNotProfile, 0, "")
}

// isText reports whether a file that begins so can be text.
func isText(head []byte) bool {
	for _, c := range head {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0x7f {
			return false
		}
	}
	return true
}

// firstBuffer is the size of a source's buffer until something larger must be
// seen at once.
const firstBuffer = 1 << 16

// A source gives an input piece by piece. Its memory grows with what was read,
// whatever sizes the input says it has.
type source struct {
	r       io.Reader
	buf     []byte
	at, end int   // buf[at:end] is read and not given yet
	base    int64 // offset of buf[0] in the input
	err     error // of r: io.EOF at the end
}

func newSource(r io.Reader) *source { return &source{r: r, buf: make([]byte, firstBuffer)} }

// offset is where the next byte is in the input.
func (s *source) offset() int64 { return s.base + int64(s.at) }

// peek gives the next n bytes, or fewer at the end of the input, and leaves
// them. They are valid until the next call.
func (s *source) peek(n int) []byte {
	for s.end-s.at < n && s.err == nil {
		s.fill(n)
	}
	return s.buf[s.at:min(s.at+n, s.end)]
}

// next takes n bytes, which are valid until the next call. ok is false where
// the input has not so many left.
func (s *source) next(n int) (b []byte, ok bool) {
	if s.end-s.at < n {
		if len(s.peek(n)) < n {
			return nil, false
		}
	}
	b = s.buf[s.at : s.at+n]
	s.at += n
	return b, true
}

// fill reads once, into a buffer that is at most double of what it holds.
func (s *source) fill(n int) {
	if s.at > 0 {
		s.base += int64(s.at)
		s.end = copy(s.buf, s.buf[s.at:s.end])
		s.at = 0
	}
	if s.end == len(s.buf) && n > len(s.buf) {
		s.buf = append(s.buf, make([]byte, min(n-len(s.buf), len(s.buf)))...)
	}
	read, err := s.r.Read(s.buf[s.end:])
	s.end += read
	if read == 0 && err == nil {
		err = s.retry()
	}
	s.err = err
}

// retry reads from a reader that gave nothing, until it gives something.
func (s *source) retry() error {
	for range 100 {
		n, err := s.r.Read(s.buf[s.end:])
		s.end += n
		if n > 0 || err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}

// firstSection is how much of a section is made room for before any of it is
// read; then four times what was read.
const firstSection = 1 << 20

// section takes n bytes to be kept.
func (s *source) section(n uint64) (b []byte, ok bool) {
	for uint64(len(b)) < n {
		piece := min(n-uint64(len(b)), max(3*uint64(len(b)), firstSection))
		at := len(b)
		b = slices.Grow(b, int(piece))[:at+int(piece)]
		given := copy(b[at:], s.buf[s.at:s.end])
		s.at += given
		if !s.read(b[at+given:]) {
			return nil, false
		}
	}
	return b, true
}

// read fills b from the reader itself; what the source had is given.
func (s *source) read(b []byte) bool {
	if len(b) == 0 {
		return true
	}
	if s.err != nil {
		return false
	}
	n, err := io.ReadFull(s.r, b)
	s.base += int64(n)
	if err != nil {
		s.err = err
		if errors.Is(err, io.ErrUnexpectedEOF) {
			s.err = io.EOF
		}
		return false
	}
	return true
}

// skip takes n bytes that nobody wants.
func (s *source) skip(n uint64) bool {
	for n > 0 {
		piece := min(n, firstBuffer)
		if _, ok := s.next(int(piece)); !ok {
			return false
		}
		n -= piece
	}
	return true
}

// rest returns a reader of what is left of the input.
func (s *source) rest() io.Reader {
	return io.MultiReader(bytes.NewReader(s.buf[s.at:s.end]), s.r)
}

// drain reads to the end, so that a decompressor has checked everything.
func (s *source) drain() error {
	for s.err == nil {
		s.at = s.end
		s.fill(1)
	}
	return s.failure()
}

// failure is the error of the reader, nil if it only came to its end.
func (s *source) failure() error {
	if s.err == nil || s.err == io.EOF {
		return nil
	}
	if own, ok := s.err.(*Error); ok {
		return own // of a line that is too long
	}
	return fmt.Errorf("reading a profile: %w", s.err)
}

// A scan is one input being read.
type scan struct {
	*source
	*intake
}

// malformed is the error of something at an offset that cannot be, or of which
// there is too much.
func (s *scan) malformed(offset int64, format string, args ...any) error {
	for _, a := range args {
		var exceeded *parse.LimitError
		if err, ok := a.(error); ok && errors.As(err, &exceeded) {
			return s.fault(exceeded, offset, "")
		}
	}
	return s.fault(ErrMalformed, offset, fmt.Sprintf(format, args...))
}

// cut is the error of an input that has ended within something, or the error of
// its reader.
func (s *scan) cut(within string) error {
	if err := s.failure(); err != nil {
		return err
	}
	s.at = s.end
	return s.fault(ErrCut, s.offset(), "it ends within "+within)
}

func (s *scan) fault(kind error, offset int64, detail string) error {
	return &Error{Name: s.name, Offset: offset, Kind: kind, Detail: detail, After: string(s.last)}
}

// take takes a function that is described at an offset.
func (s *scan) take(f *function, offset int64) error {
	if err := f.possible(); err != nil {
		return s.malformed(offset, "%v", err)
	}
	return s.function(f)
}
