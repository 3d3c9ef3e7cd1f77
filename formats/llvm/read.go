package llvm

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"

	"github.com/profarc/profarc/builder"
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

// Detect tells the form of a file from its first bytes, which should be some
// 64 KiB if the file has so many.
func Detect(head []byte) (k Kind, ok bool) {
	if _, ok := machineOf(head); ok {
		return KindRaw, true
	}
	if len(head) >= 8 && binary.LittleEndian.Uint64(head) == indexedMagic {
		return KindIndexed, true
	}
	return KindText, detectText(head)
}

// detectText reports whether text begins with a heading, or with a name, a hash
// and a number of counters.
func detectText(head []byte) bool {
	numbers := -1
	for line := range bytes.Lines(head) {
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 || line[0] == commentMark {
			continue
		}
		if numbers < 0 {
			if line[0] == headingMark {
				_, ok := textVariants[strings.ToLower(string(line[1:]))]
				return ok
			}
			numbers = 0
			continue
		}
		if _, ok := parseNumber(line); !ok {
			return false
		}
		if numbers++; numbers == 3 {
			return true
		}
	}
	return false
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
