package fit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A Rename is a class or method with another name in the program.
type Rename struct {
	From layout.Key `json:"from"` // a class has neither name nor signature
	To   layout.Key `json:"to"`
	// Methods counts the methods of a class with known code, Same those with equal code under the new name. Both are 0 if
	// only descriptors mention the class.
	Methods  int     `json:"methods"`
	Same     int     `json:"same"`
	Profiles int     `json:"profiles"` // number of profiles of the method or class
	Weight   float64 `json:"weight"`   // total of their counts
}

type renames struct {
	classes map[string]string
	methods map[layout.Ref]renamed
	unsure  map[layout.Ref]string // possible new names of methods
	list    []Rename
}

type renamed struct {
	key layout.Key
	by  int // index in the list, negative if only the descriptor has changed
}

func (r *renames) presentClass(name string) string { return mapClass(r.classes, name) }

func (r *renames) presentKey(m reader.Method, k layout.Key) (now layout.Key, changed bool) {
	if to, ok := r.methods[m.Ref()]; ok {
		return to.key, true
	}
	return k, false
}

func (r *renames) addNewNames(v *Verdict, k layout.Key) {
	to, ok := r.methods[v.Method.Ref()]
	if !ok {
		if what, ok := r.unsure[v.Method.Ref()]; ok && v.State == Gone {
			v.Reason += ", unless it is now " + what
		} else if class := r.presentClass(k.Class); v.State == Gone && class != k.Class {
			v.Reason = "its class is now " + class + ", which has no such method"
		}
		return
	}
	v.To = to.key
	if to.by >= 0 {
		r.list[to.by].Profiles++
		r.list[to.by].Weight += v.Weight
	}
	if v.State == Exact {
		v.State, v.Reason = Renamed, "the code is the same in "+keyAsText(to.key)
	} else {
		v.Reason = "now " + keyAsText(to.key) + ": " + v.Reason
	}
}

func (r *renames) addMethod(ref layout.Ref, from, to layout.Key, same int) {
	r.methods[ref] = renamed{to, len(r.list)}
	r.list = append(r.list, Rename{From: from, To: to, Methods: 1, Same: same})
}

func (r *renames) sortedByWeight() []Rename {
	slices.SortStableFunc(r.list, func(a, b Rename) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(keyAsText(a.From), keyAsText(b.From)))
	})
	return r.list
}

// A renamer finds renamed classes and methods by code id. A code id covers no names, so it stays the same in a renamed
// class and in code that mentions it.
type renamer struct {
	renames
	ctx context.Context
	s   *reader.Store
	inv methodcode.Inventory
	old methodcode.Inventory // nil if the old code is unknown

	known   map[string]bool // profiled classes that the program has
	types   map[string]bool // all classes in the profiles, including receivers
	lost    []lostClass     // profiled classes that the program lacks, by name
	orphans []lostMethod    // methods that the program lacks in classes that it has
	fresh   map[string]bool // classes of the program that may be new

	last   [2]string // class and loader for byName
	byName map[string][]methodcode.Declared
}

// A lostClass is a profiled class that the program lacks. Several class loaders may have versions of it.
type lostClass struct {
	name    string
	methods []lostMethod
}

type lostMethod struct {
	method reader.Method
	key    layout.Key
	code   []codeVersion
}

type codeVersion struct {
	id   uint64
	size int
}

// sizeOfCode returns the code size of the version with a code id, 0 if there is no such version.
func (m *lostMethod) sizeOfCode(id uint64) int {
	if i := slices.IndexFunc(m.code, func(c codeVersion) bool { return c.id == id }); i >= 0 {
		return m.code[i].size
	}
	return 0
}

