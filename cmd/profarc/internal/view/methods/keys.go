package methods

import (
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/formats/jamaica"
	"github.com/profarc/profarc/internal/formats/text"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/javanames"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/layout"
)

// A split divides a text into text[:end] and text[next:].
type split struct{ end, next int }

func splitsAt(s, mark string) (cuts []split) {
	for at := range len(s) {
		if strings.HasPrefix(s[at:], mark) {
			cuts = append(cuts, split{at, at + len(mark)})
		}
	}
	return cuts
}

// signatureSplits returns the positions where a signature can begin, the likeliest first. These are the parameters or,
// if the return type precedes them, the end of a space or double colon. Method names can contain any of these.
func signatureSplits(d layout.Domain, s string) []split {
	atParameters := lists.Map(splitsAt(s, "("), func(c split) split { return split{c.end, c.end} })
	afterSpace := splitsAt(s, " ")
	none := split{len(s), len(s)}
	if d != layout.DomainGraal {
		return append(append(atParameters, none), afterSpace...)
	}
	var likely []split
	parameters := strings.LastIndexByte(s, '(')
	for _, mark := range []string{" ", "::"} {
		if at := strings.LastIndex(s[:max(parameters, 0)], mark); at >= 0 {
			likely = append(likely, split{at, at + len(mark)})
		}
	}
	return append(append(append(likely, atParameters...), none), afterSpace...)
}

// classSplits returns the positions where the class of a method can end, the likeliest first.
func classSplits(named string) []split {
	cuts := splitsAt(named, "::")
	if at := strings.LastIndexByte(named, '.'); at >= 0 {
		cuts = append(cuts, split{at, at + 1})
	}
	return append(cuts, split{}) // no class
}

// ParseKeys returns the keys that a text may mean in a domain, the likeliest first. It
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
// and java/lang/String.length()I in all domains that have classes. LLVM's keys are whole names.
func ParseKeys(d layout.Domain, spelled, loader string) []layout.Key {
	if loader == bootLoader {
		return slices.DeleteFunc(ParseKeys(d, spelled, ""), func(k layout.Key) bool { return k.Loader != "" })
	}
	r := &readings{domain: d, loader: loader}
	r.addSpelling(spelled)
	if bare := display.WithoutAccess(spelled); bare != spelled {
		r.addSpelling(bare)
	}
	if bare := jamaica.Unmarked(spelled); bare != spelled && d == layout.DomainJamaica {
		r.addSpelling(bare)
	}
	if d == layout.DomainHotSpot {
		return withLoaders(r.keys)
	}
	return r.keys
}

// bootLoader is the users' name for the boot loader, which has no name in archives.
const bootLoader = "boot"

// LoaderMatches reports whether a class loader is the requested one.
func LoaderMatches(asked, loader string) bool {
	return asked == "" || asked == loader || asked == schema.LoaderName(loader) || asked == bootLoader && loader == ""
}

// A readings collects the keys that a text can mean.
type readings struct {
	domain layout.Domain
	loader string // requested loader
	keys   []layout.Key
}

func (r *readings) addKey(k layout.Key) {
	if !slices.Contains(r.keys, k) {
		r.keys = append(r.keys, k)
	}
}

// addSpelling adds the keys of a text, which can name a loader.
func (r *readings) addSpelling(spelled string) {
	r.addWithoutLoader(spelled, r.loader)
	if bare, loader, ok := cutLoader(spelled); ok && (r.loader == "" || r.loader == loader) {
		r.addWithoutLoader(bare, loader)
	}
	k, ok := text.ParseMethod(spelled)
	if ok && k.Loader == "" {
		k.Loader = r.loader
	}
	if ok && (r.loader == "" || r.loader == k.Loader) {
		r.addMember(k)
	}
}

func (r *readings) addWithoutLoader(spelled, loader string) {
	if r.domain.LLVM() || r.domain == layout.DomainJamaica || r.domain == layout.DomainSampled { // names are whole keys
		r.addKey(layout.Key{Name: spelled, Loader: loader})
	}
	if r.domain.LLVM() || r.domain == layout.DomainSampled {
		return
	}
	for _, cut := range signatureSplits(r.domain, spelled) {
		named := spelled[:cut.end]
		signature := spelled[cut.next:]
		for _, at := range classSplits(named) {
			r.addMember(layout.Key{Class: named[:at.end], Name: named[at.next:], Signature: signature, Loader: loader})
		}
	}
}

// addMember adds the keys of a method of a class. In all domains, users write dots in class names, and JVM descriptors.
func (r *readings) addMember(k layout.Key) {
	slashed := k
	slashed.Class = strings.ReplaceAll(k.Class, ".", "/")
	switch r.domain {
	case layout.DomainHotSpot:
		r.addKey(slashed)
	case layout.DomainJamaica:
		if k.Class != "" {
			r.addKey(layout.Key{Name: slashed.Class + "." + k.Name + k.Signature, Loader: k.Loader})
		}
	}
	r.addKey(k)
	if signature, ok := javanames.GraalSignature(k.Signature); ok && r.domain == layout.DomainGraal {
		dotted := k
		dotted.Class = strings.ReplaceAll(k.Class, "/", ".")
		dotted.Signature = signature
		r.addKey(dotted)
	}
}

// withLoaders repeats the keys without a loader for each loader that every JVM has, since users rarely know the loader.
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

func cutLoader(spelled string) (bare, loader string, ok bool) {
	const mark = " (loader "
	at := strings.LastIndex(spelled, mark)
	if at < 0 || !strings.HasSuffix(spelled, ")") {
		return spelled, "", false
	}
	return spelled[:at], spelled[at+len(mark) : len(spelled)-1], true
}
