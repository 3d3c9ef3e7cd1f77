package text

import "github.com/profarc/profarc/layout"

// ParseMethod reads a method as a text spells it, METHOD in the grammar; ok is
// false if it is none.
func ParseMethod(spelled string) (key layout.Key, ok bool) {
	k := keyReader{token: spelled}
	key = k.method()
	return key, k.bad == ""
}

// A keyReader takes the text of a method or type apart.
type keyReader struct {
	token string
	at    int
	bad   string // what is missing at at
}

func (k *keyReader) end() bool { return k.at == len(k.token) || k.bad != "" }

func (k *keyReader) miss(what string) {
	if k.bad == "" {
		k.bad = what
	}
}

// next reports whether text follows.
func (k *keyReader) next(text string) bool {
	return k.bad == "" && len(k.token)-k.at >= len(text) && k.token[k.at:k.at+len(text)] == text
}

func (k *keyReader) skip(text string) bool {
	if !k.next(text) {
		return false
	}
	k.at += len(text)
	return true
}

// part takes a name: a quoted one, or a bare one up to a brace, or to a double
// colon or a parenthesis if it is in front of those.
func (k *keyReader) part(colons, parenthesis bool) string {
	if k.next(`"`) {
		return k.quotedPart()
	}
	start := k.at
	for !k.end() && !k.next("{") && !k.next("}") && !k.next(`"`) && !(colons && k.next("::")) && !(parenthesis && k.next("(")) {
		k.at++
	}
	if k.at == start {
		k.miss(`a name; an empty one is ""`)
	}
	return k.token[start:k.at]
}

func (k *keyReader) quotedPart() string {
	rest := []byte(k.token[k.at:])
	end := quotedEnd(rest)
	if end < 0 {
		k.miss("a closing quote")
		return ""
	}
	name, bad := unquote(rest[:end])
	if bad >= 0 {
		k.at += bad
		k.miss(`an escape: \" \\ \n or \xHH`)
		return ""
	}
	k.at += end
	return string(name)
}

// loader takes the loader in braces, if there is one, and the end.
func (k *keyReader) loader() (name string) {
	if k.skip("{") {
		name = k.part(false, false)
		if !k.skip("}") {
			k.miss("}")
		}
	}
	if !k.end() {
		k.miss("the end of the name")
	}
	return name
}

// method takes a whole METHOD.
func (k *keyReader) method() (key layout.Key) {
	if !k.skip("::") {
		first := k.part(true, false)
		if k.end() {
			return layout.Key{Name: first}
		}
		if key.Class = first; !k.skip("::") {
			k.miss("the end of the name, or :: and the name of a method: a loader is that of a class")
		}
	}
	key.Name = k.part(true, true)
	switch {
	case k.next("("):
		key.Signature = k.part(false, false)
	case k.skip("::"):
		key.Signature = k.part(false, false)
	}
	if key.Loader = k.loader(); key.Loader != "" && key.Class == "" {
		k.miss("a class in front of the method: a loader is that of a class")
	}
	return key
}
