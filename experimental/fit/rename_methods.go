package fit

import (
	"errors"
	"maps"
	"slices"

	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// matchMentioned finds the new names of classes that profiles only mention in descriptors of otherwise equal methods.
func (r *renamer) matchMentioned() error {
	votes := map[string]map[string]int{} // bytes of code by old name and new name
	vote := func(m *lostMethod, class string) {
		for _, d := range r.declared(class, m.key.Loader)[m.key.Name] {
			if m.sizeOfCode(d.ID) == 0 {
				continue
			}
			pairs, _ := r.absentClasses(m.key.Signature, d.Signature)
			for _, p := range pairs {
				if votes[p[0]] == nil {
					votes[p[0]] = map[string]int{}
				}
				votes[p[0]][p[1]] += d.Size
			}
		}
	}
	for i := range r.orphans {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		vote(&r.orphans[i], r.orphans[i].key.Class)
	}
	for _, c := range r.lost {
		if to, ok := r.classes[c.name]; ok {
			for i := range c.methods {
				vote(&c.methods[i], to)
			}
		}
	}
	claimed := map[string]bool{}
	for _, to := range r.classes {
		claimed[to] = true
	}
	for _, old := range slices.Sorted(maps.Keys(votes)) {
		r.renameMentioned(old, votes[old], claimed)
	}
	return r.ctx.Err()
}

// renameMentioned renames a class if all votes are for one new name.
func (r *renamer) renameMentioned(old string, votes map[string]int, claimed map[string]bool) {
	if _, known := r.classes[old]; known || len(votes) != 1 {
		return
	}
	for now, bytes := range votes {
		is, sure := r.mayBeNew(layout.Key{Class: now})
		if is && bytes >= minEvidence(sure) && !claimed[now] && !r.isAbsent(now) {
			claimed[now] = true
			r.classes[old] = now
			r.list = append(r.list, Rename{From: layout.Key{Class: old}, To: layout.Key{Class: now}})
		}
	}
}

func (r *renamer) matchMethods() error {
	byClass := map[string]int{} // index of the rename by old class
	for i, one := range r.list {
		byClass[one.From.Class] = i
	}
	missing := map[[2]string][]lostMethod{} // lost methods by new class name and loader
	place := func(m lostMethod, by int) error {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		k, found, err := r.mapLostKey(m.key)
		switch {
		case err != nil || k == m.key && found:
		case found:
			r.methods[m.method.Ref()] = renamed{k, by}
		default:
			of := [2]string{k.Class, k.Loader}
			missing[of] = append(missing[of], m)
		}
		return err
	}
	for _, m := range r.orphans {
		if err := place(m, -1); err != nil {
			return err
		}
	}
	for _, c := range r.lost {
		if _, ok := r.classes[c.name]; !ok {
			continue
		}
		for _, m := range c.methods {
			if err := place(m, byClass[c.name]); err != nil {
				return err
			}
		}
	}
	for _, of := range slices.SortedFunc(maps.Keys(missing),
		func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		if err := r.matchByCode(of[0], missing[of]); err != nil {
			return err
		}
	}
	return nil
}

// mapLostKey returns the key of a lost method with the new names of its classes. found reports whether the program has
// that method, or exactly one whose descriptor differs only in classes that the program lacks.
func (r *renamer) mapLostKey(k layout.Key) (now layout.Key, found bool, err error) {
	k.Class, k.Signature = r.presentClass(k.Class), mapClasses(k.Signature, r.presentClass)
	there, err := r.inv.Presence(k)
	if err != nil {
		return k, false, err
	}
	now = k
	if there != methodcode.Present {
		alike := 0
		for _, d := range r.declared(k.Class, k.Loader)[k.Name] {
			if _, ok := r.absentClasses(k.Signature, d.Signature); ok {
				now.Signature = d.Signature
				alike++
			}
		}
		if is, _ := r.mayBeNew(now); alike != 1 || !is {
			return k, false, nil
		}
	}
	taken, err := r.isTaken(now)
	return now, !taken, err
}

// isTaken reports whether the profiles already have a method with that key.
func (r *renamer) isTaken(k layout.Key) (bool, error) {
	_, err := r.s.Find(k)
	if errors.Is(err, reader.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// matchByCode pairs each profiled method that the class lacks with a new method of the same code and descriptor.
func (r *renamer) matchByCode(class string, methods []lostMethod) error {
	type shape struct {
		signature string
		id        uint64
	}
	have := map[shape][]methodcode.Declared{}
	for _, d := range r.inv.Declared(class, methods[0].key.Loader) {
		k := layout.Key{Class: class, Name: d.Name, Signature: d.Signature, Loader: methods[0].key.Loader}
		if is, _ := r.mayBeNew(k); is && d.Name[0] != '<' {
			have[shape{d.Signature, d.ID}] = append(have[shape{d.Signature, d.ID}], d)
		}
	}
	lack := map[shape][]*lostMethod{}
	order := []shape{}
	for i := range methods {
		m := &methods[i]
		for _, code := range m.code {
			if m.key.Name[0] != '<' {
				s := shape{mapClasses(m.key.Signature, r.presentClass), code.id}
				if lack[s] == nil {
					order = append(order, s)
				}
				lack[s] = append(lack[s], m)
			}
		}
	}
	for _, s := range order {
		if candidates := have[s]; len(candidates) > 0 {
			if err := r.matchMethod(class, lack[s], candidates); err != nil {
				return err
			}
		}
	}
	return nil
}

// matchMethod renames a method if it has one candidate that no other lost method has, and enough code.
func (r *renamer) matchMethod(class string, lost []*lostMethod, candidates []methodcode.Declared) error {
	d := candidates[0]
	k := layout.Key{Class: class, Name: d.Name, Signature: d.Signature, Loader: lost[0].key.Loader}
	_, sure := r.mayBeNew(k)
	taken, err := r.isTaken(k)
	if err != nil || taken {
		return err
	}
	if len(lost) == 1 && len(candidates) == 1 && d.Size >= minEvidence(sure) {
		if _, known := r.methods[lost[0].method.Ref()]; !known {
			r.addMethod(lost[0].method.Ref(), lost[0].key, k, 1)
		}
		return nil
	}
	for _, m := range lost {
		r.unsure[m.method.Ref()] = keyAsText(k)
	}
	return nil
}
