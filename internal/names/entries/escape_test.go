package entries

import (
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
)

func TestEscapeAnalysisInWords(t *testing.T) {
	for want, e := range map[string]disk.Escape{
		"no result": {},
		"argument slot 1 may be allocated on the stack; it modifies objects that are not known":                       {Flags: 0x11, Stack: 2},
		"each of the argument slots 0, 2 does not escape; argument slot 0 is returned; it returns only its arguments": {Flags: 3, Local: 5, Returned: 1},
		"every argument may escape; it returns only new objects; a new object escapes; further flags 0x20":            {Flags: 0x2d},
	} {
		if got := EscapeText(e); got != want {
			t.Errorf("%+v is %q, want %q", e, got, want)
		}
	}
}

func TestModifiedArgumentsInWords(t *testing.T) {
	for words, want := range map[int64]string{0: "not modified", -1: "may be modified anywhere",
		1<<32 - 1: "may be modified anywhere", 6: "modified in words 0x6"} {
		if got := ModifiedText(words); got != want {
			t.Errorf("%d is %q, want %q", words, got, want)
		}
	}
}
