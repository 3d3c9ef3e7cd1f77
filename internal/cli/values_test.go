package cli

import (
	"testing"
	"time"
)

func TestSizesAndAges(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"1": 1, "10kB": 10_000, "500 MB": 500e6, "2GB": 2e9, "3KiB": 3 << 10,
		"512MiB": 512 << 20, "4GiB": 4 << 30, "": 0, "0": 0, "-1": 0, "1.5GB": 0, "5TB": 0, "MB": 0, "9223372036854775807": 0,
		"4611686019GB": 0} {
		if got, err := ParseSize(text); got != want || (err == nil) != (want > 0) {
			t.Errorf("%q is %d, %v", text, got, err)
		}
	}
	for text, want := range map[string]time.Duration{"30d": 720 * time.Hour, "0.5d": 12 * time.Hour,
		"90m": 90 * time.Minute, "": 0, "0d": 0, "-1h": 0, "d": 0, "100000d": 0, "3": 0} {
		if got, err := ParseAge("--max-age", text); got != want || (err == nil) != (want > 0) {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
}
