package llvm

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

func TestText(t *testing.T) {
	f, main, add := disk.NameRef("f"), disk.NameRef("main"), disk.NameRef("a.cpp;_ZL3addll")
	want := &content{
		Domain: layout.DomainLLVMIR, Variant: VariantIR | VariantTemporal,
		Functions: map[string]counted{
			"main 8000000000000005": {
				Counts: []uint64{1, 0, 1<<64 - 1}, Bitmap: "01ff",
				Sites: map[string][]builder.Value{
					"0 0": summed([]builder.Value{{Value: f, Count: 12}, {Value: disk.NameRef("elsewhere"), Count: 5},
						{Value: 0, Count: 2}}),
					"0 1": nil,
					"2 0": {{Value: disk.NameRef("std::vtable name"), Count: 4}},
				},
			},
			"f 0000000000000007":      {Counts: []uint64{0}, Sites: map[string][]builder.Value{}},
			"$swift 0000000000000008": {Counts: []uint64{12}, Sites: map[string][]builder.Value{}},
		},
		Unrun:   []string{"elsewhere"},
		VTables: []string{"std::vtable name"},
		Traces:  [][]uint64{{1, f}, {3, main, f, add}},
		Stream:  []string{"9"},
	}
	for name, text := range map[string]string{"as it is": smallText,
		"from Windows": strings.ReplaceAll(smallText, "\n", "\r\n"), "no line feed": strings.TrimSpace(smallText)} {
		if diff := cmp.Diff(want, contentOf(t, []byte(text))); diff != "" {
			t.Errorf("%s: other contents:\n%s", name, diff)
		}
	}
}

// TestTextTwice: a function that an unsorted text has twice is counted together.
func TestTextTwice(t *testing.T) {
	c := contentOf(t, []byte("b\n1\n1\n5\n\na\n1\n1\n6\n\nb\n1\n1\n7\n\nb\n1\n1\n8\n"))
	if got := c.Functions["b 0000000000000001"].Counts; !slices.Equal(got, []uint64{20}) ||
		c.Domain != layout.DomainLLVMFrontend {
		t.Errorf("counts %d, domain %v", got, c.Domain)
	}
}

func TestTextRefused(t *testing.T) {
	for text, want := range map[string]string{
		":nonsense\n":                              `line 1, byte 0: %v: expected one of the headings of a profile, as :ir, found ":nonsense"`,
		"f\nx\n":                                   `line 2, byte 2: %v: expected the hash of a function, found "x"`,
		"# c\nf\n1\n0\n":                           `line 4, byte 8: %v: expected a number of counters, at least 1, found "0"`,
		"f\n1\n1\n18446744073709551616\n":          `line 4, byte 6: %v: expected a counter, found "18446744073709551616"`,
		"f\n1\n1\n-1\n":                            `line 4, byte 6: %v: expected a counter, found "-1"`,
		"f\n1\n1\n5\n4\n":                          `line 5, byte 8: %v: expected a number of kinds of values, 1 to 3, found "4"`,
		"f\n1\n1\n5\n1\n3\n":                       `line 6, byte 10: %v: expected a kind of values, 0 to 2 and each once, found "3"`,
		"f\n1\n1\n5\n1\n0\n1\n1\nf\n":              `line 9, byte 16: %v: expected a value with its count, as name:123, found "f"`,
		"f\n1\n1\n5\n1\n1\n1\n1\nf:1\n":            `line 9, byte 16: %v: expected a value with its count, as name:123, found "f:1"`,
		"f\n1\n1\n5\n$1\n0x100\n":                  `line 6, byte 11: %v: expected a byte of a bitmap, found "0x100"`,
		"f\n1\n1\n5\ng\n1\n1\n6\ng\x00\n1\n1\n1\n": `line 9, byte 16: %v: a name of 2 bytes, or with a NUL byte: "g\x00" (last whole function: g)`,
	} {
		err := readOnce(t, []byte(text))
		want = "damaged: " + fmt.Sprintf(want, ErrMalformed)
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if err := readOnce(t, []byte("f\n1\n2\n1\n")); !errors.Is(err, ErrCut) {
		t.Errorf("a text without its last counter: %v", err)
	}
}

func TestDetect(t *testing.T) {
	for head, want := range map[string]Kind{
		":ir\n": KindText, "# IR level\n:IR\nx": KindText, "main\n# Func Hash:\n0x12\n2\n5\n": KindText,
		"f\r\n1\r\n1\r\n1\r\n": KindText,
		"":                     0, "hello\nworld\n1\n2\n": 0, "main\n12\n": 0, ":no\n": 0, "{\n1\n1\n": 0,
		"\x81rfoprl\x00": 0,
		"\x81rforpl\xff": KindRaw, "\xfflprofR\x81....": KindRaw, "\xfflprofi\x81": KindIndexed,
	} {
		k, ok := Detect([]byte(head))
		if ok != (want != 0) || ok && k != want {
			t.Errorf("%q: %v, %t, want %v", head, k, ok, want)
		}
	}
}
