package live

import "fmt"

// Loader identities. A class loader is named so that the next run gives the
// same name:
//
//	""          the boot loader
//	"platform"  the platform class loader of the JDK
//	"app"       the application class loader of the JDK
//	else        the internal name of the loader's class; further instances of one
//	            class are told apart by their order of appearance: "org/Foo#2"
//
// The VM's list has the newest class loader first, so that order is its reverse.

var loaderNames = map[string]string{
	"jdk/internal/loader/ClassLoaders$PlatformClassLoader": "platform",
	"jdk/internal/loader/ClassLoaders$AppClassLoader":      "app",
}

// loaderNames gives every ClassLoaderData the name of its loader. The loader
// itself is an object, which a garbage collector may be moving; but behind _next
// a ClassLoaderData keeps, unexported, the loader's class and its name with an
// identity hash:
//
//	Klass* _class_loader_klass; Symbol* _name; Symbol* _name_and_id
//
// Their place is where every ClassLoaderData but the boot loader's has a class.
func (n *namer) loaderNames(snap *snapshot) map[uint64]string {
	names := map[uint64]string{}
	place := n.loaderKlass(snap)
	seen := map[string]int{}        // instances of a class
	known := map[[2]uint64]string{} // by class and name-and-id
	for i := len(snap.loaders) - 1; i >= 0; i-- {
		l := snap.loaders[i]
		if place == 0 {
			names[l.addr] = unknownLoader(i, len(snap.loaders))
			continue
		}
		klass, id := le.Uint64(l.bytes[place:]), le.Uint64(l.bytes[place+16:])
		if klass == 0 {
			names[l.addr] = ""
			continue
		}
		name, ok := known[[2]uint64{klass, id}]
		if !ok {
			name = n.loaderName(snap.klasses[klass].name, seen)
			known[[2]uint64{klass, id}] = name
		}
		names[l.addr] = name
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

// loaderName names a loader that was not met before.
func (n *namer) loaderName(symbol uint64, seen map[string]int) string {
	class, err := n.symbol(symbol)
	if err != nil {
		class = "loader"
	}
	if name, ok := loaderNames[class]; ok {
		class = name
	}
	if seen[class]++; seen[class] > 1 {
		return fmt.Sprintf("%s#%d", class, seen[class])
	}
	return class
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
