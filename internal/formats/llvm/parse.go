package llvm

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/formats/parse"
)

// A Kind is one of LLVM's file formats.
type Kind uint8

// The file formats.
const (
	KindRaw Kind = iota + 1
	KindIndexed
	KindText
)

func (k Kind) String() string { return [...]string{"", "raw", "indexed", "text"}[k&3] }

// ReadOptions configure [Read]. The zero value is valid.
type ReadOptions struct {
	Name string // of the file, for errors
	// Config describes the archive. Read sets the parameters of its Params that follow from
	// the file. A ParamLLVMVersion that is not 0 is kept for raw files and text,
	// which do not say exactly which LLVM made them.
	Config builder.Config
	// Into is the builder that the profiles are added to, nil for a new one.
	Into *builder.Builder
	// Binary and DebugInfo name the programs and libraries of a raw profile that were built with
	// -profile-correlate: their sections or their debug information are read. Of several the
	// one is taken whose build id the module has.
	Binary, DebugInfo []string
	// Run is the run of the profiles. Each file that is read into Into and each
	// module of a raw file starts a run.
	Run builder.Run
}

// Read reads a profile in any of the three formats into a builder. The error is an [*Error] if the file is
// not one that LLVM writes. It matches builder.ErrMismatch if the profile cannot be merged with what Into
// has: profiles of another instrumentation, or counts and single-byte coverage.
func Read(r io.Reader, o ReadOptions) (*builder.Builder, *Report, error) {
	in := newIntake(o)
	if err := in.readProfile(r); err != nil {
		return nil, nil, err
	}
	return in.b, in.report, nil
}

// readProfile reads a profile in any of the formats.
func (in *intake) readProfile(r io.Reader) error {
	err := in.scanProfile(&scan{newSource(r), in})
	if added := in.plain.flushTo(in.b); added != nil {
		return added // of a function before the place of err
	}
	return err
}

func (in *intake) scanProfile(s *scan) error {
	head := s.peek(8)
	if _, ok := machineOf(head); ok {
		return s.readRaw()
	}
	switch {
	case s.readError() != nil:
		return s.readError()
	case len(head) == 8 && binary.LittleEndian.Uint64(head) == indexedMagic:
		return s.readIndexed()
	case len(head) > 0 && isText(head):
		return s.readText()
	}
	return s.fault(ErrNotProfile, 0, "")
}

// isText reports whether a file that starts with head can be text.
func isText(head []byte) bool {
	for _, c := range head {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0x7f {
			return false
		}
	}
	return true
}

// bufferSize is the size of a source's buffer.
const bufferSize = 1 << 16

// A source is a buffered input. Its memory grows with the bytes that were read, not
// with the sizes that the input claims.
type source struct {
	*bufio.Reader
	offset int64 // of the next byte in the input
	err    error // of the reader: io.EOF at the end
}

func newSource(r io.Reader) *source { return &source{Reader: bufio.NewReaderSize(r, bufferSize)} }

// peek returns the next n bytes, at most bufferSize, or fewer at the end of the input, without
// consuming them. They are valid until the next call.
func (s *source) peek(n int) []byte {
	b, err := s.Peek(n)
	if err != nil {
		s.err = err
	}
	return b
}

// next consumes n bytes, which are valid until the next call. ok is false if fewer are left.
func (s *source) next(n int) (b []byte, ok bool) {
	if n < 0 { // a size of the file that is no int here
		return nil, false
	}
	if n > bufferSize {
		return s.readSection(uint64(n))
	}
	b = s.peek(n)
	if len(b) < n {
		return nil, false
	}
	_, _ = s.Discard(n) // they are in the buffer
	s.offset += int64(n)
	return b, true
}

// firstSection is the initial allocation for a section, which then grows to four times what was read.
const firstSection = 1 << 20

// readSection consumes n bytes into a slice of their own.
func (s *source) readSection(n uint64) (b []byte, ok bool) {
	for uint64(len(b)) < n {
		piece := min(n-uint64(len(b)), max(3*uint64(len(b)), firstSection))
		at := len(b)
		b = slices.Grow(b, int(piece))[:at+int(piece)]
		read, err := io.ReadFull(s, b[at:])
		s.offset += int64(read)
		if err != nil {
			s.end(err)
			return nil, false
		}
	}
	return b, true
}

// end keeps the error with which reading ended.
func (s *source) end(err error) {
	s.err = err
	if errors.Is(err, io.ErrUnexpectedEOF) {
		s.err = io.EOF
	}
}

// skip discards n bytes.
func (s *source) skip(n uint64) bool {
	for n > 0 {
		skipped, err := s.Discard(int(min(n, math.MaxInt32)))
		s.offset += int64(skipped)
		if err != nil {
			s.end(err)
			return false
		}
		n -= uint64(skipped)
	}
	return true
}

// drain reads to the end, so that a decompressor verifies its checksum.
func (s *source) drain() error {
	_, s.err = io.Copy(io.Discard, s)
	return s.readError()
}

// readError returns the error of the reader, nil at the end of the input.
func (s *source) readError() error {
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

// malformed returns the error of invalid data at an offset, or of a limit that was exceeded there.
func (s *scan) malformed(offset int64, format string, args ...any) error {
	for _, a := range args {
		var exceeded *parse.LimitError
		if err, ok := a.(error); ok && errors.As(err, &exceeded) {
			return s.fault(exceeded, offset, "")
		}
	}
	return s.fault(ErrMalformed, offset, fmt.Sprintf(format, args...))
}

// cut returns the error of an input that ends within something, or the error of its reader.
func (s *scan) cut(within string) error {
	if err := s.readError(); err != nil {
		return err
	}
	return s.fault(ErrCut, s.offset+int64(s.Buffered()), "it ends within "+within)
}

func (s *scan) fault(kind error, offset int64, detail string) error {
	return &Error{Name: s.name, Offset: offset, Kind: kind, Detail: detail, After: string(s.last)}
}

// addFunctionAt checks and adds the function that is described at an offset.
func (s *scan) addFunctionAt(f *function, offset int64) error {
	if err := f.checkLimits(); err != nil {
		return s.malformed(offset, "%v", err)
	}
	return s.addFunction(f)
}
