package formats

import (
	"cmp"
	"errors"
	"io"

	"github.com/profarc/profarc/internal/formats/parse"
)

// An expansion limits the ratio of the decompressed size of an input to its compressed size. Without a limit, a small
// file could use any amount of memory and time.
type expansion struct {
	most    int64 // maximum ratio; 0 for parse.MaxExpansion, negative for no limit
	in, out int64 // bytes of the compressed and decompressed form
}

// compressed counts the bytes that are read from r.
func (e *expansion) compressed(r io.Reader) io.Reader {
	return counted(r, func(done int64) { e.in = done })
}

// decompressed counts the bytes that are read from r, and fails if they exceed the limit.
func (e *expansion) decompressed(r io.Reader) io.Reader {
	return readerFunc(func(b []byte) (int, error) {
		n, err := r.Read(b)
		e.out += int64(n)
		most := cmp.Or(e.most, parse.MaxExpansion)
		if most > 0 && e.out > parse.FreeExpansion && (e.out-1)/most >= e.in { // the product may overflow
			return 0, &parse.LimitError{
				What: "it expands to more than %d times its size", Most: most,
				Kind: parse.ErrExpansion, // ImportOptions.MaxExpansion raises the limit
			}
		}
		return n, err
	})
}

// An expansionError is the error of an input that exceeds the limit. It replaces the importer's error, whose line and
// column do not help users.
type expansionError struct{ error }

func (e *expansionError) Unwrap() error { return e.error }

// withoutPlace returns the expansionError that err wraps, or else err.
func withoutPlace(err error) error {
	var expanded *expansionError
	if errors.As(err, &expanded) {
		return expanded
	}
	return err
}

// A readerFunc implements io.Reader.
type readerFunc func(b []byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }
