package match

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestGlob holds glob against a regular expression.
func TestGlob(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringMatching(`[aü*?]{0,8}`).Draw(t, "pattern")
		name := rapid.StringMatching(`[aü]{0,10}`).Draw(t, "name")
		text := regexp.QuoteMeta(pattern)
		text = strings.ReplaceAll(strings.ReplaceAll(text, `\*`, `.*`), `\?`, `.`)
		want := regexp.MustCompile("^" + text + "$").MatchString(name)
		if got := Glob(pattern, name); got != want {
			t.Fatalf("glob(%q, %q) is %v", pattern, name, got)
		}
	})
}

func TestPatternWithoutGlobIsAnyPart(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"", "java/lang/String", true},
		{"lang.Str", "java/lang/String", true},
		{"lang/Str", "java.lang.String", true},
		{"string", "java/lang/String", false},
		{"java.lang", "java/util/List", false},
		{"java.lang.*", "java/lang/String", true},
		{"lang.*", "java/lang/String", false},
	} {
		t.Run(c.pattern, func(t *testing.T) {
			p := New(c.pattern)
			if got := p.Matches(c.name); got != c.want {
				t.Errorf("pattern %q selects %q: %v", c.pattern, c.name, got)
			}
		})
	}
}
