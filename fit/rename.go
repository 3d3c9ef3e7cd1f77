package fit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A Rename says that a class or method of the profiles has another name in the
// program.
type Rename struct {
	From, To layout.Key // of a class without name and signature
	// Methods are those of a class whose code is known, and Same those of them that
	// have the same code under the new name; both are 0 where only descriptors name
	// the class.
	Methods, Same int
	Profiles      int     // of it, or of the class
	Weight        float64 // of these
}

// OfClass reports whether it is a class that has another name.
func (r *Rename) OfClass() bool { return r.From.Name == "" }

// renames are what has other names in the program. The zero value is none.
type renames struct {
	classes map[string]string
	methods map[layout.Ref]renamed
	unsure  map[layout.Ref]string // methods that may have another name, and what it may be
	list    []Rename
}

// A renamed is the new key of a method.
type renamed struct {
	key layout.Key
	by  int // place in the list; negative if only its descriptor has changed
}

// class is what a class of the profiles, or an array of some, is called now.
func (r *renames) class(name string) string {
	if len(r.classes) == 0 {
		return name
	}
	if name != "" && name[0] == '[' {
		return mapClasses(name, r.class)
	}
	if to, ok := r.classes[name]; ok {
		return to
	}
	return name
}

// key is the key of a method now, and whether it is another one.
func (r *renames) key(m reader.Method, k layout.Key) (now layout.Key, changed bool) {
	if to, ok := r.methods[m.Ref()]; ok {
		return to.key, true
	}
	return k, false
}

// judged completes a verdict with what is known of other names.
func (r *renames) judged(v *Verdict, k layout.Key) {
	to, ok := r.methods[v.Method.Ref()]
	if !ok {
		if what, ok := r.unsure[v.Method.Ref()]; ok && v.State == Gone {
			v.Reason += ", unless it is now " + what
		} else if class := r.class(k.Class); v.State == Gone && class != k.Class {
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
		v.State, v.Reason = Renamed, "the code is the same in "+keyText(to.key)
	} else {
		v.Reason = "now " + keyText(to.key) + ": " + v.Reason
	}
}

// sorted are all that have other names, those with the most counts first.
func (r *renames) sorted() []Rename {
	slices.SortStableFunc(r.list, func(a, b Rename) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(keyText(a.From), keyText(b.From)))
	})
	return r.list
}

// A renamer looks for what the program has under other names. It goes by the code:
// a code id covers no names, so that it is the same in a class that was renamed,
// and in whatever mentions it.
type renamer struct {
	renames
	ctx context.Context
	s   *reader.Store
	inv Inventory
	old Inventory // nil if the old code is not known

	known   map[string]bool // classes of the profiles that the program has
	types   map[string]bool // all classes that the profiles know, also as receivers
	lost    []lostClass     // those that it has not, by name
	orphans []lostMethod    // methods that the program lacks, of classes that it has
	fresh   map[string]bool // classes of the program that may be new

	last   [2]string // class and loader that declared was asked for last
	byName map[string][]Declared
}

// A lostClass is a class of the profiles that the program does not have. Several
// class loaders may have versions of it.
type lostClass struct {
	name    string
	methods []lostMethod
}

// loader is that of its first method.
func (c *lostClass) loader() string { return c.methods[0].key.Loader }

// A lostMethod is a method of the profiles that the program does not have.
type lostMethod struct {
	method reader.Method
	key    layout.Key
	code   []lostCode
}

// A lostCode is one version of the code of a lost method.
type lostCode struct {
	id   uint64
	size int
}

// size is the size of the version of that code id, 0 if there is none.
func (m *lostMethod) size(id uint64) int {
	for _, c := range m.code {
		if c.id == id {
			return c.size
		}
	}
	return 0
}

