package cli

import (
	"testing"
	"time"
)

func TestTimeText(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 ns", 999: "999 ns", 1500: "1.50 µs", 34_500: "34.5 µs", 345_678 * time.Microsecond: "346 ms",
		2500 * time.Millisecond: "2.50 s",
	} {
		if got := FormatDuration(d); got != want {
			t.Errorf("%d ns is %q, want %q", int64(d), got, want)
		}
	}
}

func TestSizeText(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 9999: "9999 B", 53_824: "53.8 kB", 2_937_880: "2.9 MB",
		3_000_000_000: "3.00 GB"} {
		if got := FormatSize(n); got != want {
			t.Errorf("%d bytes are %q, want %q", n, got, want)
		}
	}
}

func TestShellWord(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"java": "java", "-Xmx1g": "-Xmx1g", "a b": "'a b'", "": "''", "it's": `'it'\''s'`, "$HOME": "'$HOME'", "*": "'*'",
		"a\nb": "'a\nb'",
	} {
		if got := ShellWord(word); got != want {
			t.Errorf("%q is %s, want %s", word, got, want)
		}
	}
}
func TestPercentText(t *testing.T) {
	t.Parallel()
	for share, want := range map[float64]string{0.57: "57.00%", 0.29: "29.00%", 0.89996: "89.99%", 1: "100.00%",
		0.99999999999999: "99.99%", 0: "0.00%"} {
		if got := FormatPercentDown(share); got != want {
			t.Errorf("%v is %s, want %s", share, got, want)
		}
	}
}
