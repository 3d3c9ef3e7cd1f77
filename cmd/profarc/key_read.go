package main

import (
	"slices"
	"strings"

	"github.com/profarc/profarc/formats/jamaica"
	"github.com/profarc/profarc/formats/text"
	"github.com/profarc/profarc/layout"
)

// keysOf are the keys that a text may mean in a domain, the likeliest first. It
// takes all spellings that profarc prints:
//
//	java.lang.String::length()I        as show, top and lookup print it,
//	String::length()I (loader app)     with its loader and
//	static String::length()I           access flags
//	Fib::fib int(int)                  of domain graal
//	java/nio/B.put(B)V                 of domain jamaica, whose key is one name
//	java/nio/B.put(B)V(interpreted)    as its profile spells it in lines of cycles
//	Fib::fib::int(int){app}            as export -t text writes it
//
// and java/lang/String.length()I in all domains that have classes. LLVM's keys
// are whole names.
func keysOf(d layout.Domain, spelled, loader string) []layout.Key {
	if loader == bootLoader {
		return slices.DeleteFunc(keysOf(d, spelled, ""), func(k layout.Key) bool { return k.Loader != "" })
	}
	r := &readings{domain: d, loader: loader}
	r.read(spelled)
	if bare := cutAccess(spelled); bare != spelled {
		r.read(bare)
	}
	if bare := jamaica.Unmarked(spelled); bare != spelled && d == layout.DomainJamaica {
		r.read(bare)
	}
	if d == layout.DomainHotSpot {
		return withLoaders(r.keys)
	}
	return r.keys
}

// bootLoader asks for classes of the boot loader, which has no name in archives.
const bootLoader = "boot"

// loaderIs reports whether a class loader is the one that was asked for.
func loaderIs(asked, loader string) bool {
	return asked == "" || asked == loader || asked == bootLoader && loader == ""
}

// readings are the keys that a text may mean.
type readings struct {
	domain layout.Domain
	loader string // that was asked for
	keys   []layout.Key
}

func (r *readings) add(k layout.Key) {
	if !slices.Contains(r.keys, k) {
		r.keys = append(r.keys, k)
	}
}

// read adds what a text may mean, which may name a loader.
func (r *readings) read(spelled string) {
	r.whole(spelled, r.loader)
	if bare, loader, ok := cutLoader(spelled); ok && (r.loader == "" || r.loader == loader) {
		r.whole(bare, loader)
	}
	k, ok := text.ParseMethod(spelled)
	if ok && k.Loader == "" {
		k.Loader = r.loader
	}
	if ok && (r.loader == "" || r.loader == k.Loader) {
		r.member(k)
	}
}

// whole adds what a text without a loader may mean.
func (r *readings) whole(spelled, loader string) {
	if r.domain.LLVM() || r.domain == layout.DomainJamaica {
		r.add(layout.Key{Name: spelled, Loader: loader})
	}
	if r.domain.LLVM() {
		return
	}
	for _, cut := range signatureCuts(r.domain, spelled) {
		named, signature := spelled[:cut.end], spelled[cut.next:]
		for _, at := range classCuts(named) {
			r.member(layout.Key{Class: named[:at.end], Name: named[at.next:], Signature: signature, Loader: loader})
		}
	}
}

// member adds what a method of a class may be in the domain: people write dots
// in the names of all classes, and descriptors of all methods.
func (r *readings) member(k layout.Key) {
	slashed := k
	slashed.Class = strings.ReplaceAll(k.Class, ".", "/")
	switch r.domain {
	case layout.DomainHotSpot:
		r.add(slashed)
	case layout.DomainJamaica:
		if k.Class != "" {
			r.add(layout.Key{Name: slashed.Class + "." + k.Name + k.Signature, Loader: k.Loader})
		}
	}
	r.add(k)
	if signature, ok := graalSignature(k.Signature); ok && r.domain == layout.DomainGraal {
		dotted := k
		dotted.Class, dotted.Signature = strings.ReplaceAll(k.Class, "/", "."), signature
		r.add(dotted)
	}
}

// withLoaders adds, behind keys that name no loader, the same of the loaders
// that every JVM has: whoever types a method's name rarely knows who loaded it.
func withLoaders(keys []layout.Key) []layout.Key {
	all := keys
	for _, loader := range []string{"app", "platform"} {
		for _, k := range keys {
			if k.Loader == "" {
				k.Loader = loader
				all = append(all, k)
			}
		}
	}
	return all
}

// cutLoader cuts off what is printed of a loader.
func cutLoader(spelled string) (bare, loader string, ok bool) {
	const mark = " (loader "
	at := strings.LastIndex(spelled, mark)
	if at < 0 || !strings.HasSuffix(spelled, ")") {
		return spelled, "", false
	}
	return spelled[:at], spelled[at+len(mark) : len(spelled)-1], true
}

// cutAccess cuts off the access flags that show prints in front of a method.
func cutAccess(spelled string) string {
	for {
		word, rest, ok := strings.Cut(spelled, " ")
		if !ok || !slices.Contains(strings.Fields(accessText(^uint32(0))), word) {
			return spelled
		}
		spelled = rest
	}
}
