package fit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/profarc/profarc/layout"
)

type likeness struct {
	class       string
	total, same int  // methods of the lost class with known code, and those with equal code in both
	bytes       int  // size of the common code, each code id once
	named       bool // names are similar
	sure        bool // candidate is known to be new
}

// isEnough reports whether most methods are equal, with enough code or a similar name.
func (l *likeness) isEnough() bool {
	return l.same > 0 && 2*l.same >= l.total && (l.named || l.bytes >= minEvidence(l.sure))
}

func (l *likeness) isRivalOf(other *likeness) bool {
	return l.isEnough() && 2*l.bytes >= other.bytes && (l.named || !other.named)
}

// Limits of candidates. A method that many classes share proves nothing.
const (
	maxSharers    = 64 // lost classes with the same method
	maxCandidates = 64 // candidates for one lost class
)

func (r *renamer) matchClasses() error {
	candidates, err := r.candidates()
	if err != nil {
		return err
	}
	found := make([]*likeness, len(r.lost))
	claims := map[string]int{}
	for i := range r.lost { // sorted by name, so outer classes precede their inner ones
		if err := r.ctx.Err(); err != nil {
			return err
		}
		c := &r.lost[i]
		inner := r.innerName(c.name)
		if inner != "" {
			candidates[i][inner]++
		}
		if l := r.chooseClass(c, candidates[i], inner); l != nil {
			found[i] = l
			claims[l.class]++
			r.classes[c.name] = l.class
		}
	}
	for i, l := range found {
		if l == nil {
			continue
		}
		c := &r.lost[i]
		if claims[l.class] > 1 {
			delete(r.classes, c.name)
			r.addUnsure(c.methods, l.class)
			continue
		}
		r.list = append(r.list, Rename{From: layout.Key{Class: c.name}, To: layout.Key{Class: l.class}, Methods: l.total,
			Same: l.same})
	}
	return nil
}

func (r *renamer) addUnsure(methods []lostMethod, what string) {
	for _, m := range methods {
		r.unsure[m.method.Ref()] = what
	}
}

// innerName returns the name that an inner class of a renamed class should have, "" if the program has no such class.
func (r *renamer) innerName(class string) string {
	at := strings.LastIndexByte(class, '$')
	if at <= 0 {
		return ""
	}
	if outer, ok := r.classes[class[:at]]; ok && r.fresh[outer+class[at:]] {
		return outer + class[at:]
	}
	return ""
}

// candidates returns for each lost class the program's classes that share methods with it, and the number of these.
func (r *renamer) candidates() ([]map[string]int, error) {
	type named struct {
		name string
		code uint64
	}
	votes := make([]map[string]int, len(r.lost))
	sharers := map[named][]int{}
	simple := map[string][]int{}
	for i, c := range r.lost {
		votes[i] = map[string]int{}
		simple[simpleName(c.name)] = append(simple[simpleName(c.name)], i)
		for _, m := range c.methods {
			for _, code := range m.code {
				k := named{m.key.Name, code.id}
				sharers[k] = append(sharers[k], i)
			}
		}
	}
	if len(r.lost) == 0 {
		return votes, nil
	}
	r.inv.Classes(func(class string) bool {
		if r.known[class] || r.fresh[class] {
			return true
		}
		if is, _ := r.mayBeNew(layout.Key{Class: class}); !is {
			return true
		}
		r.fresh[class] = true
		for _, i := range simple[simpleName(class)] {
			votes[i][class]++
		}
		for _, d := range r.inv.Declared(class, "") {
			if all := sharers[named{d.Name, d.ID}]; len(all) <= maxSharers {
				for _, i := range all {
					votes[i][class]++
				}
			}
		}
		return r.ctx.Err() == nil
	})
	return votes, r.ctx.Err()
}

func simpleName(class string) string { return class[strings.LastIndexByte(class, '/')+1:] }

func (r *renamer) chooseClass(c *lostClass, votes map[string]int, inner string) *likeness {
	classes := slices.SortedFunc(maps.Keys(votes), func(a, b string) int {
		return cmp.Or(cmp.Compare(votes[b], votes[a]), cmp.Compare(a, b))
	})
	var all []*likeness
	for _, class := range classes[:min(len(classes), maxCandidates)] {
		l := r.compareClasses(c, class)
		l.named = class == inner || simpleName(class) == simpleName(c.name)
		all = append(all, l)
	}
	slices.SortStableFunc(all, func(a, b *likeness) int {
		return cmp.Or(compareBool(b.isEnough(), a.isEnough()), compareBool(b.named, a.named), cmp.Compare(b.bytes, a.bytes),
			cmp.Compare(b.same, a.same))
	})
	switch {
	case len(all) == 0 || !all[0].isEnough():
		return nil
	case len(all) > 1 && all[1].isRivalOf(all[0]):
		r.addUnsure(c.methods, fmt.Sprintf("%s or %s", all[0].class, all[1].class))
		return nil
	}
	return all[0]
}

func compareBool(a, b bool) int { return cmp.Compare(oneIfTrue(a), oneIfTrue(b)) }

func (r *renamer) compareClasses(c *lostClass, class string) *likeness {
	l := &likeness{class: class}
	_, l.sure = r.mayBeNew(layout.Key{Class: class})
	methods := r.declared(class, c.methods[0].key.Loader)
	counted := map[uint64]bool{}
	for _, m := range c.methods {
		if len(m.code) == 0 {
			continue
		}
		l.total++
		for _, d := range methods[m.key.Name] {
			size := m.sizeOfCode(d.ID)
			if size == 0 {
				continue
			}
			if _, ok := r.absentClasses(m.key.Signature, d.Signature); ok {
				l.same++
				if !counted[d.ID] {
					l.bytes += size
				}
				counted[d.ID] = true
				break
			}
		}
	}
	return l
}

// absentClasses returns the pairs of classes that differ between two descriptors; ok is false if anything else differs,
// or if the program has one of the old classes.
func (r *renamer) absentClasses(old, now string) (pairs [][2]string, ok bool) {
	pairs, ok = differingClasses(old, now)
	if !ok || slices.ContainsFunc(pairs, func(p [2]string) bool { return !r.isAbsent(p[0]) }) {
		return nil, false
	}
	return pairs, true
}
