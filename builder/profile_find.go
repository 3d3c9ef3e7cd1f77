package builder

import (
	"github.com/profarc/profarc/internal/disk"
)

// Nearly every method has one profile in one context: that one is found from
// the method or the context. Others, of other versions of the code, are found
// in a map.

// first is the first profile of the key's method and context.
func (b *Builder) first(key profileKey) *ProfileRef {
	if key.context == NoContext {
		return &b.methods.at(uint32(key.method)).first
	}
	return &b.contexts.at(uint32(key.context)).first
}

// findProfile gives the profile with a key, 0 if there is none.
func (b *Builder) findProfile(key profileKey) ProfileRef {
	first := *b.first(key)
	if first == 0 || b.profiles.at(uint32(first)).code == key.code {
		return first
	}
	return b.versions[key]
}

// block is a finished profile's block.
func (b *Builder) block(ref ProfileRef) disk.Block {
	return b.blocks.at(b.profiles.at(uint32(ref)).block)
}

// claim gives the profile with a key to a run, and makes it if it is new; ok is
// false if the run has given it before.
func (b *Builder) claim(key profileKey, run *runData) (ref ProfileRef, ok bool) {
	if ref = b.findProfile(key); ref == 0 {
		ref = b.addProfile(key)
	}
	d := b.profiles.at(uint32(ref))
	if d.run == run.number {
		return ref, false
	}
	b.changesProfile(ref)
	d.run, d.time = run.number, max(d.time, run.time)
	return ref, true
}

// addProfile makes a profile with a key that has none.
func (b *Builder) addProfile(key profileKey) ProfileRef {
	ref := ProfileRef(b.profiles.add(profileData{profileKey: key}))
	if first := b.first(key); *first == 0 {
		*first = ref
	} else {
		b.versions[key] = ref
	}
	return ref
}
