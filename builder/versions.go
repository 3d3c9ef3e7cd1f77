package builder

import (
	"cmp"
	"fmt"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// A Versions says which versions of a method's code keep their profiles.
type Versions int

// The choices. Profiles of different versions are never summed.
const (
	AllVersions     Versions = iota
	NewestVersion            // the one with the newest dump
	HeaviestVersion          // the one that was counted most
)

var versionNames = [...]string{"all", "newest", "heaviest"}

func (v Versions) String() string {
	if v < 0 || int(v) >= len(versionNames) {
		return fmt.Sprintf("versions %d", int(v))
	}
	return versionNames[v]
}

// ParseVersions reads all, newest or heaviest.
func ParseVersions(text string) (Versions, error) {
	for i, name := range versionNames {
		if text == name {
			return Versions(i), nil
		}
	}
	return 0, fmt.Errorf("versions %q: it is one of all, newest, heaviest", text)
}

// KeepVersions lets go of the profiles of other versions of the code of methods
// that have several, in all contexts. Of versions that are alike in what is
// asked for, the one with the higher code id stays. It gives the number of
// methods with several versions, and of the profiles that went.
func (b *Builder) KeepVersions(v Versions) (methods, dropped int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.withoutBatch() != nil || b.unfinished() != nil {
		return 0, 0 // Commit will say so
	}
	best := make([]version, b.methods.len())
	several := map[MethodRef]bool{}
	worth := b.versionWorth(v)
	for _, d := range b.profiles.all {
		this := version{worth[profileKey{method: d.method, code: d.code}], d.code, true}
		have := &best[d.method-1]
		if have.known && have.code != d.code {
			several[d.method] = true
		}
		if !have.known || this.compare(*have) > 0 {
			*have = this
		}
	}
	if v == AllVersions {
		return len(several), 0
	}
	return len(several), b.keepProfiles(func(d *profileData) bool { return best[d.method-1].code == d.code })
}

type version struct {
	worth uint64
	code  uint64
	known bool
}

func (v version) compare(w version) int {
	return cmp.Or(cmp.Compare(v.worth, w.worth), cmp.Compare(v.code, w.code))
}

// versionWorth is how new, or how heavy, each version of each method is.
func (b *Builder) versionWorth(v Versions) map[profileKey]uint64 {
	worth := map[profileKey]uint64{}
	for ref, d := range b.profiles.all {
		key := profileKey{method: d.method, code: d.code}
		switch v {
		case NewestVersion:
			worth[key] = max(worth[key], uint64(d.time))
		case HeaviestVersion:
			worth[key] = disk.SaturatingAdd(worth[key], b.weight(ProfileRef(ref)))
		}
	}
	return worth
}

// weight is the sum of all that a profile has counted.
func (b *Builder) weight(ref ProfileRef) (sum uint64) {
	block := b.block(ref)
	if f := block.Field(disk.HasInvocations); f != nil {
		sum = le.Uint64(f)
	}
	eachEntryOf(b.shape, block.Section(layout.SectionData), func(e disk.Entry) {
		for cell := range b.shape.Counts(e) {
			if n := e.Cell(cell); cell > 0 || !e.SignedCount() || int64(n) > 0 {
				sum = disk.SaturatingAdd(sum, n)
			}
		}
	})
	return sum
}

// keepProfiles lets go of all other profiles, and of the source order.
func (b *Builder) keepProfiles(keep func(d *profileData) bool) (dropped int) {
	all := b.profiles
	b.profiles, b.versions = list[profileData]{}, map[profileKey]ProfileRef{}
	for _, m := range b.methods.all {
		m.first = 0
	}
	for _, c := range b.contexts.all {
		c.first = 0
	}
	b.dropSourceOrder()
	b.ordered = noOrder
	for _, d := range all.all {
		if !keep(d) {
			dropped++
			b.blocks.free(d.block)
			continue
		}
		*b.profiles.at(uint32(b.addProfile(d.profileKey))) = *d
	}
	b.keepCode()
	return dropped
}
