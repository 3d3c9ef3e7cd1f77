package pages

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/layout"
)

// capitalized returns a text with a capital first letter, as in headings and sentences.
func capitalized(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 || !unicode.IsLower(first) {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// inDomainTerms returns a text in the terms of a domain. LLVM calls methods functions.
func inDomainTerms(d layout.Domain, text string) string {
	if d.LLVM() {
		return functionWords.Replace(text)
	}
	return text
}

var functionWords = strings.NewReplacer("method", "function", "Method", "Function")

func (r *request) inTerms(text string) string {
	return inDomainTerms(r.archive().Header().Domain, text)
}

// measureAbout returns the description of a measure, as a sentence without its full stop.
func measureAbout(d layout.Domain, name, about string) string {
	if _, rest, named := strings.Cut(about, "VM: "); named {
		about = rest // the VM needs no mention, since the archive belongs to it
	}
	if name == "invocations" {
		about, _, _ = strings.Cut(about, ";")
		if d == layout.DomainHotSpot {
			about += ", until C2 compiled it"
		}
	}
	return capitalized(about)
}

var sectionTitles = map[schema.BlockSection]string{
	schema.SectionData: "Profile points", schema.SectionExtra: "Further traps, and arguments",
	schema.SectionParameters: "Types of parameters", schema.SectionHandlers: "Exception handlers",
}

func sectionTitle(s schema.BlockSection) string {
	return cmp.Or(sectionTitles[s], "Section "+s.String())
}
