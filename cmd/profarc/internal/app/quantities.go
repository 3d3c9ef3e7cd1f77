package app

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/layout"
)

// ParseSize parses a number of bytes, kB, MB or GB, at least 1 byte.
func ParseSize(text string) (int64, error) {
	number := text
	scale := int64(1)
	for _, unit := range []struct {
		name  string
		scale int64
	}{{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}} {
		if before, ok := strings.CutSuffix(text, unit.name); ok {
			number = strings.TrimSpace(before)
			scale = unit.scale
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 1 || n > (1<<62)/scale {
		return 0, fmt.Errorf("give a size, as 500MB or 20GB")
	}
	return n * scale, nil
}

// ParseShare parses the value of a flag: 99.9% or 0.999. "" is 0.
func ParseShare(flag, text string) (layout.Weight, error) {
	number, percent := strings.CutSuffix(text, "%")
	w, err := merging.ParseWeight(number)
	if percent {
		if w%100 != 0 {
			err = fmt.Errorf("at most seven decimal places are held")
		}
		w /= 100
	}
	switch {
	case text == "":
		return 0, nil
	case err != nil || w > layout.WeightOne:
		return 0, cli.Usagef("%s %s: write a share as 99.9%% or 0.999", flag, text)
	}
	return w, nil
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
		return 0, cli.Usagef("%s %s: write it as 30d, 12h or 90m", flag, text)
	}
	return d, nil
}
