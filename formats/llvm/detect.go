package llvm

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// Detect returns the format of a file that starts with head, which should be about
// 64 KiB, or the whole file if it is smaller.
func Detect(head []byte) (k Kind, ok bool) {
	if _, ok := machineOf(head); ok {
		return KindRaw, true
	}
	if len(head) >= 8 && binary.LittleEndian.Uint64(head) == indexedMagic {
		return KindIndexed, true
	}
	return KindText, detectText(head)
}

// detectText reports whether text starts with a heading, or with a name, a hash and a
// number of counters.
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
