package app

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// CheckShare refuses what is no share.
func CheckShare(flag string, v float64) error {
	if !(v >= 0 && v <= 1) {
		return Usagef("%s %v: give a share from 0 to 1", flag, v)
	}
	return nil
}

// FormatPercent is a share for people.
func FormatPercent(share float64) string { return fmt.Sprintf("%.3f%%", 100*share) }

// Amount gives "1 archive" or "3 archives".
func Amount[N int | uint64](n N, what string) string {
	if n != 1 {
		what = strings.TrimSuffix(what, "s") + "s"
	}
	return fmt.Sprint(n, " ", what)
}

func Note(is bool, text string) string {
	if !is {
		return ""
	}
	return " (" + text + ")"
}

func FormatID(id uint64) string { return fmt.Sprintf("%016x", id) }

// Shorten drops the middle of a text that is longer than most, and more of its
// front than of its end, where names differ.
func Shorten(text string, most int) string {
	r := []rune(text)
	if len(r) <= most {
		return text
	}
	front := most / 3
	return string(r[:front]) + "..." + string(r[len(r)-(most-front-3):])
}

// FormatPercentDown is a share in percent, rounded down: all is nothing less.
func FormatPercentDown(share float64) string { return fmt.Sprintf("%.2f%%", math.Floor(1e4*share)/100) }

// FormatSize is a size for people: "2.8 MB".
func FormatSize(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	case n < 1_000_000_000:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.2f GB", float64(n)/1e9)
}

// FormatDuration is a duration with three digits: "34.5 ms".
func FormatDuration(d time.Duration) string {
	v, unit := float64(d), "ns"
	switch {
	case d >= time.Second:
		v, unit = v/1e9, "s"
	case d >= time.Millisecond:
		v, unit = v/1e6, "ms"
	case d >= time.Microsecond:
		v, unit = v/1e3, "µs"
	}
	switch {
	case unit == "ns" || v >= 100:
		return fmt.Sprintf("%.0f %s", v, unit)
	case v >= 10:
		return fmt.Sprintf("%.1f %s", v, unit)
	}
	return fmt.Sprintf("%.2f %s", v, unit)
}

// Share is a part of a whole, 0 of nothing.
func Share(part, whole uint64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// FormatHash is the hash of a function as llvm-profdata prints it.
func FormatHash(hash uint64) string { return fmt.Sprintf("0x%016x", hash) }
