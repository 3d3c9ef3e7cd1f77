package live

import (
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/internal/java/bytecode"
	"github.com/profarc/profarc/internal/names/javanames"
)

// Loader identities. The identity of a class loader is the same in the next run:
//
//	""          the boot loader
//	"platform"  the platform class loader of the JDK
//	"app"       the application class loader of the JDK
//	else        the internal name of the loader's class, with the loader's own name
//	            if it has one, "org/Foo[plugins]", and with an anchor among its
//	            classes if it has one; see nameByContent

var loaderNames = map[string]string{
	"jdk/internal/loader/ClassLoaders$PlatformClassLoader": "platform",
	"jdk/internal/loader/ClassLoaders$AppClassLoader":      "app",
}

type classLoader struct {
	name     string        // identity without the anchor; not unique
	classes  []loadedClass // defined classes, the oldest first, without arrays and hidden classes
	everyVM  bool          // whether every JVM has this loader
	identity string
}

type loadedClass struct {
	name  string
	klass uint64
}

// loaderNames returns the identity of the loader of every ClassLoaderData. The loader itself is an object, which a
// garbage collector may be moving. But after _next a ClassLoaderData has three fields that are not exported:
//
//	Klass* _class_loader_klass; Symbol* _name; Symbol* _name_and_id
//
// They begin where every ClassLoaderData except the boot loader's has the address of a class. A loader has several
// ClassLoaderData if it has hidden classes.
func (n *namer) loaderNames(snap *snapshot) map[uint64]string {
	names := map[uint64]string{}
	place := n.findLoaderKlassOffset(snap)
	if place == 0 {
		for i, l := range snap.loaders {
			names[l.addr] = unknownLoader(i, len(snap.loaders))
		}
		return names
	}
	loaders, of := n.groupLoaders(snap, place)
	nameByContent(loaders, n.classHasher())
	for addr, l := range of {
		names[addr] = l.identity
	}
	return names
}

func unknownLoader(i, n int) string {
	if i == n-1 {
		return ""
	}
	return fmt.Sprintf("loader#%d", n-1-i)
}

// groupLoaders returns the class loaders, the oldest first. of maps the addresses of their ClassLoaderData.
func (n *namer) groupLoaders(snap *snapshot, place uint64) (all []*classLoader, of map[uint64]*classLoader) {
	of = map[uint64]*classLoader{}
	known := map[[2]uint64]*classLoader{} // key: class, name-and-id
	for i := len(snap.loaders) - 1; i >= 0; i-- {
		data := snap.loaders[i]
		klass := le.Uint64(data.bytes[place:])
		name := le.Uint64(data.bytes[place+8:])
		id := le.Uint64(data.bytes[place+16:])
		l := known[[2]uint64{klass, id}]
		if l == nil {
			l = &classLoader{everyVM: klass == 0}
			if klass != 0 {
				l.name, l.everyVM = n.loaderName(snap.klasses[klass].name, name)
			}
			known[[2]uint64{klass, id}] = l
			all = append(all, l)
		}
		of[data.addr] = l
		if !l.everyVM {
			l.classes = append(l.classes, n.ordinaryClasses(snap, data.klasses)...)
		}
	}
	return all, of
}

func (n *namer) ordinaryClasses(snap *snapshot, klasses []uint64) (classes []loadedClass) {
	for _, k := range slices.Backward(klasses) {
		class, err := n.symbolText(snap.klasses[k].name)
		if err == nil && isOrdinaryName(class) && n.spendOnText(class) == nil {
			classes = append(classes, loadedClass{class, k})
		}
	}
	return classes
}

// isOrdinaryName reports whether a class has the same name in every run.
func isOrdinaryName(class string) bool {
	return class != "" && class[0] != '[' && !javanames.IsHidden(class)
}

const maxLoaderName = 200

func (n *namer) loaderName(klass, given uint64) (name string, ofVM bool) {
	class, err := n.symbolText(klass)
	if err != nil {
		return "loader", false
	}
	if n.spendOnText(class) != nil {
		return "", false // reading has ended
	}
	if name, ok := loaderNames[class]; ok {
		return name, true
	}
	if given == 0 {
		return class, false
	}
	if name, err := n.symbolText(given); err == nil && name != "" && len(name) <= maxLoaderName {
		return class + "[" + name + "]", false
	}
	return class, false
}

func (n *namer) findLoaderKlassOffset(snap *snapshot) uint64 {
	for at := n.s.loader.next + 8; at+24 <= uint64(n.s.loader.size); at += 8 {
		boot, others := 0, true
		for _, l := range snap.loaders {
			klass := le.Uint64(l.bytes[at:])
			if klass == 0 {
				boot++
			} else if _, ok := snap.klasses[klass]; !ok {
				others = false
				break
			}
		}
		if others && boot < len(snap.loaders) && boot >= 1 {
			return at
		}
	}
	return 0
}

