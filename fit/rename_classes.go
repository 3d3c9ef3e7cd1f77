package fit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/profarc/profarc/layout"
)

// A likeness is how much of a lost class another one has.
type likeness struct {
	class       string
	total, same int  // methods with known code, and those that it has with the same code
	bytes       int  // of that code, each once
	named       bool // the names say so too
	sure        bool // it is known to be new
}

// enough reports whether it is the class, as far as it goes: most methods are the
// same, and enough code; or one, where the name says so too.
func (l *likeness) enough() bool {
	return l.same > 0 && 2*l.same >= l.total && (l.named || l.bytes >= evidence(l.sure))
}

// rivals reports whether it may as well be another class.
func (l *likeness) rivals(other *likeness) bool {
	return l.enough() && 2*l.bytes >= other.bytes && (l.named || !other.named)
}

// Limits on the candidates of a class: what more have in common says nothing.
const (
	maxSharers    = 64 // lost classes that have one method
	maxCandidates = 64 // of a lost class
)

// matchClasses finds the new names of lost classes.
func (r *renamer) matchClasses() error {
	candidates, err := r.candidates()
	if err != nil {
		return err
	}
	found := make([]*likeness, len(r.lost))
	claims := map[string]int{}
	for i := range r.lost { // by name: outer classes before those in them
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
			r.doubt(c.methods, l.class)
			continue
		}
		r.list = append(r.list, Rename{From: layout.Key{Class: c.name}, To: layout.Key{Class: l.class}, Methods: l.total, Same: l.same})
	}
	return nil
}

// doubt notes what methods may be called now.
func (r *renamer) doubt(methods []lostMethod, what string) {
	for _, m := range methods {
		r.unsure[m.method.Ref()] = what
	}
}

// innerName is the name of a class within another that has a new name, as it
// would be; empty if there is none.
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

// candidates looks through the program for classes that have methods of lost
// ones: of each lost class, how many.
func (r *renamer) candidates() ([]map[string]int, error) {
	type named struct {
		name string
		code uint64
	}
	votes := make([]map[string]int, len(r.lost))
	sharers, simple := map[named][]int{}, map[string][]int{}
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
		if is, _ := r.isNew(layout.Key{Class: class}); !is {
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

// simpleName is the name of a class without its package.
func simpleName(class string) string { return class[strings.LastIndexByte(class, '/')+1:] }

// chooseClass chooses what a lost class is called now; nil if that is not known.
func (r *renamer) chooseClass(c *lostClass, votes map[string]int, inner string) *likeness {
	classes := slices.SortedFunc(maps.Keys(votes), func(a, b string) int {
		return cmp.Or(cmp.Compare(votes[b], votes[a]), cmp.Compare(a, b))
	})
	var all []*likeness
	for _, class := range classes[:min(len(classes), maxCandidates)] {
		l := r.alike(c, class)
		l.named = class == inner || simpleName(class) == simpleName(c.name)
		all = append(all, l)
	}
	slices.SortStableFunc(all, func(a, b *likeness) int {
		return cmp.Or(compareBool(b.enough(), a.enough()), compareBool(b.named, a.named), cmp.Compare(b.bytes, a.bytes), cmp.Compare(b.same, a.same))
	})
	switch {
	case len(all) == 0 || !all[0].enough():
		return nil
	case len(all) > 1 && all[1].rivals(all[0]):
		r.doubt(c.methods, fmt.Sprintf("%s or %s", all[0].class, all[1].class))
		return nil
	}
	return all[0]
}

func compareBool(a, b bool) int { return cmp.Compare(equal(a), equal(b)) }

// alike says how much of a lost class another one has.
func (r *renamer) alike(c *lostClass, class string) *likeness {
	l := &likeness{class: class}
	_, l.sure = r.isNew(layout.Key{Class: class})
	methods := r.declared(class, c.loader())
	counted := map[uint64]bool{}
	for _, m := range c.methods {
		if len(m.code) == 0 {
			continue
		}
		l.total++
		for _, d := range methods[m.key.Name] {
			if size := m.size(d.ID); size > 0 && r.sameButNames(m.key.Signature, d.Signature, nil) {
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

// sameButNames reports whether two descriptors differ in nothing but classes that
// the program lacks, and calls yield, if it is not nil, with these and those in
// their place.
func (r *renamer) sameButNames(old, now string, yield func(old, now string)) bool {
	ok := true
	var pairs [][2]string
	same := sameShape(old, now, func(a, b string) {
		ok = ok && r.absent(a)
		pairs = append(pairs, [2]string{a, b})
	})
	if !same || !ok {
		return false
	}
	for _, p := range pairs {
		if yield != nil {
			yield(p[0], p[1])
		}
	}
	return true
}
