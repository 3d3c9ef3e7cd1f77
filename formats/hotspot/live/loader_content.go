package live

import (
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/internal/jvm/bytecode"
)

// nameByContent gives each loader of the program's own its identity: its name,
// and by which class it is told from others of that name, "org/Foo@" and 16
// hexadecimal digits of the hash of that class's name and code. This anchor is
//
//   - the first class that it loaded of those that others have too, but with
//     other code: versions of one class;
//   - or else the first that no other has, if enough of its classes are such.
//
// A loader loads its first classes in the same order in most runs, whatever comes
// later, and however other loaders do; so the identity is the same in runs of
// which one loads more classes, or has more loaders. What no class tells apart is
// numbered by age: "org/Foo#1". In another run that may be another one.
func nameByContent(loaders []*classLoader, codeOf func(klass uint64) (uint64, bool)) {
	groups := map[string][]*classLoader{}
	for _, l := range loaders {
		l.identity = l.name
		if len(l.classes) > 0 && !l.ofVM { // what has none is of no method
			groups[l.name] = append(groups[l.name], l)
		}
	}
	for _, group := range groups {
		nameGroup(group, newVersions(group, codeOf))
	}
}

// ownShare is which part of a loader's classes others must not have, where none
// is a version of theirs: loaders of one jar differ in what they happened to load.
const ownShare = 8

// nameGroup names the loaders that share a name.
func nameGroup(group []*classLoader, v *versions) {
	numbered := 0
	for _, l := range group {
		if anchor, ok := v.anchor(l); ok {
			l.identity = fmt.Sprintf("%s@%016x", l.name, anchor)
			continue
		}
		numbered++
		l.identity = fmt.Sprintf("%s#%d", l.name, numbered)
	}
}

// anchor is the hash of the class that tells a loader from others of its name.
func (v *versions) anchor(l *classLoader) (hash uint64, ok bool) {
	own, first := 0, loadedClass{}
	for _, c := range l.classes {
		switch v.of(c) {
		case onlyVersion:
			return v.hash(c), true
		case onlyName:
			if own++; own == 1 {
				first = c
			}
		}
	}
	return v.hash(first), own > 0 && own*ownShare >= len(l.classes)
}

// hash is that of a class's name and code.
func (v *versions) hash(c loadedClass) uint64 {
	code, ok := v.code[c.klass]
	if !ok && c.klass != 0 {
		code, _ = v.codeOf(c.klass)
	}
	return xxhash.Sum64String(fmt.Sprintf("%s %x", c.name, code))
}

// A distinction is how a class tells its loader from others of its name.
type distinction uint8

const (
	shared      distinction = iota // others have the same class, or it is not known
	onlyName                       // no other has a class of that name
	onlyVersion                    // others have it with other code
)

// maxCompared bounds the classes whose code is compared, so that a capture takes
// no longer: loaders of different versions soon meet a class that differs.
const maxCompared = 1024

// versions says which classes of a group of loaders are versions of one.
type versions struct {
	klasses  map[string][]uint64       // by class name
	code     map[uint64]uint64         // hashes of klasses, of those that were asked for
	loaders  map[string]map[uint64]int // by class name and hash: how many have it
	compared int
	codeOf   func(klass uint64) (uint64, bool)
}

func newVersions(group []*classLoader, codeOf func(klass uint64) (uint64, bool)) *versions {
	v := &versions{klasses: map[string][]uint64{}, code: map[uint64]uint64{}, loaders: map[string]map[uint64]int{}, codeOf: codeOf}
	for _, l := range group {
		for _, c := range l.classes {
			v.klasses[c.name] = append(v.klasses[c.name], c.klass)
		}
	}
	return v
}

// of says how a class tells its loader from the others.
func (v *versions) of(c loadedClass) distinction {
	if len(v.klasses[c.name]) == 1 {
		return onlyName
	}
	if _, known := v.loaders[c.name]; !known {
		v.loaders[c.name] = v.compare(v.klasses[c.name])
	}
	if v.loaders[c.name][v.code[c.klass]] == 1 {
		return onlyVersion
	}
	return shared
}

// compare counts the versions among classes of one name. It is nil if not all of
// them can be read.
func (v *versions) compare(klasses []uint64) map[uint64]int {
	if v.compared += len(klasses); v.compared > maxCompared {
		return nil
	}
	count := map[uint64]int{}
	for _, k := range klasses {
		hash, ok := v.codeOf(k)
		if !ok {
			return nil
		}
		v.code[k] = hash
		count[hash]++
	}
	return count
}

// classCode returns a function that hashes the code of all methods of a class. ok
// is false if it cannot be read. What it reads of methods is read once more
// elsewhere, and has a budget of its own.
func (n *namer) classCode() func(klass uint64) (hash uint64, ok bool) {
	apart := *n
	apart.budget = n.budget.m.structures()
	return func(klass uint64) (hash uint64, ok bool) {
		methods, err := apart.methodsOf(klass)
		if err != nil {
			return 0, false
		}
		slices.Sort(methods) // the VM has them in an order of its own
		h := xxhash.New()
		for _, m := range methods {
			_, _ = h.WriteString(m)
		}
		return max(h.Sum64(), 1), true
	}
}

// methodsOf are the methods of a class, each as its name and code id.
func (n *namer) methodsOf(klass uint64) (all []string, err error) {
	array, err := word(n.src, klass+n.s.klass.methods)
	if err != nil {
		return nil, err
	}
	methods, err := n.s.methodArray(n.src, array)
	if err == nil {
		err = n.budget.take(len(methods) * pointerWidth)
	}
	for i := 0; i < len(methods) && err == nil; i++ {
		var constMethod uint64
		var m methodName
		if constMethod, err = word(n.src, methods[i]+n.s.method.constMethod); err == nil {
			if m, err = n.method(constMethod); err == nil {
				err = n.use(m.name, m.signature)
			}
		}
		all = append(all, fmt.Sprintf("%s%s %x", m.name, m.signature, bytecode.CodeID(m.code)))
	}
	return all, err
}
