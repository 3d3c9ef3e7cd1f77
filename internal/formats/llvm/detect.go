package llvm

import (
	"bytes"
	"encoding/binary"
	"slices"
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

// detectText reports whether text starts with a heading, or with a name, a hash and a number of counters.
func detectText(head []byte) bool {
	lines := firstLines(head)
	if len(lines) > 0 && lines[0][0] == headingMark {
		_, ok := textVariants[strings.ToLower(string(lines[0][1:]))]
		return ok
	}
	return len(lines) == recordLines && numbersIn(lines[1:]) == recordLines-1
}

// recordLines is the number of lines that a function has at least: its name, hash,
// number of counters and first counter.
const recordLines = 4

// firstLines returns the first lines that are not empty and not comments, at most recordLines.
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

// nearText reports whether text starts with a word that may be meant as a heading, or
// with a function of whose numbers one is misspelled.
func nearText(head []byte) bool {
	lines := firstLines(head)
	if len(lines) > 1 && lines[0][0] == headingMark {
		return isText(head) && len(bytes.Fields(lines[0])) == 1
	}
	if len(lines) < recordLines || numbersIn(lines[1:]) != recordLines-2 {
		return false
	}
	return !slices.ContainsFunc(lines[1:], func(line []byte) bool { return line[0] < '0' || line[0] > '9' })
}
