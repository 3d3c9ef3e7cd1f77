package formats

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/system/lazyregexp"
)

// Reasons why no importer reads an input. Match them with errors.Is.
var (
	// ErrEmpty means that the input has no bytes.
	ErrEmpty = errors.New("it is empty: the program that should write it has not ended well, or writes elsewhere")
	// ErrArchive means that the input is an archive.
	ErrArchive = errors.New("it is an archive already")
	// ErrUnknown means that no importer knows the format.
	ErrUnknown = errors.New("not a format that import understands")
)

// An InputError is the reason why an input cannot be imported, or was left out.
type InputError struct {
	Name string // name of the input
	Err  error  // wraps ErrEmpty, ErrArchive or ErrUnknown without a profile, and merge.ErrCounted for a repeated input
}

// Error returns the name and the reason, separated by a colon.
func (e *InputError) Error() string { return fmt.Sprintf("%s: %v", e.Name, e.Err) }

// Unwrap returns Err.
func (e *InputError) Unwrap() error { return e.Err }

// Detect reads the beginning of an input and returns its importer, one of [Importers]. If no importer reads the format,
// the error matches ErrEmpty, ErrArchive or ErrUnknown, or describes a known format that cannot be imported.
func Detect(ctx context.Context, in Input) (codec.Importer, error) {
	s, err := openInput(ctx, in, &ImportOptions{})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.detect(Importers())
}

// A nearDetector is an importer that recognises an input with a mistake in its beginning; see codec.Importer.
type nearDetector interface{ DetectNear(head []byte) bool }

// detectNear returns the importer that detects the stream, or else one that finds the mistake in it.
func (s *stream) detectNear(importers []codec.Importer) (codec.Importer, error) {
	found, err := s.detect(importers)
	if errors.Is(err, ErrUnknown) {
		head, _ := s.Peek(headSize)
		for _, i := range importers {
			if near, ok := i.(nearDetector); ok && near.DetectNear(head) {
				return i, nil
			}
		}
	}
	return found, err
}

// detect returns the importer that recognises the stream. If a compressed stream is truncated, the importer gets the
// error again when it reads, and may still import the beginning.
func (s *stream) detect(importers []codec.Importer) (codec.Importer, error) {
	if err := s.skipTextMark(); err != nil {
		return nil, err
	}
	head, err := s.Peek(headSize)
	cut := errors.Is(err, io.ErrUnexpectedEOF) && len(head) > 0
	if err != nil && err != io.EOF && !cut {
		return nil, err
	}
	if webPage().Match(head) {
		return nil, fmt.Errorf("%s: it is %s", s.name, htmlPage)
	}
	for _, i := range importers {
		if i.Detect(head, err != nil) {
			return i, nil
		}
	}
	switch {
	case cut:
		return nil, err
	case len(head) == 0:
		return nil, &InputError{s.name, ErrEmpty}
	case bytes.HasPrefix(head, disk.Magic[:]):
		return nil, &InputError{s.name, ErrArchive}
	}
	if what := describeForeign(head); what != "" {
		return nil, fmt.Errorf("%s: it is %s", s.name, what)
	}
	return nil, &InputError{s.name, fmt.Errorf("%w: it understands %s, also compressed with gzip or zstd", ErrUnknown,
		strings.Join(namesOf(importers), ", "))}
}

const utf16 = "UTF-16: convert it to UTF-8 first"

// skipTextMark skips the UTF-8 byte order mark of some editors and shells. It refuses UTF-16 byte order marks. No
// binary format begins with either.
func (s *stream) skipTextMark() error {
	head, _ := s.Peek(3)
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		_, err := s.Discard(3)
		return err
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return fmt.Errorf("%s: it is %s", s.name, utf16)
	}
	return nil
}

// foreignFiles has the first bytes of files that users mistake for importable profiles.
var foreignFiles = []struct {
	magic []byte
	is    string
}{
	{[]byte("FLR\x00"), "a recording of JDK Flight Recorder: it holds samples, and no method data"},
	{[]byte("PERFILE2"), "perf's data: import what perf script prints of it"},
	{binary.AppendUvarint(nil, 0x5350524f463432ff), sampleProfile},
	{binary.AppendUvarint(nil, 0x5350524f46343204), sampleProfile},
	{[]byte("\x81rforpm\xff"), "a raw profile of LLVM's MemProf: import what llvm-profdata merge --profiled-binary PROGRAM makes of it"},
	{[]byte("adcg"), "gcov's data, of GCC: compile with clang -fprofile-generate"},
	{[]byte("\xca\xfe\xba\xbe"), "a class file, and no profile of it"},
	{[]byte("\x7fELF"), "a program: name the profile that it wrote"},
	{[]byte("PK\x03\x04"), "a zip or jar file: name a profile that was in it"},
}

const sampleProfile = "an LLVM sample profile: import takes in what instrumented programs write"

// sampleText matches the beginning of LLVM's sample profiles in text form.
var sampleText = lazyregexp.New(`^(?:#[^\n]*\n|\s*\n)*[^\s#][^\n]*:[0-9]+:[0-9]+\r?\n(?: +[0-9.]+: |[^\s][^\n]*:[0-9]+:[0-9]+\r?\n|$)`)

// webPage matches the beginning of HTML, up to its second tag. No profile begins like this, not even one whose first
// name looks like a tag. Importers do not get HTML, because a page can show text in their format.
var webPage = lazyregexp.New(`(?is)^\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html)(?:\s[^>]*)?>\s*<`)

const htmlPage = "an HTML page: name an archive, or import the profile that it was made from"

// describeForeign describes an input that no importer reads, or returns "".
func describeForeign(head []byte) string {
	for _, f := range foreignFiles {
		if bytes.HasPrefix(head, f.magic) {
			return f.is
		}
	}
	switch {
	case sampleText().Match(head):
		return sampleProfile
	case isUTF16(head):
		return utf16
	}
	return ""
}

// isUTF16 reports whether a text looks like ASCII characters in UTF-16.
func isUTF16(head []byte) bool {
	head = head[:min(len(head), 256)&^1]
	var zeros [2]int
	for i, c := range head {
		if c == 0 {
			zeros[i%2]++
		}
	}
	half := len(head) / 2
	return len(head) >= 16 && (zeros[0] == half && zeros[1] == 0 || zeros[1] == half && zeros[0] == 0)
}
