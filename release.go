package profarc

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// Release tells the run that the VM will not use the function any more, for instance because a closure or the code of
// an eval is gone. The run keeps the counts in compact form, for the next dump. They continue if the VM asks for the
// same key and code again. Counting in a word of a released function is safe, but these counts are lost. Functions with
// the same key and code are one Function, so release it when the last of them is gone.
//
// Of the released functions with one key that the archive lacks, a run keeps at least the heaviest VM.Versions. After a
// checkpoint it forgets the counts that are written.
func (f *Function) Release() {
	r := f.run
	r.mu.Lock()
	if r.functions[f.version] == f && !f.released {
		f.released = true
		r.leaving = append(r.leaving, f)
	}
	r.mu.Unlock()
	if r.dumping.TryLock() { // otherwise the dump compacts it at its end
		r.compactReleased()
		r.dumping.Unlock()
	}
}

// compactReleased replaces released functions by their encoded counts. The caller holds dumping.
func (r *Run) compactReleased() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.leaving {
		if f.released && r.functions[f.version] == f {
			delete(r.functions, f.version)
			if r.form != increments || f.profile.Valid() || f.blocks.hasCounted() {
				r.addReleased(f)
			}
			f.sites = nil
			f.blocks = nil
			r.blocks[f.number] = nil
			f.number = -1
			r.gone++
		}
	}
	r.leaving = nil
	if 2*r.gone > len(r.order) {
		all := r.order
		r.order = nil
		r.blocks = nil
		r.gone = 0
		for _, f := range all {
			if f.number >= 0 {
				r.enlist(f)
			}
		}
	}
}

// mostReleased is the number of released versions of one key beyond which light ones are dropped.
const mostReleased = 64

func (r *Run) addReleased(f *Function) {
	key := appendKey(nil, f.key)
	versions := append(splitVersions(r.released[string(key)]), f.encode())
	if len(versions) > max(mostReleased, r.vm.Versions) && f.bad == nil {
		versions = r.dropLightest(f.key, versions)
	}
	r.setReleased(key, versions)
}

// setReleased replaces the versions of a key. The key in the map shares the memory of the versions.
func (r *Run) setReleased(key []byte, versions [][]byte) {
	delete(r.released, string(key))
	if len(versions) == 0 {
		return
	}
	all := slices.Clone(key)
	for _, v := range versions {
		all = append(binary.AppendUvarint(all, uint64(len(v))), v...)
	}
	text := string(all)
	r.released[text[:len(key)]] = text[len(key):]
}

// takeReleased continues the counts of a released function. It returns false if there are none. The caller holds mu.
func (r *Run) takeReleased(f *Function) bool {
	if len(r.released) == 0 {
		return false
	}
	key := appendKey(nil, f.key)
	versions := splitVersions(r.released[string(key)])
	at := slices.IndexFunc(versions, func(v []byte) bool { return codeOf(v) == f.code })
	if at < 0 {
		return false
	}
	f.decode(versions[at])
	for b := f.blocks; b != nil && r.continued != nil; b = b.next {
		r.continued[b] = b.load()
	}
	r.setReleased(key, slices.Delete(versions, at, at+1))
	return true
}

// dropLightest drops the version with the fewest counts of those that the archive lacks, and adds them to r.pruned.
func (r *Run) dropLightest(key layout.Key, versions [][]byte) [][]byte {
	lightest := -1
	least := uint64(math.MaxUint64)
	for i, v := range versions {
		rest := parser(v[8:])
		weight := rest.takeNumber()
		if weight < least || weight == least && lightest >= 0 && codeOf(v) < codeOf(versions[lightest]) {
			lightest = i
			least = weight
		}
	}
	if lightest < 0 {
		return versions
	}
	f := r.decodeFunction(key, versions[lightest])
	read := map[*wordBlock][]uint64{}
	f.readBlocks(read)
	r.pruned.addName(nameOf(key))
	r.pruned.counts.AddAll(totalsOf(f.sites, read))
	return slices.Delete(versions, lightest, lightest+1)
}