// nameByContent sets the identity of each loader of the program: its name and an anchor, "org/Foo@" and 16
// hexadecimal digits of the hash of a class's name and code. The anchor is
//
//   - the first class it loaded that others of its name have, too, but with other code:
//     versions of one class;
//   - or else the first class that no other has, if it has sufficiently many of these.
//
// A loader loads its first classes in the same order in most runs, regardless of later classes and of other loaders.
// So the identity stays the same if a run loads more classes or has more loaders. Loaders of one name without an anchor
// have the same classes. They share the name as their identity, and a dump adds up the profiles of their classes.
func nameByContent(loaders []*classLoader, codeOf func(klass uint64) (uint64, bool)) {
	groups := map[string][]*classLoader{}
	for _, l := range loaders {
		l.identity = l.name
		if len(l.classes) > 0 && !l.everyVM { // a loader without classes has no methods
			groups[l.name] = append(groups[l.name], l)
		}
	}
	for _, group := range groups {
		v := newVersions(group, codeOf)
		for _, l := range group {
			if anchor, ok := v.findAnchor(l); ok {
				l.identity = fmt.Sprintf("%s@%016x", l.name, anchor)
			}
		}
	}
}

// minAnchorShare is the limit of the second kind of anchor: one in this number of a loader's classes must be its own.
// Loaders of one jar differ only in the classes that they happened to load.
const minAnchorShare = 8

func (v *versions) findAnchor(l *classLoader) (hash uint64, ok bool) {
	own := 0
	first := loadedClass{}
	for _, c := range l.classes {
		switch v.distinguish(c) {
		case onlyVersion:
			return v.hashClass(c), true
		case onlyName:
			if own++; own == 1 {
				first = c
			}
		}
	}
	return v.hashClass(first), own > 0 && own*minAnchorShare >= len(l.classes)
}

func (v *versions) hashClass(c loadedClass) uint64 {
	code, ok := v.codeHashes[c.klass]
	if !ok && c.klass != 0 {
		code, _ = v.codeOf(c.klass)
	}
	return xxhash.Sum64String(fmt.Sprintf("%s %x", c.name, code))
}

type distinction uint8

const (
	shared      distinction = iota // others have the same class, or it is unknown
	onlyName                       // no other has a class of the same name
	onlyVersion                    // others have it with other code
)

// maxCompared limits the classes whose code is compared. Loaders of different versions soon load a class that differs.
const maxCompared = 1024

type versions struct {
	klasses    map[string][]uint64       // klasses by class name
	codeHashes map[uint64]uint64         // hashes of compared klasses
	loaders    map[string]map[uint64]int // number of loaders by class name and hash
	compared   int
	codeOf     func(klass uint64) (uint64, bool)
}

func newVersions(group []*classLoader, codeOf func(klass uint64) (uint64, bool)) *versions {
	v := &versions{klasses: map[string][]uint64{}, codeHashes: map[uint64]uint64{}, loaders: map[string]map[uint64]int{},
		codeOf: codeOf}
	for _, l := range group {
		for _, c := range l.classes {
			v.klasses[c.name] = append(v.klasses[c.name], c.klass)
		}
	}
	return v
}

func (v *versions) distinguish(c loadedClass) distinction {
	if len(v.klasses[c.name]) == 1 {
		return onlyName
	}
	if _, known := v.loaders[c.name]; !known {
		v.loaders[c.name] = v.countVersions(v.klasses[c.name])
	}
	if v.loaders[c.name][v.codeHashes[c.klass]] == 1 {
		return onlyVersion
	}
	return shared
}

func (v *versions) countVersions(klasses []uint64) map[uint64]int {
	if v.compared += len(klasses); v.compared > maxCompared {
		return nil
	}
	count := map[uint64]int{}
	for _, k := range klasses {
		hash, ok := v.codeOf(k)
		if !ok {
			return nil
		}
		v.codeHashes[k] = hash
		count[hash]++
	}
	return count
}

// classHasher returns a function that hashes the code of all methods of a class; ok is false if it cannot be read. It
// has a separate budget, since methods are also read elsewhere.
func (n *namer) classHasher() func(klass uint64) (hash uint64, ok bool) {
	apart := *n
	apart.budget = n.budget.meter.structureBudget()
	return func(klass uint64) (hash uint64, ok bool) {
		methods, err := apart.methodTexts(klass)
		if err != nil {
			return 0, false
		}
		slices.Sort(methods) // the VM's order varies
		h := xxhash.New()
		for _, m := range methods {
			_, _ = h.WriteString(m)
		}
		return max(h.Sum64(), 1), true
	}
}

func (n *namer) methodTexts(klass uint64) (all []string, err error) {
	array, err := wordAt(n.src, klass+n.s.klass.methods)
	if err != nil {
		return nil, err
	}
	methods, err := n.s.methodArray(n.src, array)
	if err == nil {
		err = n.budget.spendUnits(len(methods) * pointerWidth)
	}
	for i := 0; i < len(methods) && err == nil; i++ {
		var constMethod uint64
		var m methodName
		constMethod, err = wordAt(n.src, methods[i]+n.s.method.constMethod)
		if err == nil {
			m, err = n.readConstMethod(constMethod)
			if err == nil {
				err = n.spendOnText(m.name, m.signature)
			}
		}
		all = append(all, fmt.Sprintf("%s%s %x", m.name, m.signature, bytecode.CodeID(m.code)))
	}
	return all, err
}
