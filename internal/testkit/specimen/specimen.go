// Package specimen has small deterministic archives of each domain for tests. Together they contain all kinds of
// entries, optional fields, sections, tables, columns and flags of the format. Each archive has a few KiB.
package specimen

import (
	"time"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
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

// newHotSpotRun has one profile, the description of its run, and the description of a base archive.
func newHotSpotRun() *builder.Builder {
	run := &layout.Provenance{
		Process: layout.Process{Boot: fingerprint("boot"), Namespace: 4026531836, PID: 4711, Start: 123456},
		Begun:   time.Unix(1699999990, 0), Exit: disk.ExitCode(3),
		VM: "OpenJDK 64-Bit Server VM (17.0.15+6) for linux-amd64 JRE (17.0.15+6)", Vendor: "Some Vendor",
		Main: "shapes.Main", Command: "java -cp shapes.jar:classes -Ddb.password=*** shapes.Main", Options: "-Xmx64m",
		ClassPath: []layout.ClassPathEntry{
			{Path: "shapes.jar", Content: layout.Content{Kind: disk.ContentFile, Size: 1234, Sum: 0xfeedface12345678}},
			{Path: "classes", Content: layout.Content{Kind: disk.ContentDirectory, Size: 99, Sum: 1}},
			{Path: "none.jar"},
		},
	}
	b := builder.New(layout.DomainHotSpot, builder.Config{
		Params: hotspotParams(), Producer: "OpenJDK 17.0.15+6", DumpTime: time.Unix(1700000000, 123456789), Run: run,
	})
	p := b.Profile(layout.Key{Class: "shapes/Main", Name: "main", Signature: "([Ljava/lang/String;)V", Loader: "app"}, 7)
	p.Invocations(1)
	finishProfiles(p)
	b.Internal().ExpectBase(layout.BaseArchive{DumpID: fingerprint("base"), Sum: 0xba5e, Time: time.Unix(1600000000, 0),
		Producer: "OpenJDK 17.0.15+6"})
	return b
}
