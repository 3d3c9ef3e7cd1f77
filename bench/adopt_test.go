package bench

import (
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/reader"
)

// BenchmarkAdopt is what adopting costs: at the requested base nothing is
// relocated; elsewhere each profile is when it is claimed, or all at once.
func BenchmarkAdopt(b *testing.B) {
	path, err := Archive(dir(b), Small)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("requested", func(b *testing.B) { adopt(b, path, reader.AdoptOptions{}) })
	b.Run("anywhere/lazy", func(b *testing.B) { adopt(b, path, reader.AdoptOptions{Base: archive.Anywhere}) })
	b.Run("anywhere/eager", func(b *testing.B) { adopt(b, path, reader.AdoptOptions{Base: archive.Anywhere, Eager: true}) })
}

// adopt opens, adopts, claims one profile and counts in it.
func adopt(b *testing.B, path string, o reader.AdoptOptions) {
	for n := 0; b.Loop(); n++ {
		s, err := reader.Open(path, archive.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Adopt(o); err != nil {
			b.Fatal(err)
		}
		claim(b, s, n%Small.Methods)
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func claim(b *testing.B, s *reader.Store, method int) {
	m, err := s.Find(Key(method))
	if err != nil {
		b.Fatal(err)
	}
	p, _, err := m.Profile(reader.AnyCode)
	if err != nil {
		b.Fatal(err)
	}
	if p, err = p.Adopt(); err != nil {
		b.Fatal(err)
	}
	c, _ := p.Invocations()
	if err := c.Add(1); err != nil || c.Load() != c.Trained()+1 {
		b.Fatal("not counted", err)
	}
}

// BenchmarkClaimAll claims every profile elsewhere than at the requested base,
// which relocates each: the cost of a whole start that uses everything.
func BenchmarkClaimAll(b *testing.B) {
	path, err := Archive(dir(b), Small)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s, err := reader.Open(path, archive.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Adopt(reader.AdoptOptions{Base: archive.Anywhere}); err != nil {
			b.Fatal(err)
		}
		for i := range Small.Methods {
			claim(b, s, i)
		}
		a, _ := s.Adoption()
		b.ReportMetric(float64(a.Relocated), "pointers/op")
		s.Close()
	}
}
