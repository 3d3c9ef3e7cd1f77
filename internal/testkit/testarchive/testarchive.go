// Package testarchive builds, merges and randomly generates archives in memory for tests.
package testarchive

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// TB is implemented by *testing.T, *testing.B and *rapid.T.
type TB interface {
	rapid.TB
	Context() context.Context
}

// An Archive is an open archive with its bytes.
type Archive struct {
	*reader.Store
	Bytes []byte
}

// Invocations returns the total of all invocation counters.
func (a Archive) Invocations() uint64 { return a.Header().Summary.TotalInvocations }

// Build returns the archive of a builder.
func Build(t TB, b *builder.Builder) Archive {
	t.Helper()
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return Archive{Open(t, data), data}
}

// Open opens the archive data.
func Open(t TB, data []byte) *reader.Store {
	t.Helper()
	m, err := archive.FromBytes("test.parc", data, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return reader.New(m)
}

// Domains lists all domains.
var Domains = []layout.Domain{layout.DomainHotSpot, layout.DomainLLVMIR, layout.DomainLLVMFrontend, layout.DomainGraal,
	layout.DomainJamaica, layout.DomainCustom, layout.DomainSampled}

// Params returns settings for entries of all kinds of a domain.
func Params(domain layout.Domain) layout.Params {
	if domain != layout.DomainHotSpot {
		return layout.Params{}
	}
	return layout.Params{TypeProfileWidth: 2, BciProfileWidth: 2, ReceiverGap: 1}
}

// New returns an empty builder with the settings of Params.
func New(domain layout.Domain) *builder.Builder { return builder.New(domain, Config(domain)) }

// Config returns a configuration for entries of all kinds of a domain.
func Config(domain layout.Domain) builder.Config {
	c := builder.Config{Params: Params(domain)}
	if domain == layout.DomainCustom {
		c.ProducerID = [16]byte{1, 2, 3}
	}
	return c
}

// MustDone calls Done for all profiles.
func MustDone(t TB, profiles ...*builder.Profile) {
	t.Helper()
	for _, p := range profiles {
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
}

// RecordAs calls record while b accepts the entries of domain d. It makes archives that no builder writes.
func RecordAs(b *builder.Builder, d layout.Domain, record func()) {
	set := b.Internal()
	was := set.Domain
	set.Domain = d
	defer func() { set.Domain = was }()
	record()
}

// EachSpecimen calls check for each specimen in a parallel subtest.
func EachSpecimen(t *testing.T, check func(t *testing.T, s Archive)) {
	t.Helper()
	for _, sp := range specimen.All() {
		t.Run(sp.Name, func(t *testing.T) {
			t.Parallel()
			check(t, Build(t, sp.Build()))
		})
	}
}

// Merge merges archives.
func Merge(t TB, archives ...Archive) Archive {
	t.Helper()
	h := archives[0].Header()
	b := builder.New(h.Domain, builder.Config{Params: h.Params})
	for _, s := range archives {
		if err := merge.Into(t.Context(), b, s.Store, merge.Run{}); err != nil {
			t.Fatal(err)
		}
	}
	return Build(t, b)
}

// CheckEqual reports an error unless got equals want.
func CheckEqual[V comparable](t rapid.TB, what string, got, want V) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}
