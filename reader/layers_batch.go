package reader

import (
	"sync"

	"github.com/profarc/profarc/layout"
)

// ProfileBatch is like [Store.ProfileBatch] in layers: each lookup is answered as by [Layers.Profile].
func (l *Layers) ProfileBatch(keys []layout.Key, codes []uint64, found []Profile) (hits int, err error) {
	return l.inParts(keys, nil, codes, found)
}

// ProfileIDBatch is like ProfileBatch, but by ids.
func (l *Layers) ProfileIDBatch(ids, codes []uint64, found []Profile) (hits int, err error) {
	return l.inParts(nil, ids, codes, found)
}

// A part is lookups that are under way at once, and that no layer has answered so far. They
// are by keys or by ids.
type part struct {
	byKey, coded bool // coded: not all of them ask for layout.CodeAny
	n            int
	at           [batchSize]int // where the answers go
	keys         [batchSize]layout.Key
	ids          [batchSize]uint64
	codes        [batchSize]uint64
	found        [batchSize]Profile
}

var parts = sync.Pool{New: func() any { return new(part) }}

// inParts answers lookups by keys or by ids.
func (l *Layers) inParts(keys []layout.Key, ids, codes []uint64, found []Profile) (hits int, err error) {
	n := len(keys) + len(ids)
	if n != len(found) || codes != nil && len(codes) != n {
		panic("reader: a batch of look-ups with another number of answers, or of code ids")
	}
	p := parts.Get().(*part)
	defer p.release()
	for from := 0; from < n; from += batchSize {
		to := min(n, from+batchSize)
		*p = part{byKey: keys != nil, coded: codes != nil, n: to - from}
		if p.byKey {
			copy(p.keys[:], keys[from:to])
		} else {
			copy(p.ids[:], ids[from:to])
		}
		if p.coded {
			copy(p.codes[:], codes[from:to])
		}
		some, err := l.answer(p, found[from:to])
		if hits += some; err != nil {
			return hits, err
		}
	}
	return hits, nil
}

// release puts the part back without the texts and archives that it leads to.
func (p *part) release() {
	*p = part{}
	parts.Put(p)
}

// answer answers the lookups of a part, in one layer after the other.
func (l *Layers) answer(p *part, found []Profile) (hits int, err error) {
	clear(found)
	for i := range p.n {
		p.at[i] = i
	}
	for _, s := range l.stores {
		some, err := p.ask(s)
		if hits += some; err != nil {
			return hits, err
		}
		if err := p.settle(s, found); err != nil || p.n == 0 {
			return hits, err
		}
	}
	return hits, nil
}

func (p *part) ask(s *Store) (hits int, err error) {
	var codes []uint64
	if p.coded {
		codes = p.codes[:p.n]
	}
	if p.byKey {
		return s.ProfileBatch(p.keys[:p.n], codes, p.found[:p.n])
	}
	return s.ProfileIDBatch(p.ids[:p.n], codes, p.found[:p.n])
}

// settle takes the answers of a layer, and keeps the lookups that it passes on to the next
// one. To be ambiguous is an answer, of the zero Profile.
func (p *part) settle(s *Store, found []Profile) error {
	left := 0
	for i := range p.n {
		if p.found[i].s != nil {
			found[p.at[i]] = p.found[i]
			continue
		}
		passed, err := p.passedOn(s, i)
		if err != nil {
			return err
		}
		if passed {
			p.at[left], p.keys[left], p.ids[left], p.codes[left] = p.at[i], p.keys[i], p.ids[i], p.codes[i]
			left++
		}
	}
	p.n = left
	return nil
}

// passedOn repeats a failed look-up in a layer, for its error.
func (p *part) passedOn(s *Store, i int) (passed bool, err error) {
	var k *layout.Key
	id, code := p.ids[i], uint64(layout.CodeAny)
	if p.coded {
		code = p.codes[i]
	}
	if p.byKey {
		k = &p.keys[i]
		id = k.ID(s.h.Domain)
		_, err = s.findProfile(id, k, code)
	} else {
		_, err = s.ProfileID(id, code)
	}
	passed = s.passesOn(id, k, code, &err)
	if err == ErrNotFound || err == ErrAmbiguous {
		err = nil
	}
	return passed, err
}
