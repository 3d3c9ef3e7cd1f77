package llvm

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/ledger"
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

// readProfiles reads a profile in any of the three formats.
func (i *Importer) readProfiles(input *codec.Input) (*Report, error) {
	in := newIntake(i, input)
	if err := in.readProfile(input); err != nil {
		return nil, err
	}
	totals := ledger.Totals{}
	totals.Add(ledger.BlockCounts, in.blocks)
	totals.Add(ledger.ValueCounts, in.values)
	in.report.Totals = totals
	in.report.Sum = in.b
	return in.report, nil
}

func (in *intake) readProfile(r io.Reader) error {
	s := newSource(r)
	in.batch = batches.Get().(*functionBatch)
	defer func() {
		s.Reset(nil)
		buffers.Put(s.Reader)
		batches.Put(in.batch)
	}()
	err := in.scanProfile(&scan{s, in})
	if added := in.batch.flushToBuilder(in.b); added != nil {
		return added // its function precedes the offset of err
	}
	return err
}

func (in *intake) scanProfile(s *scan) error {
	head := s.peekBytes(8)
	if _, ok := machineOf(head); ok {
		return s.readRawProfile()
	}
	switch {
	case s.readError() != nil:
		return s.readError()
	case len(head) == 8 && binary.LittleEndian.Uint64(head) == indexedMagic:
		return s.salvage(s.readIndexedProfile())
	case len(head) > 0 && looksLikeText(head):
		return s.salvage(s.readTextProfile())
	}
	return s.newError(ErrNotProfile, 0, "")
}

// looksLikeText reports whether head has no control characters other than blanks.
func looksLikeText(head []byte) bool {
	return !slices.ContainsFunc(head, func(c byte) bool {
		return c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0x7f
	})
}

const bufferSize = 1 << 16

// A source is a buffered input. Its memory is proportional to the bytes read, never to sizes claimed in the input.
type source struct {
	*bufio.Reader
	offset int64 // input offset of the next byte
	err    error // error of the reader, io.EOF at the end
}

// buffers and batches keep the memory of one input for the next, since clearing it takes longer than reading a small
// input.
var (
	buffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, bufferSize) }}
	batches = sync.Pool{New: func() any { return new(functionBatch) }}
)

func newSource(r io.Reader) *source {
	b := buffers.Get().(*bufio.Reader)
	b.Reset(r)
	return &source{Reader: b}
}

// peekBytes returns the next n bytes, at most bufferSize, without consuming them. It returns fewer at the end of the
// input. They are valid until the next call.
func (s *source) peekBytes(n int) []byte {
	b, err := s.Peek(n)
	if err != nil {
		s.err = err
	}
	return b
}

// readBytes consumes n bytes, which are valid until the next call. ok is false if the input ends before.
func (s *source) readBytes(n int) (b []byte, ok bool) {
	if n < 0 { // a claimed size that overflows int
		return nil, false
	}
	if n > bufferSize {
		return s.readSection(uint64(n))
	}
	b = s.peekBytes(n)
	if len(b) < n {
		return nil, false
	}
	_, _ = s.Discard(n) // cannot fail, peekBytes buffered them
	s.offset += int64(n)
	return b, true
}

// firstSection is the initial allocation for a section. It grows to four times the bytes read.
const firstSection = 1 << 20

// readSection consumes n bytes. If ok is false, the input had fewer bytes, and b holds them.
func (s *source) readSection(n uint64) (b []byte, ok bool) {
	for uint64(len(b)) < n {
		piece := min(n-uint64(len(b)), max(3*uint64(len(b)), firstSection))
		at := len(b)
		b = slices.Grow(b, int(piece))[:at+int(piece)]
		read, err := io.ReadFull(s, b[at:])
		s.offset += int64(read)
		if err != nil {
			s.endWithError(err)
			return b[:at+read], false
		}
	}
	return b, true
}

// endWithError records the error at which reading stopped.
func (s *source) endWithError(err error) {
	s.err = err
	if errors.Is(err, io.ErrUnexpectedEOF) {
		s.err = io.EOF
	}
}

func (s *source) skipBytes(n uint64) bool {
	for n > 0 {
		skipped, err := s.Discard(int(min(n, math.MaxInt32)))
		s.offset += int64(skipped)
		if err != nil {
			s.endWithError(err)
			return false
		}
		n -= uint64(skipped)
	}
	return true
}

