// Package specimen has small archives, built by hand, for tests: at least one of every
// domain. Together they have every kind of entry, optional field, section, table, column
// and flag of the format. Each has a few KiB, and the same bytes every time.
package specimen

import (
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
)

// A Specimen is one archive.
type Specimen struct {
	Name   string
	Domain layout.Domain
	// Build returns a builder of the archive.
	Build func() *builder.Builder
}

// All returns all specimens. Their names are unique.
func All() []Specimen {
	return []Specimen{
		{"hotspot", layout.DomainHotSpot, hotspot},
		{"hotspot-empty", layout.DomainHotSpot, hotspotEmpty},
		{"llvm-ir", layout.DomainLLVMIR, llvmIR},
		{"llvm-frontend", layout.DomainLLVMFrontend, llvmFrontend},
		{"graal", layout.DomainGraal, graal},
		{"jamaica", layout.DomainJamaica, jamaica},
		{"hotspot-run", layout.DomainHotSpot, hotspotRun},
		{"custom", layout.DomainCustom, custom},
		{"sampled", layout.DomainSampled, sampled},
	}
}

// Bytes returns the bytes of the archive.
func (s Specimen) Bytes() ([]byte, error) {
	b := s.Build()
	data, _, err := b.Bytes()
	return data, err
}

// done calls Done. The builder keeps an error until the archive is made.
func done(profiles ...*builder.Profile) {
	for _, p := range profiles {
		_ = p.Done()
	}
}

// fingerprint returns 16 bytes that begin with a name.
func fingerprint(name string) (f [16]byte) {
	copy(f[:], name)
	return f
}
