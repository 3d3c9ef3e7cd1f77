package bench

import (
	"runtime"
	"time"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/reader"
)

// adoptRounds is the most rounds of each kind of adoption.
const adoptRounds = 25

// An adoptionTime is the time of one adoption.
type adoptionTime struct {
	adopt, claims time.Duration
	state         reader.Adoption
}

// adoption measures adopting at the requested base and elsewhere, and claiming
// all profiles.
func (b *bench) adoption() error {
	for _, kind := range []struct {
		name    string
		options reader.AdoptOptions
	}{
		{"adopt at the requested base", reader.AdoptOptions{Base: archive.BaseRequested}},
		{"adopt elsewhere, lazy", reader.AdoptOptions{Base: archive.BaseAnywhere}},
		{"adopt elsewhere, eager", reader.AdoptOptions{Base: archive.BaseAnywhere, Eager: true}},
	} {
		if err := b.adoptRounds(kind.name, kind.options); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) adoptRounds(name string, o reader.AdoptOptions) error {
	var adopts, claims, pointers samples
	for end := time.Now().Add(b.time / 3); len(adopts) == 0 || len(adopts) < adoptRounds && time.Now().Before(end); {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		t, profiles, err := b.adoptOnce(o)
		if err != nil {
			return err
		}
		if o.Base == archive.BaseRequested && !t.state.AtRequested {
			name = "adopt (the requested base is taken)"
		}
		adopts = append(adopts, float64(t.adopt))
		if profiles > 0 {
			claims = append(claims, float64(t.claims)/float64(profiles))
		}
		if o.Eager && t.state.Relocated > 0 {
			pointers = append(pointers, float64(t.adopt)/float64(t.state.Relocated))
		}
		runtime.GC() // unmaps the archive, so that its base is free
		runtime.GC()
	}
	b.add(adopts.result(name))
	if len(claims) > 0 {
		b.add(claims.result("  claim a profile, mean of all"))
	}
	if len(pointers) > 0 {
		b.add(pointers.result("  a pointer, eager"))
	}
	return nil
}

// adoptOnce opens the archive, adopts it, and claims all profiles.
func (b *bench) adoptOnce(o reader.AdoptOptions) (t adoptionTime, profiles int, err error) {
	err = b.a.WithStore(b.ctx, b.path, func(s *reader.Store) error {
		all, err := app.AllProfiles(s)
		if err != nil {
			return err
		}
		begin := time.Now()
		if err := s.Adopt(o); err != nil {
			return err
		}
		t.adopt = time.Since(begin)
		begin = time.Now()
		for _, p := range all {
			if _, err := p.Adopt(); err != nil {
				return err
			}
		}
		t.claims = time.Since(begin)
		t.state, _ = s.Adoption()
		profiles = len(all)
		return nil
	})
	return t, profiles, err
}
