package entries

import (
	"fmt"
	"strings"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/reader"
)

var escapeWords = []string{"", "it returns only its arguments", "it returns only new objects", "a new object escapes",
	"it modifies objects that are not known"}

// EscapeText describes the result of C2's escape analysis for a method, such as "argument slot 0 does not escape".
func EscapeText(e disk.Escape) string {
	if e.Flags&1 == 0 {
		return "no result"
	}
	var parts []string
	for _, set := range []struct {
		what  string
		slots uint64
	}{{"does not escape", e.Local}, {"may be allocated on the stack", e.Stack}, {"is returned", e.Returned}} {
		if set.slots != 0 {
			parts = append(parts, slotsText(set.slots)+" "+set.what)
		}
	}
	if e.Local|e.Stack == 0 {
		parts = append(parts, "every argument may escape")
	}
	for bit, words := range escapeWords {
		if words != "" && e.Flags>>bit&1 != 0 {
			parts = append(parts, words)
		}
	}
	if rest := e.Flags >> len(escapeWords) << len(escapeWords); rest != 0 {
		parts = append(parts, fmt.Sprintf("further flags %#x", rest))
	}
	return strings.Join(parts, "; ")
}

func slotsText(set uint64) string {
	var list []string
	for slot := range 64 {
		if set>>slot&1 != 0 {
			list = append(list, fmt.Sprint(slot))
		}
	}
	if len(list) == 1 {
		return "argument slot " + list[0]
	}
	return "each of the argument slots " + strings.Join(list, ", ")
}

// ModifiedText describes which words of an argument a method modifies. words has a bit per word.
func ModifiedText(words int64) string {
	switch {
	case words == 0:
		return "not modified"
	case words == -1 || uint32(words) == 1<<32-1:
		return "may be modified anywhere"
	}
	return fmt.Sprintf("modified in words %#x", uint64(words))
}

// CompilerData is what HotSpot's compilers recorded about a method. A nil part is missing.
type CompilerData struct {
	Compile *disk.Compile
	History *disk.History
	Escape  *disk.Escape
}

func CompilerDataOf(p reader.Profile) (d CompilerData) {
	b := disk.Block(p.Bytes())
	if c, ok := b.Compile(); ok {
		d.Compile = &c
	}
	if h, ok := b.History(); ok {
		d.History = &h
	}
	if e, ok := b.Escape(); ok {
		d.Escape = &e
	}
	return d
}
