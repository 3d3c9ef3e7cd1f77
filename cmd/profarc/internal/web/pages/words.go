package pages

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
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

var sectionTitles = map[disk.BlockSection]string{
	disk.SectionData: "Profile points", disk.SectionExtra: "Further traps, and arguments",
	disk.SectionParameters: "Types of parameters", disk.SectionHandlers: "Exception handlers",
}

func sectionTitle(s disk.BlockSection) string {
	return cmp.Or(sectionTitles[s], "Section "+s.String())
}
