package pages

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// capital returns a text that begins with a capital, as headings and sentences do.
func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 || !unicode.IsLower(first) {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// wordOf returns a text of ours in the words of a domain: LLVM calls methods functions.
func wordOf(d layout.Domain, text string) string {
	if d.LLVM() {
		return functionWords.Replace(text)
	}
	return text
}

var functionWords = strings.NewReplacer("method", "function", "Method", "Function")

// word returns a text as wordOf does, of the request's archive.
func (r *request) word(text string) string { return wordOf(r.archive().Header().Domain, text) }

// measureAbout returns what a measure is, as a sentence without its full stop.
func measureAbout(d layout.Domain, name, about string) string {
	if _, rest, named := strings.Cut(about, "VM: "); named {
		about = rest // whose it is needs no words: the archive is of that VM
	}
	if name == "invocations" {
		about, _, _ = strings.Cut(about, ";")
		if d == layout.DomainHotSpot {
			about += ", until C2 compiled it"
		}
	}
	return capital(about)
}

var sectionTitles = map[layout.BlockSection]string{
	layout.SectionData: "Profile points", layout.SectionExtra: "Further traps, and arguments",
	layout.SectionParameters: "Types of parameters", layout.SectionHandlers: "Exception handlers",
}

func sectionTitle(s layout.BlockSection) string {
	return cmp.Or(sectionTitles[s], "Section "+s.String())
}

var tiers = []string{"never compiled", "C1, without profiling", "C1, with counters", "C1, with full profiling", "C2"}

// tierText returns the highest tier at which a method was compiled.
func tierText(d layout.Domain, level int) string {
	if d == layout.DomainHotSpot && level < len(tiers) {
		if level == 0 {
			return tiers[level]
		}
		return fmt.Sprintf("%d: %s", level, tiers[level])
	}
	return fmt.Sprint(level)
}

// escapeWords are the flags of the result of an escape analysis, by bit.
var escapeWords = []string{"", "it returns only its arguments", "it returns only new objects", "a new object escapes",
	"it modifies objects that are not known"}

// escapeText says what the escape analysis of a method found. Arguments are numbered by slot.
func escapeText(e reader.Escape) string {
	if e.Flags&1 == 0 {
		return "no result"
	}
	var parts []string
	for _, set := range []struct {
		what  string
		slots uint64
	}{{"does not escape", e.Local}, {"may be allocated on the stack", e.Stack}, {"is returned", e.Returned}} {
		if set.slots != 0 {
			parts = append(parts, slotsText(set.slots)+" "+set.what)
		}
	}
	if e.Local|e.Stack == 0 {
		parts = append(parts, "every argument may escape")
	}
	for bit, words := range escapeWords {
		if words != "" && e.Flags>>bit&1 != 0 {
			parts = append(parts, words)
		}
	}
	if rest := e.Flags >> len(escapeWords) << len(escapeWords); rest != 0 {
		parts = append(parts, fmt.Sprintf("further flags %#x", rest))
	}
	return capital(strings.Join(parts, "; "))
}

// slotsText names the slots of arguments whose bits are set.
func slotsText(set uint64) string {
	var list []string
	for slot := range 64 {
		if set>>slot&1 != 0 {
			list = append(list, fmt.Sprint(slot))
		}
	}
	if len(list) == 1 {
		return "argument slot " + list[0]
	}
	return "each of the argument slots " + strings.Join(list, ", ")
}

// modifiedText says what a method changes of an argument: the words of the object, as bits.
func modifiedText(words int64) string {
	switch {
	case words == 0:
		return "not modified"
	case words == -1 || uint32(words) == 1<<32-1:
		return "may be modified anywhere"
	}
	return fmt.Sprintf("modified in words %#x", uint64(words))
}