func findRenames(ctx context.Context, s *reader.Store, inv methodcode.Inventory, old Code,
	same sameNamed) (renames, error) {
	r := &renamer{ctx: ctx, s: s, inv: inv, known: map[string]bool{}, types: map[string]bool{}, fresh: map[string]bool{}}
	r.old, _ = old.(methodcode.Inventory)
	r.classes = map[string]string{}
	r.methods = map[layout.Ref]renamed{}
	r.unsure = map[layout.Ref]string{}
	if err := entries.EachMethod(ctx, s, r.lookForMethod); err != nil {
		return renames{}, err
	}
	steps := []func() error{r.listTypes, r.matchClasses, r.matchMentioned, r.matchMethods}
	if len(r.lost)+len(r.orphans) == 0 {
		steps = nil
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return renames{}, err
		}
	}
	r.matchSignatures()
	return r.renames, r.matchLambdas(same)
}

func (r *renamer) lookForMethod(m reader.Method, k layout.Key) error {
	if m.Flags()&layout.MethodNotMatchable != 0 {
		return nil
	}
	p, err := r.inv.Presence(k)
	if err != nil || p == methodcode.Unknown {
		return err
	}
	if p != methodcode.NoClass {
		r.known[k.Class] = true
	}
	if p == methodcode.Present {
		return nil
	}
	lost, err := newLostMethod(m, k)
	if err != nil || p == methodcode.NoMethod {
		r.orphans = append(r.orphans, lost)
		return err
	}
	if last := len(r.lost) - 1; last < 0 || r.lost[last].name != k.Class { // methods are sorted by class
		r.lost = append(r.lost, lostClass{name: k.Class})
	}
	c := &r.lost[len(r.lost)-1]
	c.methods = append(c.methods, lost)
	return nil
}

func newLostMethod(m reader.Method, k layout.Key) (lost lostMethod, err error) {
	lost = lostMethod{method: m, key: k}
	for p := range poll.Values(m.Profiles(), &err) {
		size, _ := p.Size()
		if p.Code() != 0 && lost.sizeOfCode(p.Code()) == 0 {
			lost.code = append(lost.code, codeVersion{p.Code(), int(size)})
		}
	}
	return lost, err
}

func (r *renamer) listTypes() (err error) {
	for t := range poll.Values(r.s.Types(), &err) {
		name, err := t.Name()
		if err != nil {
			return err
		}
		r.types[name.String()] = true
	}
	return err
}

// maxOverloads is the maximum number of methods of one name in a class. Larger groups are ignored.
const maxOverloads = 64

// declared returns the methods of a class by name. It caches the last class.
func (r *renamer) declared(class, loader string) map[string][]methodcode.Declared {
	if of := [2]string{class, loader}; r.byName == nil || r.last != of {
		r.last = of
		r.byName = map[string][]methodcode.Declared{}
		for _, d := range r.inv.Declared(class, loader) {
			r.byName[d.Name] = append(r.byName[d.Name], d)
		}
		maps.DeleteFunc(r.byName, func(_ string, all []methodcode.Declared) bool { return len(all) > maxOverloads })
	}
	return r.byName
}

func (r *renamer) isAbsent(class string) bool {
	p, err := r.inv.Presence(layout.Key{Class: class})
	return err == nil && p == methodcode.NoClass
}

// mayBeNew reports whether a class or method of the program may be new, so that neither the profiles nor the old code
// have it. sure reports whether the old code is known.
func (r *renamer) mayBeNew(k layout.Key) (is, sure bool) {
	if r.old != nil {
		p, err := r.old.Presence(k)
		if err == nil && p != methodcode.Unknown {
			return p == methodcode.NoClass || k.Name != "" && p == methodcode.NoMethod, true
		}
	}
	if k.Name == "" {
		return !r.known[k.Class] && !r.types[k.Class], false
	}
	_, err := r.s.Find(k)
	return errors.Is(err, reader.ErrNotFound), false
}

// minEvidence returns the minimum size in bytes of equal code for accepting a new name. It is small if the class or
// method is known to be new. Different methods with equal code, such as wrappers, are frequent up to some 100 bytes.
func minEvidence(sure bool) int {
	if sure {
		return 16
	}
	return 96
}

func keyAsText(k layout.Key) string {
	switch {
	case k.Name == "":
		return k.Class
	case k.Class == "":
		return k.Name
	}
	return fmt.Sprintf("%s::%s%s", k.Class, k.Name, k.Signature)
}

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
