package llvm

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
)

func TestNames(t *testing.T) {
	want := []string{"main", "a.cpp;f", "_Zx"}
	for _, packed := range []bool{false, true} {
		section := nameSection(t, want, packed)
		if got, err := SplitNames(section); err != nil || !slices.Equal(got, want) {
			t.Errorf("packed %t: %q, %v", packed, got, err)
		}
		for n := 1; n < len(section); n++ {
			if got, err := SplitNames(section[:n]); err == nil && len(got) > 0 && !slices.Contains([]int{1, 3}, len(got)) {
				t.Errorf("packed %t, cut at %d: %q", packed, n, got)
			}
		}
	}
}

func TestNamesRefused(t *testing.T) {
	packed := nameSection(t, []string{"", "main"}, true)
	for want, section := range map[string]string{
		"byte 0: a size that does not end":                   "\xff",
		"byte 0: a packed size that does not end":            "\x01\x80",
		"byte 0: 5 bytes packed into 5, where 1 are left":    "\x05\x00a",
		"byte 4: 5 bytes packed into 5, where 0 are left":    "\x01\x00a\x00\x05\x00",
		"byte 0: 2000 bytes packed into 1, where 1 are left": "\xd0\x0f\x01a",
		"byte 0: zlib: invalid header":                       "\x04\x04aaaa",
		"byte 0: 4 bytes, or more, where it says 3":          "\x03" + string(packed[1:]),
		"byte 0: 4 bytes, or more, where it says 5":          "\x05" + string(packed[1:]),
		fmt.Sprintf("byte 0: %d bytes packed into %[1]d, where 0 are left",
			int64(1<<62)): "\x80\x80\x80\x80\x80\x80\x80\x80\x40\x00",
	} {
		if _, err := SplitNames([]byte(section)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", section, err, want)
		}
	}
}

// TestNameIndex: every name is found by its NameRef, in a table of any size.
func TestNameIndex(t *testing.T) {
	for _, n := range []int{0, 1, 4, 5, 1000} {
		var names []string
		for i := range n {
			names = append(names, strings.Repeat("x", i%7)+fmt.Sprint(i))
		}
		x := newNameIndex(append(names, names...))
		for i, name := range names {
			if at, ok := x.findName(disk.NameRef(name)); !ok || at != i {
				t.Errorf("%d names: %q at %d, %t", n, name, at, ok)
			}
		}
		if _, ok := x.findName(disk.NameRef("y")); ok {
			t.Errorf("%d names: found what is not there", n)
		}
	}
}
