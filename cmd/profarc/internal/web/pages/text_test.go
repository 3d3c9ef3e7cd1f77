package pages

import (
	"html"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSourceKeepsTabsAndShowsWhatIsHidden(t *testing.T) {
	for line, want := range map[string]string{
		"\tif (a < b) return;":     "\tif (a &lt; b) return;",
		"x\u202ey":                 `x\u202ey`,
		"a\x00b\x1b[31m":           `a\u0000b\u001b[31m`,
		"\xff":                     `\udcff`,
		"</pre><script>alert(1)//": "&lt;/pre&gt;&lt;script&gt;alert(1)//",
	} {
		t.Run(line, func(t *testing.T) {
			if got := string(sourceElement(line)); got != want {
				t.Errorf("%q is %s, want %s", line, got, want)
			}
		})
	}
}

func TestNamesBreakWhereTheirPartsEnd(t *testing.T) {
	breaks := strings.NewReplacer("<wbr>", " ", "<bdi>", "", "</bdi>", "")
	for text, want := range map[string]string{
		"com.sun.tools.Type.hasTag(TypeTag, int[])": "com. sun. tools. Type. hasTag (TypeTag, int[])",
		"a.Foo$Bar.<init>()":                        "a. Foo$ Bar. <init>()",
		"a/Foo$1::x(La/B;Lc/D;)V":                   "a/ Foo$1:: x (La/ B; Lc/ D;)V",
		"std::vector<int>::push_back(int)":          "std:: vector <int>:: push_back (int)",
		"a.cpp;run(int,char)":                       "a. cpp; run (int, char)",
		"1,234,567 of 2.5":                          "1,234,567 of 2.5",
		"a.B.f()":                                   "a. B. f()",
		"one two three":                             "one two three",
		strings.Repeat("x", 70):                     strings.Repeat("x", 32) + " " + strings.Repeat("x", 32) + " xxxxxx",
		strings.Repeat("e\u0301", 20):               strings.Repeat("e\u0301", 16) + " " + strings.Repeat("e\u0301", 4),
	} {
		broken := breaks.Replace(string(nameElement(text + strings.Repeat(" ", inOneLine))))
		if got := strings.TrimRight(strings.ReplaceAll(html.UnescapeString(broken), "  ", " "), " "); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// A break is never within what stands for one character in HTML.
func TestBreaksAreBetweenEscapedCharacters(t *testing.T) {
	const tag = "<script>alert('&')</script>"
	if got, want := string(nameElement("a."+tag)),
		"a.<wbr>&lt;script&gt;alert<wbr>(&#39;&amp;&#39;)&lt;/<wbr>script&gt;"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for n := range 40 {
		html := string(nameElement(strings.Repeat("a", n) + tag))
		if parts := strings.Split(strings.TrimSuffix(strings.TrimPrefix(html, ""), ""),
			"<wbr>"); slices.ContainsFunc(parts, func(p string) bool {
			return strings.ContainsAny(p, "<>") || strings.Count(p, "&") != strings.Count(p, ";") || !utf8.ValidString(p)
		}) {
			t.Errorf("%s is broken within a character", html)
		}
	}
}
