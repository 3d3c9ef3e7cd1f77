package terminal

import (
	"strings"
	"testing"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"
)

func TestCutMiddle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		most int
		want string
	}{
		{"java.lang.String.length()", 25, "java.lang.String.length()"},
		{"java.lang.String.length()", 16, "java.….length()"},
		{"名前名前名前名前", 9, "名…前名前"}, // of two cells each
		{"a\u0301bcdefgh\u0301", 4, "a\u0301…gh\u0301"},
		{"abc", 1, "…"},
		{"", 0, ""},
	} {
		t.Run(c.want, func(t *testing.T) {
			if got := cutMiddle(c.text, c.most, "…"); got != c.want {
				t.Errorf("%s in %d: %q, want %q", c.text, c.most, got, c.want)
			}
		})
	}
}

func TestCutPackages(t *testing.T) {
	t.Parallel()
	s := &Screen{Width: 40}
	for text, want := range map[string]string{
		"java.lang.String.length()":                                      "java.lang.String.length()",
		"com.sun.tools.javac.parser.JavaTokenizer.readToken()":           "c.s.t.j.parser.JavaTokenizer.readToken()",
		"com.sun.tools.javac.jvm.Code.emitop()":                          "com.sun.tools.javac.jvm.Code.emitop()",
		"com.sun.tools.javac.code.Types.isSubtype()":                     "c.sun.tools.javac.code.Types.isSubtype()",
		"github.com/profarc/profarc/internal/format.Read":                "github.com/…/internal/format.Read",
		"org.h2.Utils.sort(Object[], int, int, Comparator)":              "o.h.Utils.sort(Object[], int, int, …)",
		"com.sun.tools.javac.Main.run() @7 < com.sun.tools.Other.go()":   "c.s.t.j.Main.run() @7 < c.s.t.Other.go()",
		"org.example.AVeryLongNameOfAClassThatDoesNotFit.main(String[])": "",
	} {
		t.Run(text, func(t *testing.T) {
			got := s.Cut(text, 0)
			if uniseg.StringWidth(got) > 40 || want != "" && got != want && s.ellipsis() == "…" {
				t.Errorf("%s: %q, want %q", text, got, want)
			}
		})
	}
}

// What was cut fits, and is a front and an end of the text.
func TestCutFits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, most := rapid.String().Draw(t, "text"), rapid.IntRange(1, 30).Draw(t, "most")
		got := cutMiddle(text, most, "\x00|\x00")
		front, end, cut := strings.Cut(got, "\x00|\x00")
		switch {
		case !cut && got != text, !strings.HasPrefix(text, front), !strings.HasSuffix(text, end):
			t.Fatalf("%q in %d: %q", text, most, got)
		case cut && uniseg.StringWidth(front)+uniseg.StringWidth(end) > most:
			t.Fatalf("%q in %d: %q", text, most, got)
		}
	})
	s := &Screen{Width: 20}
	if got := s.CutTail(strings.Repeat("x", 100), 4); uniseg.StringWidth(got) != 16 {
		t.Errorf("%q", got)
	}
	if got := (&Screen{}).Cut(strings.Repeat("x", 100), 4); len(got) != 100 {
		t.Errorf("a pipe gets %d of 100 characters", len(got))
	}
}
