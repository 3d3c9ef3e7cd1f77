package formats

import (
	"bytes"
	"context"
	_ "embed" // foreign.txt
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/parse"
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
	switch {
	case webPage().Match(head):
		return nil, &InputError{s.name, foreignError("an HTML page: name an archive, or import the profile that it shows")}
	case len(head) > 262 && string(head[257:262]) == "ustar":
		return nil, &InputError{s.name, foreignError("a tar file: unpack it with tar -xf, and name a profile in it")}
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
		return nil, &InputError{s.name, foreignError(what)}
	}
	return nil, &InputError{s.name, fmt.Errorf("%w: it understands %s, also compressed with gzip or zstd", ErrUnknown,
		strings.Join(namesOf(importers), ", "))}
}

const utf16 = "UTF-16: convert it to UTF-8 first"

// skipTextMark skips the UTF-8 byte order mark of some editors and shells. It refuses UTF-16 byte order marks. No
// binary format begins with either.
func (s *stream) skipTextMark() error {
	head, _ := s.Peek(len(parse.UTF8Mark))
	switch {
	case string(head) == parse.UTF8Mark:
		_, err := s.Discard(len(head))
		return err
	case parse.BeginsWithUTF16Mark(string(head)):
		return fmt.Errorf("%s: it is %s", s.name, utf16)
	}
	return nil
}

// A foreignError describes a file that no importer reads. It matches ErrUnknown.
type foreignError string

func (e foreignError) Error() string      { return "it is " + string(e) }
func (foreignError) Is(target error) bool { return target == ErrUnknown }

// foreignFiles describes files that users mistake for importable profiles. Each line has the first bytes of a file in
// quotes, or a regular expression, then a tab and the description. The first match counts.
//
//go:embed foreign.txt
var foreignFiles string

// webPage matches the beginning of HTML, up to its second tag. No profile begins like this, not even one whose first
// name looks like a tag. Importers do not get HTML, because a page can show text in their format.
var webPage = lazyregexp.New(`(?is)^\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html)(?:\s[^>]*)?>\s*<`)

// describeForeign describes an input that no importer reads, or returns "".
func describeForeign(head []byte) string {
	if isUTF16(head) {
		return utf16
	}
	for line := range strings.Lines(foreignFiles) {
		pattern, is, _ := strings.Cut(line, "\t")
		magic, err := strconv.Unquote(pattern)
		if err == nil && bytes.HasPrefix(head, []byte(magic)) || err != nil && regexp.MustCompile(pattern).Match(head) {
			return strings.TrimSpace(is)
		}
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
