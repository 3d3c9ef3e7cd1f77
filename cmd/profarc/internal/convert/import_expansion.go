package convert

import (
	"cmp"
	"errors"
	"io"
	"math"

	"github.com/profarc/profarc/internal/parse"
)

// An expansion holds what a decompressor gives against what it was given. A small
// file could otherwise take memory and time without bound.
type expansion struct {
	most    int64 // times the compressed bytes; 0 for parse.MaxExpansion, negative for no bound
	in, out int64 // bytes so far
}

// packed counts what is read of the compressed file.
func (e *expansion) packed(r io.Reader) io.Reader {
	return readerFunc(func(b []byte) (int, error) {
		n, err := r.Read(b)
		e.in += int64(n)
		return n, err
	})
}

// unpacked passes on what comes out, until it is too much.
func (e *expansion) unpacked(r io.Reader) io.Reader {
	return readerFunc(func(b []byte) (int, error) {
		n, err := r.Read(b)
		e.out += int64(n)
		most := cmp.Or(e.most, parse.MaxExpansion)
		if most > 0 && e.out > max(parse.FreeExpansion, saturated(most, e.in)) {
			return 0, &parse.LimitError{
				What: "it expands to more than %d times its size", Most: most,
				Advice: "if it is meant to, say how many times with --max-expansion, or decompress it first",
			}
		}
		return n, err
	})
}

// An expandedError is the error of a file that expands too much. Where that is in
// the text says nothing, so that importers need not.
type expandedError struct{ error }

func (e *expandedError) Unwrap() error { return e.error }

// withoutPlace leaves out what an importer adds to an expandedError.
func withoutPlace(err error) error {
	var expanded *expandedError
	if errors.As(err, &expanded) {
		return expanded
	}
	return err
}

// saturated is a product of positive numbers.
func saturated(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}

// A readerFunc is a reader that is one function.
type readerFunc func(b []byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }
