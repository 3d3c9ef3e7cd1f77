package cli

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

var sizeUnits = []struct {
	name  string
	bytes int64
}{{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"", 1}}

var errSize = errors.New("give a size, as 500MB or 4GiB")

// ParseSize parses a number of bytes, kB, MB, GB, KiB, MiB or GiB, at least 1 byte.
func ParseSize(text string) (int64, error) {
	for _, unit := range sizeUnits {
		number, ok := strings.CutSuffix(text, unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil || n < 1 || n > (1<<62)/unit.bytes {
			return 0, errSize
		}
		return n * unit.bytes, nil
	}
	return 0, errSize
}

// ParseSizeFlag is ParseSize for the value of a flag, which the error names.
func ParseSizeFlag(flag, text string) (int64, error) {
	n, err := ParseSize(text)
	if err != nil {
		err = Usagef("%s %s: %w", flag, text, err)
	}
	return n, err
}

// ParseAge parses a duration, the value of a flag. It accepts d for days.
func ParseAge(flag, text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseFloat(days, 64); err == nil && n > 0 && n < 1e5 {
			return time.Duration(n * 24 * float64(time.Hour)), nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, Usagef("%s %s: write it as 30d, 12h or 90m", flag, text)
	}
	return d, nil
}
