package llvm

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
)

// Detect returns the format of a file that starts with head. head should have about 64 KiB, or the whole of a smaller
// file.
func Detect(head []byte) (k Kind, ok bool) {
	if _, ok := machineOf(head); ok {
		return KindRaw, true
	}
	if len(head) >= 8 && binary.LittleEndian.Uint64(head) == indexedMagic {
		return KindIndexed, true
	}
	return KindText, detectText(head)
}

// detectText reports whether text starts with a heading, or with a name, a hash and a number of counters.
func detectText(head []byte) bool {
	lines := firstLines(head)
	if len(lines) > 0 && lines[0][0] == headingMark {
		_, ok := textVariants[strings.ToLower(string(lines[0][1:]))]
		return ok
	}
	return len(lines) == recordLines && numbersIn(lines[1:]) == recordLines-1
}

// recordLines is the minimum number of lines of a function: name, hash, number of counters and first counter.
const recordLines = 4

// firstLines returns up to recordLines lines, without empty lines and comments.
func firstLines(head []byte) (lines [][]byte) {
	for line := range bytes.Lines(head) {
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 || line[0] == commentMark {
			continue
		}
		lines = append(lines, line)
		if len(lines) == recordLines {
			break
		}
	}
	return lines
}

func numbersIn(lines [][]byte) (n int) {
	for _, line := range lines {
		if _, ok := parseNumber(line); ok {
			n++
		}
	}
	return n
}

// nearText reports whether text starts with a word like a heading, or with a function that has one misspelled number.
func nearText(head []byte) bool {
	lines := firstLines(head)
	if len(lines) > 1 && lines[0][0] == headingMark {
		return looksLikeText(head) && len(bytes.Fields(lines[0])) == 1
	}
	if len(lines) < recordLines || numbersIn(lines[1:]) != recordLines-2 {
		return false
	}
	return !slices.ContainsFunc(lines[1:], func(line []byte) bool { return line[0] < '0' || line[0] > '9' })
}
