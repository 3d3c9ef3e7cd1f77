package llvm

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/parse"
)

// maxDeflate is the maximum expansion factor of zlib.
const maxDeflate = 1032

// A section of names has a chunk for each object file:
//
//	ULEB128 size, ULEB128 packed size, the names, packed by zlib unless the
//	packed size is 0; zeros
//
// Names are separated by 0x01.

const separator = string(rune(nameSeparator))

// SplitNames returns the names in a section of a raw profile, an indexed profile or a program. The error has the
// offset in the section.
func SplitNames(section []byte) (names []string, err error) {
	unpacked := 0
	for rest := section; len(rest) > 0; {
		at := len(section) - len(rest)
		text, after, err := NameChunk(rest, max(parse.FreeExpansion, parse.MaxExpansion*len(section))-unpacked)
		if err != nil {
			return nil, fmt.Errorf("byte %d: %w", at, err)
		}
		unpacked += len(text)
		if text != "" {
			more := 1 + strings.Count(text, separator)
			if len(names)+more > parse.FreeNames+len(section) {
				return nil,
					fmt.Errorf("byte %d: %w", at, parse.Exceeded("more names than bytes that they are packed into, and more than %d",
						parse.FreeNames))
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
		rest = bytes.TrimLeft(after, "\x00")
	}
	return names, nil
}

// AddNamesByRef adds the names in a section of a program to a map, by NameRef. PE begins the section with zeros.
func AddNamesByRef(to map[uint64]string, section []byte) error {
	names, err := SplitNames(bytes.TrimLeft(section, "\x00"))
	for _, name := range names {
		to[disk.NameRef(name)] = name
	}
	return err
}

// NameChunk decodes the first chunk of b, which has at most most bytes of text, and returns the bytes after it.
func NameChunk(b []byte, most int) (text string, after []byte, err error) {
	size, packed, b, err := chunkSizes(b)
	if err != nil {
		return "", nil, err
	}
	stored := packed
	if packed == 0 {
		stored = size
	}
	if stored > uint64(len(b)) || packed > 0 && size > packed*maxDeflate {
		return "", nil, fmt.Errorf("%d bytes packed into %d, where %d are left", size, stored, len(b))
	}
	if size > uint64(most) {
		return "", nil, parse.Exceeded("names that are more than %d times as long as what they are packed into",
			parse.MaxExpansion)
	}
	if packed == 0 {
		return string(b[:size]), b[size:], nil
	}
	text, err = inflateNames(b[:packed], int(size))
	return text, b[packed:], err
}

// chunkSizes decodes the sizes at the start of a chunk, and returns the bytes after them.
func chunkSizes(b []byte) (size, packed uint64, rest []byte, err error) {
	size, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, 0, nil, errors.New("a size that does not end")
	}
	packed, m := binary.Uvarint(b[n:])
	if m <= 0 {
		return 0, 0, nil, errors.New("a packed size that does not end")
	}
	return size, packed, b[n+m:], nil
}

// wholeNames returns the names in a truncated section. The last one can be incomplete; no record refers to it.
func wholeNames(section []byte) (names []string) {
	most := max(parse.FreeExpansion, parse.MaxExpansion*len(section))
	for rest := section; len(rest) > 0 && most > 0; {
		text, after, err := NameChunk(rest, most)
		if err != nil {
			text = cutChunk(rest, most)
			after = nil
		}
		most -= len(text)
		names = append(names, strings.Split(text, separator)...)
		rest = bytes.TrimLeft(after, "\x00")
	}
	return names
}

// cutChunk decodes up to most bytes of text of a truncated chunk.
func cutChunk(b []byte, most int) string {
	size, packed, b, err := chunkSizes(b)
	if err != nil {
		return ""
	}
	most = int(min(uint64(most), size))
	if packed == 0 {
		return string(b[:min(len(b), most)])
	}
	z, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return ""
	}
	text, _ := io.ReadAll(io.LimitReader(z, int64(most))) // ends with the error of the cut
	return string(text)
}

func inflateNames(b []byte, size int) (string, error) {
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

func checkNameLengths(names []string) error {
	for _, name := range names {
		if len(name) > disk.MaxName {
			return fmt.Errorf("a name of %d bytes", len(name))
		}
	}
	return nil
}

type nameIndex struct {
	names   []string
	used    []bool           // names of functions that were read, by index in names
	indexes map[uint64]int32 // index in names, by NameRef
}

// newNameIndex indexes names. If several share a NameRef, the first is found.
func newNameIndex(names []string) *nameIndex {
	x := &nameIndex{names: names, used: make([]bool, len(names)), indexes: make(map[uint64]int32, len(names))}
	for i, name := range slices.Backward(names) {
		x.indexes[disk.NameRef(name)] = int32(i)
	}
	return x
}

// withoutUse returns the index with no name used. Both share the names.
func (x *nameIndex) withoutUse() *nameIndex {
	return &nameIndex{names: x.names, used: make([]bool, len(x.names)), indexes: x.indexes}
}

func (x *nameIndex) findName(ref uint64) (i int, ok bool) {
	at, ok := x.indexes[ref]
	return int(at), ok
}
