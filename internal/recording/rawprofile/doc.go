// Package rawprofile adds to a builder what only readers of other formats know and no embedder writes: the entries of
// HotSpot that stand outside the data section, the optional fields of its MethodData, and the insides of the set of
// profiles.
package rawprofile

import (
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/recording/profileset"
)

// Set returns the profiles of a builder.
func Set(b *builder.Builder) *profileset.Set { return profileset.Of((*profileset.Face)(b)) }

// A Profile records a profile with everything that HotSpot's can have.
type Profile struct{ *builder.Profile }

// In returns what records further parts of a profile.
func In(p *builder.Profile) Profile { return Profile{p} }

func (p Profile) rec() *profileset.Recording { return (*profileset.Recording)(p.Profile) }
