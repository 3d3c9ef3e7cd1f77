// Package specimen has small deterministic archives of each domain for tests. Together they contain all kinds of
// entries, optional fields, sections, tables, columns and flags of the format. Each archive has a few KiB.
package specimen

import (
	"embed"
	"fmt"
	"strings"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/text"
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
