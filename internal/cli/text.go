package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

func FormatPercent(share float64) string { return fmt.Sprintf("%.3f%%", 100*share) }

// FormatShare formats a share in percent with digits after the point. It marks a rounded share that would be 0 or 1:
// "<0.1%".
func FormatShare(share float64, digits int) string {
	least := math.Pow10(-digits)
	switch percent := 100 * share; {
	case share > 0 && percent < least/2:
		return fmt.Sprintf("<%.*f%%", digits, least)
	case share < 1 && percent > 100-least/2:
		return fmt.Sprintf(">%.*f%%", digits, 100-least)
	default:
		return fmt.Sprintf("%.*f%%", digits, percent)
	}
}

// Amount returns a number with its noun: "1 archive", "3 archives".
func Amount[N int | uint64](n N, what string) string {
	if n != 1 {
		what = strings.TrimSuffix(what, "s") + "s"
	}
	return fmt.Sprint(n, " ", what)
}

// Note returns text in parentheses after a space if condition holds, otherwise "".
func Note(condition bool, text string) string {
	if !condition {
		return ""
	}
	return " (" + text + ")"
}

// Enumerated returns at most most names, and the number of the others, as "a, b and 3 more".
func Enumerated(names []string, most int) string {
	text := strings.Join(names[:min(len(names), most)], ", ")
	if n := len(names) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

const plainCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-"

// ShellWord quotes a word for a shell.
func ShellWord(word string) string {
	if word != "" && strings.Trim(word, plainCharacters) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// ImportCommand returns the command that makes an archive of a file.
func ImportCommand(path string) string {
	return "profarc import " + ShellWord(path) + " -o NAME" + ArchiveExtension
}

// Shorten replaces the middle of a text of more than most characters by "...". It keeps more of the end than of the
// start, because names differ at the end.
func Shorten(text string, most int) string {
	r := []rune(text)
	if len(r) <= most {
		return text
	}
	front := most / 3
	return string(r[:front]) + "..." + string(r[len(r)-(most-front-3):])
}

// Grouped formats a number with thousands separators, as in "1,234,567".
func Grouped(n uint64) string {
	if n < 1000 {
		return strconv.FormatUint(n, 10)
	}
	return fmt.Sprintf("%s,%03d", Grouped(n/1000), n%1000)
}

// FormatPercentDown formats a share from 0 to 1 as "12.34%", rounded down so that a share below a threshold does not
// look equal to it. It undoes the rounding of binary numbers, since 0.57 is stored as 0.56999.
func FormatPercentDown(share float64) string {
	hundredths := 1e4 * share
	if next := math.Round(hundredths); math.Abs(next-hundredths) < 1e-9 && (next < 1e4 || share == 1) {
		hundredths = next
	}
	return fmt.Sprintf("%.2f%%", math.Floor(hundredths)/100)
}

// FormatSize formats a number of bytes as "2.8 MB".
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

// FormatDuration formats a duration with three digits, as in "34.5 ms".
func FormatDuration(d time.Duration) string {
	v := float64(d)
	unit := "ns"
	switch {
	case d >= time.Second:
		v /= 1e9
		unit = "s"
	case d >= time.Millisecond:
		v /= 1e6
		unit = "ms"
	case d >= time.Microsecond:
		v /= 1e3
		unit = "µs"
	}
	switch {
	case unit == "ns" || v >= 100:
		return fmt.Sprintf("%.0f %s", v, unit)
	case v >= 10:
		return fmt.Sprintf("%.1f %s", v, unit)
	}
	return fmt.Sprintf("%.2f %s", v, unit)
}

func Share(part, whole uint64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// FormatHash formats a function hash like llvm-profdata.
func FormatHash(hash uint64) string { return fmt.Sprintf("0x%016x", hash) }
