package fit

import (
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/internal/names/javanames"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

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
	found := map[layout.Ref]layout.Key{}
	claims := map[layout.Key]int{}
	keys := map[layout.Ref]layout.Key{}
	var order []layout.Ref
	for m, err := range r.s.Methods() {
		if err != nil {
			return err
		}
		k, err := m.Key()
		if err != nil {
			return err
		}
		host, ok := lambdaHost(k.Name)
		if !ok || r.ctx.Err() != nil {
			continue
		}
		all, err := r.lambdasLike(m, k, host, same)
		if err != nil {
			return err
		}
		for _, to := range all {
			claims[to]++
		}
		if len(all) == 1 {
			found[m.Ref()] = all[0]
			keys[m.Ref()] = k
			order = append(order, m.Ref())
		}
	}
	for _, ref := range order {
		if to := found[ref]; claims[to] == 1 && to != keys[ref] {
			r.methods[ref] = renamed{to, len(r.list)}
			r.list = append(r.list, Rename{From: keys[ref], To: to, Methods: 1, Same: 1})
		}
	}
	return r.ctx.Err()
}

func (r *renamer) lambdasLike(m reader.Method, k layout.Key, host string, same sameNamed) (all []layout.Key,
	err error) {
	for p, err := range m.Profiles() {
		if err != nil {
			return nil, err
		}
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
	return all, nil
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
			r.methods[m.method.Ref()] = renamed{candidates[0], len(r.list)}
			r.list = append(r.list, Rename{From: m.key, To: candidates[0], Methods: 1})
		}
	}
}

func sameParameterCount(a, b string) bool {
	inA, _ := javanames.SplitParameters(a)
	inB, _ := javanames.SplitParameters(b)
	return len(inA) == len(inB)
}