func codeOf(version []byte) uint64 { return binary.LittleEndian.Uint64(version) }

// appendKey appends a key as lengths and texts.
func appendKey(b []byte, k layout.Key) []byte {
	for _, text := range []string{k.Class, k.Loader, k.Name, k.Signature} {
		b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
	}
	return b
}

func parseKey(text string) layout.Key {
	rest := parser(text)
	return layout.Key{Class: rest.takeText(), Loader: rest.takeText(), Name: rest.takeText(), Signature: rest.takeText()}
}

// splitVersions returns the encoded versions of a key.
func splitVersions(text string) (versions [][]byte) {
	for rest := parser(text); len(rest) > 0; {
		versions = append(versions, []byte(rest.takeText()))
	}
	return versions
}

// encode returns the function's code, weight, notes and counts since the last checkpoint. The weight is the highest one
// if the archive has the function. The caller holds mu.
func (f *Function) encode() []byte {
	read := map[*wordBlock][]uint64{}
	f.readBlocks(read)
	weight := uint64(math.MaxUint64)
	if !f.profile.Valid() {
		weight = 0
		for u, n := range totalsOf(f.sites, read) {
			if u != ledger.Backedges {
				weight += n
			}
		}
	}
	b := binary.LittleEndian.AppendUint64(nil, f.code)
	b = binary.AppendUvarint(b, weight)
	b = binary.AppendUvarint(b, f.first)
	b = binary.AppendUvarint(b, increment(false, f.noted.called)|increment(false, f.noted.changed)<<1)
	for s := f.sites; s != nil; s = s.next {
		for _, n := range []uint64{uint64(uint32(s.at.point)), uint64(s.at.tag), uint64(s.at.sub), uint64(len(s.words)),
			uint64(len(s.types))} {
			b = binary.AppendUvarint(b, n)
		}
		for _, n := range s.countsOf(read) {
			b = binary.AppendUvarint(b, n)
		}
		for i := range s.types {
			class := uint64(0)
			if t := s.types[i].Load(); t != nil {
				class = t.class
			}
			b = binary.AppendUvarint(b, class)
		}
	}
	return b
}

// decode sets the notes and counts of a new function. The caller holds mu.
func (f *Function) decode(encoded []byte) {
	rest := parser(encoded[8:])
	rest.takeNumber() // the weight
	f.first = rest.takeNumber()
	noted := rest.takeNumber()
	f.noted = notes{called: noted&1 != 0, changed: noted&2 != 0}
	for len(rest) > 0 {
		at := place{int32(rest.takeNumber()), layout.Tag(rest.takeNumber()), layout.Sub(rest.takeNumber())}
		var kinds []layout.CellShape
		if disk.TagByProducer(at.tag) {
			kinds = f.run.shapeOf(at.tag).Cells
		}
		words := int(rest.takeNumber())
		s := f.newSite(at, words, int(rest.takeNumber()), kinds)
		for i := range s.words {
			s.words[i].Count(rest.takeNumber())
		}
		for i := range s.types {
			if class := rest.takeNumber(); class != 0 {
				s.types[i].Store(f.run.bound[class-1])
			}
		}
	}
}

// decodeFunction returns a function that is not one of the run's. The caller holds mu.
func (r *Run) decodeFunction(key layout.Key, encoded []byte) *Function {
	f := r.newFunction(version{key, codeOf(encoded)})
	f.decode(encoded)
	return f
}

// newFunction returns a function without counts of its own.
func (r *Run) newFunction(v version) *Function {
	f := &Function{run: r, number: -1, version: v, bad: profileset.CheckKey(v.key)}
	f.claim()
	return f
}

// A parser is the rest of an encoded text.
type parser string

func (p *parser) takeNumber() uint64 {
	var b [binary.MaxVarintLen64]byte
	n, size := binary.Uvarint(b[:copy(b[:], *p)])
	*p = (*p)[size:]
	return n
}

func (p *parser) takeText() string {
	size := p.takeNumber()
	text := (*p)[:size]
	*p = (*p)[size:]
	return string(text)
}
