package pages

import (
	"testing"

	"github.com/profarc/profarc/internal/cli"
)

func TestSourceKeepsTabsAndShowsWhatIsHidden(t *testing.T) {
	for line, want := range map[string]string{
		"\tif (a < b) return;":     "\tif (a &lt; b) return;",
		"x\u202ey":                 `x\u202ey`,
		"a\x00b\x1b[31m":           `a\u0000b\u001b[31m`,
		"\xff":                     `\udcff`,
		"</pre><script>alert(1)//": "&lt;/pre&gt;&lt;script&gt;alert(1)//",
	} {
		if got := string(sourceElement(line)); got != want {
			t.Errorf("%q is %s, want %s", line, got, want)
		}
	}
}

func TestNumbersHaveSeparatorsAndUnits(t *testing.T) {
	for n, want := range map[uint64][2]string{
		0:         {"0", "0"},
		999:       {"999", "999"},
		1000:      {"1,000", "1.00 k"},
		1234567:   {"1,234,567", "1.23 M"},
		99999:     {"99,999", "100 k"},
		1<<64 - 1: {"18,446,744,073,709,551,615", "18.4 E"},
	} {
		if got := [2]string{cli.Grouped(n), short(n)}; got != want {
			t.Errorf("%d is %v, want %v", n, got, want)
		}
	}
}
