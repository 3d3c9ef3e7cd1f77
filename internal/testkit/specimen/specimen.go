// Package specimen has small deterministic archives of each domain for tests. Together they contain all kinds of
// entries, optional fields, sections, tables, columns and flags of the format. Each archive has a few KiB.
package specimen

import (
	"github.com/profarc/profarc/builder"
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
		{"hotspot", layout.DomainHotSpot, newHotSpot},
		{"hotspot-empty", layout.DomainHotSpot, newHotSpotEmpty},
		{"llvm-ir", layout.DomainLLVMIR, newLLVMIR},
		{"llvm-frontend", layout.DomainLLVMFrontend, newLLVMFrontend},
		{"graal", layout.DomainGraal, newGraal},
		{"jamaica", layout.DomainJamaica, newJamaica},
		{"hotspot-run", layout.DomainHotSpot, newHotSpotRun},
		{"custom", layout.DomainCustom, newCustom},
		{"sampled", layout.DomainSampled, newSampled},
	}
}

// Bytes returns the bytes of the archive.
func (s Specimen) Bytes() ([]byte, error) {
	b := s.Build()
	data, _, err := b.Bytes()
	return data, err
}

// finishProfiles calls Done. The builder keeps an error until it writes the archive.
func finishProfiles(profiles ...*builder.Profile) {
	for _, p := range profiles {
		_ = p.Done()
	}
}

// fingerprint returns 16 bytes that begin with a name.
func fingerprint(name string) (f [16]byte) {
	copy(f[:], name)
	return f
}
