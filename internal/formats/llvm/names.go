package llvm

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

// maxDeflate is more than zlib can expand a byte to.
const maxDeflate = 1032

// A section of names is a row of chunks, one for each object file:
//
//	ULEB128 size, ULEB128 packed size, the names, packed by zlib unless the
//	packed size is 0; zeros
//
// Names stand one after the other with 0x01 between.

// eachName gives the names of a section. The error says what is wrong and where
// in the section.
func eachName(section []byte, yield func(name string)) error {
	for rest := section; len(rest) > 0; {
		at := len(section) - len(rest)
		text, behind, err := nameChunk(rest)
		if err != nil {
			return fmt.Errorf("names, byte %d: %w", at, err)
		}
		for more := text != ""; more; {
			var name string
			name, text, more = strings.Cut(text, string(rune(nameSeparator)))
			yield(name)
		}
		rest = bytes.TrimLeft(behind, "\x00")
	}
	return nil
}

// nameChunk gives the text of the first chunk of b, and what is behind it.
func nameChunk(b []byte) (text string, behind []byte, err error) {
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
