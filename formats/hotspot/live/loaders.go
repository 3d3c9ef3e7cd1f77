package live

import (
	"fmt"
	"slices"

	"github.com/profarc/profarc/internal/jvm/names"
)

// Loader identities. A class loader is named so that the next run gives the
// same name:
//
//	""          the boot loader
//	"platform"  the platform class loader of the JDK
//	"app"       the application class loader of the JDK
//	else        the internal name of the loader's class, with the name that the
//	            program gave the loader, if it gave one, "org/Foo[plugins]", and
//	            with what it has loaded; see nameByContent

var loaderNames = map[string]string{
	"jdk/internal/loader/ClassLoaders$PlatformClassLoader": "platform",
	"jdk/internal/loader/ClassLoaders$AppClassLoader":      "app",
}

// A classLoader is one class loader of the VM.
type classLoader struct {
	name     string        // as above, which other loaders may have too
	classes  []loadedClass // that it has defined, the oldest first; no arrays, no hidden classes
	ofVM     bool          // there is one in every JVM
	identity string
}

// A loadedClass is a class of a loader.
type loadedClass struct {
	name  string
	klass uint64
}

// loaderNames gives every ClassLoaderData the identity of its loader. The loader
// itself is an object, which a garbage collector may be moving; but behind _next
// a ClassLoaderData keeps, unexported, the loader's class and its name with an
// identity hash:
//
//	Klass* _class_loader_klass; Symbol* _name; Symbol* _name_and_id
//
// Their place is where every ClassLoaderData but the boot loader's has a class.
// A loader has several ClassLoaderData if it has hidden classes.
func (n *namer) loaderNames(snap *snapshot) map[uint64]string {
	names := map[uint64]string{}
	place := n.loaderKlass(snap)
	if place == 0 {
		for i, l := range snap.loaders {
			names[l.addr] = unknownLoader(i, len(snap.loaders))
		}
		return names
	}
	loaders, of := n.loaders(snap, place)
	nameByContent(loaders, n.classCode())
	for addr, l := range of {
		names[addr] = l.identity
	}
	return names
}

// unknownLoader names a loader of which nothing is known: the last of the list
// is the boot loader.
func unknownLoader(i, n int) string {
	if i == n-1 {
		return ""
	}
	return fmt.Sprintf("loader#%d", n-1-i)
}

// loaders are the class loaders, the oldest first: the VM's list has the newest
// first. of has them by the addresses of their ClassLoaderData.
func (n *namer) loaders(snap *snapshot, place uint64) (all []*classLoader, of map[uint64]*classLoader) {
	of = map[uint64]*classLoader{}
	known := map[[2]uint64]*classLoader{} // by class and name-and-id
	for i := len(snap.loaders) - 1; i >= 0; i-- {
		data := snap.loaders[i]
		klass, name, id := le.Uint64(data.bytes[place:]), le.Uint64(data.bytes[place+8:]), le.Uint64(data.bytes[place+16:])
		l := known[[2]uint64{klass, id}]
		if l == nil {
			l = &classLoader{}
			l.ofVM = klass == 0
			if klass != 0 {
				l.name, l.ofVM = n.loaderName(snap.klasses[klass].name, name)
			}
			known[[2]uint64{klass, id}] = l
			all = append(all, l)
		}
		of[data.addr] = l
		if !l.ofVM {
			l.classes = append(l.classes, n.loaded(snap, data.klasses)...)
		}
	}
	return all, of
}

// loaded are the ordinary classes of a ClassLoaderData, the oldest first.
func (n *namer) loaded(snap *snapshot, klasses []uint64) (classes []loadedClass) {
	for _, k := range slices.Backward(klasses) {
		if class, err := n.symbol(snap.klasses[k].name); err == nil && ordinary(class) && n.use(class) == nil {
			classes = append(classes, loadedClass{class, k})
		}
	}
	return classes
}

// ordinary reports whether a class has a name of its own in every run.
func ordinary(class string) bool {
	return class != "" && class[0] != '[' && !names.IsHidden(class)
}

// maxLoaderName bounds the names that programs give loaders.
const maxLoaderName = 200

// loaderName names a loader by its class and the name that the program gave it.
// ofVM is true of those that every JVM has.
func (n *namer) loaderName(klass, given uint64) (name string, ofVM bool) {
	class, err := n.symbol(klass)
	if err != nil {
		return "loader", false
	}
	if n.use(class) != nil {
		return "", false // reading has ended
	}
	if name, ok := loaderNames[class]; ok {
		return name, true
	}
	if given == 0 {
		return class, false
	}
	if name, err := n.symbol(given); err == nil && name != "" && len(name) <= maxLoaderName {
		return class + "[" + name + "]", false
	}
	return class, false
}

// loaderKlass finds the place of _class_loader_klass, 0 if there is none.
func (n *namer) loaderKlass(snap *snapshot) uint64 {
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