// drainInput reads to the end, so that a decompressor verifies its checksum.
func (s *source) drainInput() error {
	_, s.err = io.Copy(io.Discard, s)
	return s.readError()
}

func (s *source) readError() error {
	if s.err == nil || s.err == io.EOF {
		return nil
	}
	if own, ok := s.err.(*Error); ok {
		return own // reports an overlong line
	}
	return fmt.Errorf("reading a profile: %w", s.err)
}

type scan struct {
	*source
	*intake
}

// malformedError returns the error of invalid data at an offset, or the error of a limit in args.
func (s *scan) malformedError(offset int64, format string, args ...any) error {
	for _, a := range args {
		var exceeded *parse.LimitError
		if err, ok := a.(error); ok && errors.As(err, &exceeded) {
			return s.newError(exceeded, offset, "")
		}
	}
	return s.newError(ErrMalformed, offset, fmt.Sprintf(format, args...))
}

// cutError returns the error of an input that ends within a part, or the error of its reader.
func (s *scan) cutError(within string) error {
	if err := s.readError(); err != nil {
		return err
	}
	return s.newError(ErrCut, s.offset+int64(s.Buffered()), "it ends within "+within)
}

// salvage drops the error of an input that ends after at least one function, if the options ask for it. The report has
// it as the reason.
func (s *scan) salvage(err error) error {
	cut := (*Error)(nil)
	if !s.o.Salvage || s.report.Methods == 0 || !errors.As(err, &cut) || cut.Kind != ErrCut {
		return err
	}
	s.noteSalvaged(cut)
	return nil
}

func (s *scan) noteSalvaged(cut *Error) {
	s.report.Salvaged = fmt.Sprintf("cut off at byte %d: %s", cut.Offset, cut.Detail)
}

func (s *scan) newError(kind error, offset int64, detail string) error {
	return &Error{Name: s.name, Offset: offset, Kind: kind, Detail: detail, After: string(s.last)}
}

// addFunctionAt checks and adds a function that the file describes at an offset.
func (s *scan) addFunctionAt(f *function, offset int64) error {
	if err := f.checkLimits(); err != nil {
		return s.malformedError(offset, "%v", err)
	}
	return s.addFunction(f)
}

// Detect returns the format of a file that starts with head. head should have about 64 KiB, or the whole of a smaller
// file.
func Detect(head []byte) (k Kind, ok bool) {
	if _, ok := machineOf(head); ok {
		return KindRaw, true
	}
	if len(head) >= 8 && binary.LittleEndian.Uint64(head) == indexedMagic {
		return KindIndexed, true
	}
	return KindText, detectText(head)
}

// detectText reports whether text starts with a heading, or with a name, a hash and a number of counters.
func detectText(head []byte) bool {
	lines := firstLines(head)
	if len(lines) > 0 && lines[0][0] == headingMark {
		_, ok := textVariants[strings.ToLower(string(lines[0][1:]))]
		return ok
	}
	return len(lines) == recordLines && numbersIn(lines[1:]) == recordLines-1
}

// recordLines is the minimum number of lines of a function: name, hash, number of counters and first counter.
const recordLines = 4

// firstLines returns up to recordLines lines, without empty lines and comments.
func firstLines(head []byte) (lines [][]byte) {
	for line := range bytes.Lines(head) {
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 || line[0] == commentMark {
			continue
		}
		lines = append(lines, line)
		if len(lines) == recordLines {
			break
		}
	}
	return lines
}

func numbersIn(lines [][]byte) (n int) {
	for _, line := range lines {
		if _, ok := parseNumber(line); ok {
			n++
		}
	}
	return n
}

// nearText reports whether text starts with a word like a heading, or with a function that has one misspelled number.
func nearText(head []byte) bool {
	lines := firstLines(head)
	if len(lines) > 1 && lines[0][0] == headingMark {
		return looksLikeText(head) && len(bytes.Fields(lines[0])) == 1
	}
	if len(lines) < recordLines || numbersIn(lines[1:]) != recordLines-2 {
		return false
	}
	return !slices.ContainsFunc(lines[1:], func(line []byte) bool { return line[0] < '0' || line[0] > '9' })
}
