package dump

import (
	"fmt"

	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/hotspot/live"
	"github.com/profarc/profarc/internal/names/escape"
)

// An Adopted reports which profiles a JVM had adopted, and whether the dump keeps them.
type Adopted struct {
	Archive  string `json:"archive"` // dump id of the archive
	Base     string `json:"base,omitempty"`
	Profiles int    `json:"profiles"`
	Unused   int    `json:"unused"`
	Kept     bool   `json:"kept"`
}

// NewAdopted returns nil for a JVM that adopted nothing.
func NewAdopted(a *live.Adopted) *Adopted {
	if a == nil {
		return nil
	}
	r := &Adopted{Archive: fmt.Sprintf("%x", a.Archive), Profiles: a.Profiles, Unused: a.Unused, Kept: a.Kept}
	if a.Base != ([16]byte{}) {
		r.Base = fmt.Sprintf("%x", a.Base)
	}
	return r
}

func (r *Adopted) String() string {
	profiles := cli.Amount(r.Profiles, "profile")
	adopted := fmt.Sprintf("%s had adopted counts of the archive with dump id %s", profiles, escape.Printable(r.Archive))
	if r.Kept {
		return adopted + ", and has them still: look at it, and do not merge it"
	}
	return fmt.Sprintf("%s, which are left out; so are %d that the JVM did not use", adopted, r.Unused)
}
