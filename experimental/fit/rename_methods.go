package fit

import (
	"cmp"
	"errors"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/internal/names/javanames"
	"github.com/profarc/profarc/internal/system/poll"
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

// lambdaHost returns the name of a lambda's body without its number, such as lambda$main$. javac numbers the lambdas of
// a class in order, so an inserted lambda renames others.
func lambdaHost(name string) (host string, ok bool) {
	at := strings.LastIndexByte(name, '$') + 1
	numbered := at > 0 && at < len(name) && strings.Trim(name[at:], "0123456789") == ""
	return name[:at], numbered && strings.HasPrefix(name, "lambda$")
}

// A sameNamed reports whether code with the bytecodes of a profile has the same names.
type sameNamed func(reader.Method, reader.Profile, *methodcode.Version) (bool, error)

// matchLambdas finds renumbered bodies of lambdas, which have the same code and names in the same host. Each must have
// one candidate that no other body has.
func (r *renamer) matchLambdas(same sameNamed) error {
	type renumbered struct {
		ref      layout.Ref
		from, to layout.Key
	}
	var found []renumbered
	claims := map[layout.Key]int{}
	err := entries.EachMethod(r.ctx, r.s, func(m reader.Method, k layout.Key) error {
		host, ok := lambdaHost(k.Name)
		if !ok {
			return nil
		}
		all, err := r.lambdasLike(m, k, host, same)
		for _, to := range all {
			claims[to]++
		}
		if len(all) == 1 {
			found = append(found, renumbered{m.Ref(), k, all[0]})
		}
		return err
	})
	for _, f := range found {
		if claims[f.to] == 1 && f.to != f.from {
			r.addMethod(f.ref, f.from, f.to, 1)
		}
	}
	return err
}

func (r *renamer) lambdasLike(m reader.Method, k layout.Key, host string, same sameNamed) (all []layout.Key,
	err error) {
	for p := range poll.Values(m.Profiles(), &err) {
		for _, d := range r.inv.Declared(r.presentClass(k.Class), k.Loader) {
			h, _ := lambdaHost(d.Name)
			to := layout.Key{Class: r.presentClass(k.Class), Name: d.Name, Signature: d.Signature, Loader: k.Loader}
			if h != host || d.ID != p.Code() || d.Signature != mapClasses(k.Signature, r.presentClass) ||
				slices.Contains(all, to) {
				continue
			}
			a, err := r.inv.Method(to)
			if err != nil || len(a.Versions) == 0 {
				return nil, err
			}
			is, err := same(m, p, &a.Versions[0])
			if err != nil {
				return nil, err
			}
			if is {
				all = append(all, to)
			}
		}
	}
	return all, err
}

// matchSignatures finds methods with a new descriptor. The class must have one new method with the old name and number
// of parameters, and lack no other.
func (r *renamer) matchSignatures() {
	lost := map[layout.Key][]*lostMethod{} // lost methods by class, loader and name
	for i := range r.orphans {
		if m := &r.orphans[i]; r.methods[m.method.Ref()].key == (layout.Key{}) && m.key.Name[0] != '<' {
			k := layout.Key{Class: m.key.Class, Loader: m.key.Loader, Name: m.key.Name}
			lost[k] = append(lost[k], m)
		}
	}
	for i := range r.orphans {
		m := &r.orphans[i]
		k := layout.Key{Class: m.key.Class, Loader: m.key.Loader, Name: m.key.Name}
		if len(lost[k]) != 1 || lost[k][0] != m {
			continue
		}
		var candidates []layout.Key
		for _, d := range r.declared(k.Class, k.Loader)[k.Name] {
			to := layout.Key{Class: k.Class, Name: d.Name, Signature: d.Signature, Loader: k.Loader}
			if is, _ := r.mayBeNew(to); is && sameParameterCount(d.Signature, m.key.Signature) {
				candidates = append(candidates, to)
			}
		}
		if len(candidates) == 1 {
			r.addMethod(m.method.Ref(), m.key, candidates[0], 0)
		}
	}
}

func sameParameterCount(a, b string) bool {
	inA, _ := javanames.SplitParameters(a)
	inB, _ := javanames.SplitParameters(b)
	return len(inA) == len(inB)
}

func (c *checker) sameButRenamed(was, is []methodcode.Name) bool {
	return len(was) > 0 && slices.EqualFunc(was, is,
		func(a, b methodcode.Name) bool { return a == b || c.renamedMember(a, b) })
}

// renamedMember reports whether a class or member was renamed. Either its classes were renamed, or its class declares
// the new name instead of the old one.
func (c *checker) renamedMember(was, is methodcode.Name) bool {
	now := methodcode.Name{Class: c.renames.presentClass(was.Class), Name: was.Name,
		Descriptor: mapClasses(was.Descriptor, c.renames.presentClass)}
	if now == is {
		return true
	}
	if now.Class != is.Class || now.Descriptor != is.Descriptor || was.Class == "" {
		return false
	}
	other := methodcode.Name{Class: was.Class, Name: is.Name, Descriptor: was.Descriptor}
	return declaresOnly(c.o.Old, was, other) && declaresOnly(c.against, is, now)
}

func declaresOnly(code Code, one, other methodcode.Name) bool {
	m, ok := code.(methodcode.Members)
	if !ok {
		return false
	}
	has, known1 := m.Declares(one)
	hasOther, known2 := m.Declares(other)
	return known1 && known2 && has && !hasOther
}

type formerNames struct {
	classes map[string]string
	methods map[methodcode.Name]string
}

func newFormerNames(r *renames) *formerNames {
	f := &formerNames{map[string]string{}, map[methodcode.Name]string{}}
	for was, is := range r.classes {
		f.classes[is] = was
	}
	for i := range r.list {
		if was, is := r.list[i].From, r.list[i].To; was.Name != "" {
			f.methods[methodcode.Name{Class: is.Class, Name: is.Name, Descriptor: is.Signature}] = was.Name
		}
	}
	return f
}

func (f *formerNames) formerName(n methodcode.Name) methodcode.Name {
	return methodcode.Name{Class: f.formerClass(n.Class), Name: cmp.Or(f.methods[n], n.Name),
		Descriptor: mapClasses(n.Descriptor, f.formerClass)}
}

func (f *formerNames) formerClass(name string) string { return mapClass(f.classes, name) }

// mapClass returns the other name of a class or array of a class, or the same name if it has no other.
func mapClass(others map[string]string, name string) string {
	if strings.HasPrefix(name, "[") {
		return mapClasses(name, func(class string) string { return mapClass(others, class) })
	}
	return cmp.Or(others[name], name)
}

// underFormerNames sets the sketches of the program's points under the names in the profiles.
func (c *checker) underFormerNames(versions []methodcode.Version) {
	if len(c.renames.list) == 0 && len(c.renames.classes) == 0 {
		return
	}
	if c.former == nil {
		c.former = newFormerNames(&c.renames)
	}
	for i := range versions {
		if versions[i].Under == nil {
			continue
		}
		sketch := versions[i].Under(c.former.formerName)
		for k := range versions[i].Points {
			if k < len(sketch) {
				versions[i].Points[k].Former = &sketch[k]
			}
		}
	}
}

func mapClasses(descriptor string, to func(class string) string) string {
	var b strings.Builder
	for piece, class := range javanames.Pieces(descriptor) {
		if class {
			piece = to(piece)
		}
		b.WriteString(piece)
	}
	return b.String()
}

// differingClasses returns the pairs of classes that differ in two descriptors; ok is false if anything else differs.
func differingClasses(a, b string) (pairs [][2]string, ok bool) {
	if a == b {
		return nil, true
	}
	next, stop := iter.Pull2(javanames.Pieces(b))
	defer stop()
	for p, class := range javanames.Pieces(a) {
		q, sameKind, more := next()
		switch {
		case !more || class != sameKind || !class && p != q:
			return nil, false
		case p != q:
			pairs = append(pairs, [2]string{p, q})
		}
	}
	if _, _, more := next(); more {
		return nil, false
	}
	return pairs, true
}
