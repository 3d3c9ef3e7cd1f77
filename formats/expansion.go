package formats

import (
	"cmp"
	"errors"
	"io"
	"math"

	"github.com/profarc/profarc/internal/formats/parse"
)

// An expansion compares the size of a decompressed input with the size of its compressed form: a small file
// could otherwise take memory and time without bound.
type expansion struct {
	most    int64 // times the compressed bytes; 0 for parse.MaxExpansion, negative for no bound
	in, out int64 // bytes so far
}

// compressed counts the bytes read of the compressed form.
func (e *expansion) compressed(r io.Reader) io.Reader {
	return counted(r, func(done int64) { e.in = done })
}

// decompressed passes on what the decompressor returns, until it is too much.
func (e *expansion) decompressed(r io.Reader) io.Reader {
	return readerFunc(func(b []byte) (int, error) {
		n, err := r.Read(b)
		e.out += int64(n)
		most := cmp.Or(e.most, parse.MaxExpansion)
		if most > 0 && e.out > max(parse.FreeExpansion, saturatedProduct(most, e.in)) {
			return 0, &parse.LimitError{
				What: "it expands to more than %d times its size", Most: most,
				Kind: parse.ErrExpansion, // ImportOptions.MaxExpansion raises the limit
			}
		}
		return n, err
	})
}

// saturatedProduct returns the product of positive numbers, or the highest number.
func saturatedProduct(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}

// An expansionError is the error of an input that expands too much. It replaces the
// importer's error, whose place in the text means nothing to users.
type expansionError struct{ error }

func (e *expansionError) Unwrap() error { return e.error }

// withoutPlace returns the expansionError that err wraps, if it does, or err.
func withoutPlace(err error) error {
	var expanded *expansionError
	if errors.As(err, &expanded) {
		return expanded
	}
	return err
}

// A readerFunc is a reader that is one function.
type readerFunc func(b []byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }
