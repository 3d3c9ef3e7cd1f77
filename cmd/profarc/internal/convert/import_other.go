package convert

import (
	"bytes"
	"encoding/binary"
	"os"
	"regexp"
)

// otherFormats are files that users take for profiles of a kind that import
// understands, by their first bytes.
var otherFormats = []struct {
	magic []byte
	is    string
}{
	{[]byte("FLR\x00"), "a recording of JDK Flight Recorder: it holds samples, and no method data; see profarc train"},
	{[]byte("PERFILE2"), "perf's data: samples, and no counters"},
	{binary.AppendUvarint(nil, 0x5350524f463432ff), sampleProfile},
	{binary.AppendUvarint(nil, 0x5350524f46343204), sampleProfile},
	{[]byte("\x81rforpm\xff"), "a raw profile of LLVM's memprof: it holds allocations, and no counters"},
	{[]byte("adcg"), "gcov's data, of GCC: compile with clang -fprofile-generate"},
	{[]byte("\xca\xfe\xba\xbe"), "a class file, and no profile of it"},
	{[]byte("\x7fELF"), "a program, and not what it wrote when it ran"},
	{[]byte("PK\x03\x04"), "a zip or jar file: name a profile that was in it"},
}

const sampleProfile = "an LLVM sample profile: import takes in what instrumented programs write"

// sampleText is how LLVM's sample profiles begin in text.
var sampleText = regexp.MustCompile(`^(?:#[^\n]*\n|\s*\n)*[^\s#][^\n]*:[0-9]+:[0-9]+\r?\n(?: +[0-9.]+: |[^\s][^\n]*:[0-9]+:[0-9]+\r?\n|$)`)

// otherFormat says what a file is that import does not understand, if that is
// known.
func otherFormat(head []byte) (is string, known bool) {
	for _, f := range otherFormats {
		if bytes.HasPrefix(head, f.magic) {
			return f.is, true
		}
	}
	switch {
	case sampleText.Match(head):
		return sampleProfile, true
	case everyOtherZero(head):
		return "UTF-16: convert it to UTF-8 first", true
	}
	return "", false
}

// everyOtherZero reports whether a text is mostly ASCII, two bytes each.
func everyOtherZero(head []byte) bool {
	head = head[:min(len(head), 256)&^1]
	var zeros [2]int
	for i, c := range head {
		if c == 0 {
			zeros[i%2]++
		}
	}
	return len(head) >= 16 && (zeros[0] == len(head)/2 && zeros[1] == 0 || zeros[1] == len(head)/2 && zeros[0] == 0)
}

// Recognise returns the name of the format of a file; ok is false if import does
// not read it.
func Recognise(path string) (format string, ok bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	file, err := os.Open(path)
	if err != nil {
		return "", false
	}
	defer file.Close()
	in, err := newInput(path, file, 0)
	if err != nil {
		return "", false
	}
	defer in.Close()
	f, err := in.format()
	if err != nil {
		return "", false
	}
	return f.name, true
}
