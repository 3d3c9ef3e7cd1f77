package object

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A static library is a list of members of even length. Each has a header of 60 bytes with its name at 0 and its size
// in decimal digits at 48. In the form of BSD, the name follows the header, and the size includes it.
const (
	archiveMagic  = "!<arch>\n"
	memberHeader  = 60
	memberSizeAt  = 48
	memberSizeEnd = 58
)

// readArchive adds the sections of all object files in a static library.
func (s *Sections) readArchive(r io.ReaderAt, size int64) error {
	objects := 0
	for at := int64(len(archiveMagic)); at+memberHeader <= size; {
		var header [memberHeader]byte
		if _, err := r.ReadAt(header[:], at); err != nil {
			return err
		}
		at += memberHeader
		length, err := strconv.ParseInt(strings.TrimSpace(string(header[memberSizeAt:memberSizeEnd])), 10, 64)
		if err != nil || length < 0 || length > size-at {
			return fmt.Errorf("a member of a static library at byte %d has no valid size", at-memberHeader)
		}
		skip := int64(0)
		if digits, ok := strings.CutPrefix(strings.TrimSpace(string(header[:16])), "#1/"); ok {
			skip, err = strconv.ParseInt(digits, 10, 64)
			if err != nil || skip < 0 || skip > length {
				return fmt.Errorf("a member of a static library at byte %d has no valid name", at-memberHeader)
			}
		}
		err = s.readObject(io.NewSectionReader(r, at+skip, length-skip), length-skip)
		switch {
		case err == nil:
			objects++
		case !errors.Is(err, ErrUnknown): // an index, a list of names, or bitcode
			return err
		}
		at += length + length%2
	}
	if objects == 0 {
		return fmt.Errorf("a static library without object files: link-time optimization leaves bitcode in it: name the " +
			"linked program")
	}
	return nil
}