// findRenames looks for what an archive has and a program lacks under other
// names.
func findRenames(ctx context.Context, s *reader.Store, inv Inventory, old Code) (renames, error) {
	r := &renamer{ctx: ctx, s: s, inv: inv, known: map[string]bool{}, types: map[string]bool{}, fresh: map[string]bool{}}
	r.old, _ = old.(Inventory)
	r.classes, r.methods, r.unsure = map[string]string{}, map[layout.Ref]renamed{}, map[layout.Ref]string{}
	if err := r.lookForAll(); err != nil || len(r.lost)+len(r.orphans) == 0 {
		return renames{}, err
	}
	if err := r.listTypes(); err != nil {
		return renames{}, err
	}
	if err := r.matchClasses(); err != nil {
		return renames{}, err
	}
	if err := r.matchMentioned(); err != nil {
		return renames{}, err
	}
	return r.renames, r.matchMethods()
}

// lookForAll asks for every method, and notes what is not there.
func (r *renamer) lookForAll() error {
	for m, err := range r.s.Methods() {
		if err == nil {
			err = r.ctx.Err()
		}
		if err == nil && m.Flags()&layout.MethodNotMatchable == 0 {
			err = r.lookFor(m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *renamer) lookFor(m reader.Method) error {
	k, err := m.Key()
	if err != nil {
		return err
	}
	p, err := r.inv.Presence(k)
	if err != nil || p == Unknown {
		return err
	}
	if p != NoClass {
		r.known[k.Class] = true
	}
	if p == Present {
		return nil
	}
	lost, err := newLostMethod(m, k)
	if err != nil || p == NoMethod {
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
	for p, err := range m.Profiles() {
		if err != nil {
			return lost, err
		}
		size, _ := p.Size()
		if p.Code() != 0 && lost.size(p.Code()) == 0 {
			lost.code = append(lost.code, lostCode{p.Code(), int(size)})
		}
	}
	return lost, nil
}

// listTypes notes the classes that the profiles know.
func (r *renamer) listTypes() error {
	for t, err := range r.s.Types() {
		if err != nil {
			return err
		}
		name, err := t.Name()
		if err != nil {
			return err
		}
		r.types[name.String()] = true
	}
	return nil
}

// maxOverloads is how many methods of one name a class may have that are told
// apart; of more, none is looked at.
const maxOverloads = 64

// declared are the methods of a class by name. Methods are looked for class by
// class.
func (r *renamer) declared(class, loader string) map[string][]Declared {
	if of := [2]string{class, loader}; r.byName == nil || r.last != of {
		r.last, r.byName = of, map[string][]Declared{}
		for _, d := range r.inv.Declared(class, loader) {
			r.byName[d.Name] = append(r.byName[d.Name], d)
		}
		maps.DeleteFunc(r.byName, func(_ string, all []Declared) bool { return len(all) > maxOverloads })
	}
	return r.byName
}

// absent reports whether the program lacks a class.
func (r *renamer) absent(class string) bool {
	p, err := r.inv.Presence(layout.Key{Class: class})
	return err == nil && p == NoClass
}

// isNew reports whether a class or method of the program may be new: the profiles
// are not of it, nor does the old code have it. sure says whether the old code is
// known.
func (r *renamer) isNew(k layout.Key) (is, sure bool) {
	if r.old != nil {
		p, err := r.old.Presence(k)
		if err == nil && p != Unknown {
			return p == NoClass || k.Name != "" && p == NoMethod, true
		}
	}
	if k.Name == "" {
		return !r.known[k.Class] && !r.types[k.Class], false
	}
	_, err := r.s.Find(k)
	return errors.Is(err, reader.ErrNotFound), false
}

// evidence is how much code must be the same for a new name to be taken: little
// if what has it is known to be new. Methods with the same code and descriptor,
// as two that pass a call on, are frequent up to some 100 bytes.
func evidence(sure bool) int {
	if sure {
		return 16
	}
	return 96
}

// keyText is a key for people.
func keyText(k layout.Key) string {
	if k.Name == "" {
		return k.Class
	}
	return fmt.Sprintf("%s::%s%s", k.Class, k.Name, k.Signature)
}
