// Package specimen has small deterministic archives of each domain for tests. Together they contain all kinds of
// entries, optional fields, sections, tables, columns and flags of the format. Each archive has a few KiB.
package specimen

import (
	"embed"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/text"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/layout"
)

// A Specimen is a named archive.
type Specimen struct {
	Name   string
	Domain layout.Domain
	Build  func() *builder.Builder
}

// All returns all specimens. Their names are unique.
func All() []Specimen {
	return []Specimen{
		written("hotspot", layout.DomainHotSpot),
		written("hotspot-empty", layout.DomainHotSpot),
		written("llvm-ir", layout.DomainLLVMIR),
		written("llvm-frontend", layout.DomainLLVMFrontend),
		written("graal", layout.DomainGraal),
		written("jamaica", layout.DomainJamaica),
		written("hotspot-run", layout.DomainHotSpot),
		written("custom", layout.DomainCustom),
		written("sampled", layout.DomainSampled),
	}
}

// texts has the specimens in the text of profarc. The archives in testdata/v1, whose bytes never change, are equal.
//
//go:embed testdata/*.txt testdata/hostile/*.txt
var texts embed.FS

// written returns the specimen of a text.
func written(name string, d layout.Domain) Specimen {
	return edited(name, d, func(text string) string { return text })
}

// edited returns the specimen of a text after a change.
func edited(name string, d layout.Domain, change func(text string) string) Specimen {
	return Specimen{name, d, func() *builder.Builder {
		data, err := texts.ReadFile("testdata/" + name + ".txt")
		if err != nil {
			panic(err)
		}
		in := &codec.Input{Reader: strings.NewReader(change(string(data))), Name: name}
		report, err := new(text.Importer).Import(in)
		if err != nil {
			panic(fmt.Sprintf("%s: %v", name, err))
		}
		return report.Dumps[0]
	}}
}

// Bytes returns the bytes of the archive.
func (s Specimen) Bytes() ([]byte, error) {
	b := s.Build()
	data, _, err := b.Bytes()
	return data, err
}

// Later returns the specimens of tables that were added after the first release.
func Later() []Specimen {
	return []Specimen{written("accounts", layout.DomainLLVMIR), written("versions", layout.DomainLLVMIR),
		written("advice", layout.DomainCustom), {"crowded", layout.DomainHotSpot, newCrowded}}
}

// SharedIDs returns two keys of the specimen hotspot that have the same ID.
func SharedIDs() [2]layout.Key {
	const end = "/is/one/of/two/classes/whose/methods/have/the/same/id/by/design"
	return [2]layout.Key{{Class: "tR_4twinyQ_6same" + end, Name: "run", Signature: "()V"},
		{Class: "t1jx3aHiy2jz4wLb" + end, Name: "run", Signature: "()V"}}
}

// Forged begins the line that a hostile text tries to add to the output of a command.
const Forged = "FORGED"

// HostileText is a name that attacks programs that print it. It has escape sequences that clear a terminal or set its
// clipboard, C1 controls as characters and as bytes, controls that overwrite previous text, a line feed, bidirectional
// and zero-width characters, and invalid UTF-8.
const HostileText = "\x1b[2J\x1b]52;c;QUFB\x07\x1b]8;;http://x\x1b\\\u009b31m\x9b31m\r\b\x7f\v\f\n" + Forged +
	" sound\n\u202eevil\u202c\u2066\u200b\ufeff\u00ad\u2028\U000e0041\xff\xc0\x80\xed\xa0\x80\tend"

// Hostile returns an archive of each domain in which all names contain HostileText.
func Hostile() []Specimen { return HostileWith(HostileText) }

// HostileWith returns an archive of each domain in which each name contains one of texts. Long names repeat the first.
func HostileWith(texts ...string) (all []Specimen) {
	for _, d := range []layout.Domain{layout.DomainHotSpot, layout.DomainLLVMIR, layout.DomainLLVMFrontend,
		layout.DomainGraal, layout.DomainJamaica, layout.DomainSampled} {
		s := edited("hostile/"+d.String(), d, func(text string) string { return fillNames(text, texts) })
		s.Name = "hostile-" + d.String()
		all = append(all, s)
	}
	return all
}

type errorReporter interface {
	Helper()
	Errorf(format string, args ...any)
}

// CheckEscaped reports an error if a printed text has characters that must be escaped.
func CheckEscaped(t errorReporter, what, text string) {
	t.Helper()
	if at := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && escape.Unsafe(r) }); at >= 0 ||
		!utf8.ValidString(text) {
		t.Errorf("%s: prints %q", what, text[max(at-40, 0):min(at+40, len(text))])
	}
}

// CheckPrinted is like CheckEscaped. It also reports an error if HostileText added a line.
func CheckPrinted(t errorReporter, what, text string) {
	t.Helper()
	CheckEscaped(t, what, text)
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), Forged) {
			t.Errorf("%s: a text forged the line %q", what, line)
		}
	}
}

// namePlace is the place of a name in a text. Places with equal numbers have the same name, and ~~ marks a long one.
var namePlace = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`~+[0-9]+`) })

// fillNames puts different names with texts into the places of a text.
func fillNames(text string, texts []string) string {
	return namePlace().ReplaceAllStringFunc(text, func(place string) string {
		n, _ := strconv.Atoi(strings.Trim(place, "~")) // the place has digits
		name := fmt.Sprintf("n%d%s", n, texts[n%len(texts)])
		if strings.HasPrefix(place, "~~") {
			name += strings.Repeat(texts[0], 200)
		}
		var quoted strings.Builder
		for i := range len(name) {
			fmt.Fprintf(&quoted, `\x%02x`, name[i])
		}
		return quoted.String()
	})
}

// Names with any digits of a method of class A, and of a type. The digits do not change the id.
const (
	CrowdedMethod = "lzGdzWDmUzMfvwAp%08dJblVUhwsZZZZZZZZ"
	CrowdedType   = "KPbQkzSZZJNpoVZn%08dupiQXEqDZZZZZZZZ"
)

// newCrowded has 330 methods of one id, and types of another. Most have no slot in the index.
func newCrowded() *builder.Builder {
	params := layout.Params{TypeProfileWidth: 2, BciProfileWidth: 2, ReceiverGap: 1, TypeProfileLevel: 111, VMRelease: 17,
		ProfileTraps: 1}
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: params, Producer: "Example VM 1"})
	for i := range 330 {
		p := b.Profile(layout.Key{Class: "A", Name: fmt.Sprintf(CrowdedMethod, i), Signature: "()V"}, 7)
		of := b.Type(builder.TypeKey{Name: fmt.Sprintf(CrowdedType, i)})
		p.ReceiverType(builder.At{Bci: 3}, builder.Others{}, builder.Row{Type: of, Count: uint64(i)})
		_ = p.Done() // the builder keeps an error until it writes the archive
	}
	for i := range 10 {
		b.Method(layout.Key{Class: "B", Name: fmt.Sprint("m", i)})
	}
	return b
}
