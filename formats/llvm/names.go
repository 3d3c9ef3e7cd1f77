package llvm

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/parse"
)

// maxDeflate is more than zlib can expand a byte to.
const maxDeflate = 1032

// A section of names is a row of chunks, one for each object file:
//
//	ULEB128 size, ULEB128 packed size, the names, packed by zlib unless the
//	packed size is 0; zeros
//
// Names stand one after the other with 0x01 between.

const separator = string(rune(nameSeparator))

// splitNames gives the names of a section. The error says what is wrong and where
// in the section.
func splitNames(section []byte) (names []string, err error) {
	unpacked := 0
	for rest := section; len(rest) > 0; {
		at := len(section) - len(rest)
		text, behind, err := nameChunk(rest, max(parse.FreeExpansion, parse.MaxExpansion*len(section))-unpacked)
		if err != nil {
			return nil, fmt.Errorf("byte %d: %w", at, err)
		}
		unpacked += len(text)
		if text != "" {
			more := 1 + strings.Count(text, separator)
			if len(names)+more > parse.FreeNames+len(section) {
				return nil, fmt.Errorf("byte %d: %w", at, parse.Exceeded("more names than bytes that they are packed into, and more than %d", parse.FreeNames))
			}
			names = slices.Grow(names, more)
		}
		for more := text != ""; more; {
			var name string
			name, text, more = strings.Cut(text, separator)
			if name == "" {
				return nil, fmt.Errorf("byte %d: a name of no bytes", at)
			}
			names = append(names, name)
		}
		rest = bytes.TrimLeft(behind, "\x00")
	}
	return names, nil
}

// nameChunk gives the text of the first chunk of b, which may have so many bytes,
// and what is behind it.
func nameChunk(b []byte, most int) (text string, behind []byte, err error) {
	size, n := binary.Uvarint(b)
	if n <= 0 {
		return "", nil, fmt.Errorf("a size that does not end")
	}
	b = b[n:]
	packed, n := binary.Uvarint(b)
	if n <= 0 {
		return "", nil, fmt.Errorf("a packed size that does not end")
	}
	b = b[n:]
	stored := packed
	if packed == 0 {
		stored = size
	}
	if stored > uint64(len(b)) || packed > 0 && size > packed*maxDeflate {
		return "", nil, fmt.Errorf("%d bytes packed into %d, where %d are left", size, stored, len(b))
	}
	if size > uint64(most) {
		return "", nil, parse.Exceeded("names that are more than %d times as long as what they are packed into", parse.MaxExpansion)
	}
	if packed == 0 {
		return string(b[:size]), b[size:], nil
	}
	text, err = unpack(b[:packed], int(size))
	return text, b[packed:], err
}

// unpack gives the size bytes that zlib has packed into b.
func unpack(b []byte, size int) (string, error) {
	z, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return "", err
	}
	var text strings.Builder
	text.Grow(size)
	n, err := io.Copy(&text, io.LimitReader(z, int64(size)+1))
	if err == nil && n != int64(size) {
		err = fmt.Errorf("%d bytes, or more, where it says %d", n, size)
	}
	return text.String(), err
}

// possibleNames refuses names that an archive does not keep.
func possibleNames(names []string) error {
	for _, name := range names {
		if len(name) > disk.MaxName {
			return fmt.Errorf("a name of %d bytes", len(name))
		}
	}
	return nil
}
