package main

import (
	"errors"
	"strings"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// methodText is how a method is printed: as PrintMethodData does where the
// domain is hotspot, and as the producer spells it elsewhere.
func methodText(d layout.Domain, k layout.Key) string {
	if k.Class == "" {
		return k.Name + k.Signature
	}
	class, between := k.Class, ""
	if d == layout.DomainHotSpot {
		class = strings.ReplaceAll(class, "/", ".")
	}
	if k.Signature != "" && !strings.HasPrefix(k.Signature, "(") {
		between = " "
	}
	return class + "::" + k.Name + between + k.Signature
}

// keysOf are the keys that a text may mean in a domain, the likeliest first:
// "java/lang/String.length()I", "java.lang.String::length()I", or a whole name
// where the domain has no classes.
func keysOf(d layout.Domain, text, loader string) []layout.Key {
	if d.LLVM() || d == layout.DomainJamaica {
		return []layout.Key{{Name: text, Loader: loader}}
	}
	name, signature := cutSignature(d, text)
	k := layout.Key{Name: name, Signature: signature, Loader: loader}
	if class, method, ok := cutClass(name); ok {
		k.Class, k.Name = class, method
	}
	if d != layout.DomainHotSpot {
		return []layout.Key{k}
	}
	keys := []layout.Key{k}
	if strings.Contains(k.Class, ".") {
		slashed := k
		slashed.Class = strings.ReplaceAll(k.Class, ".", "/")
		keys = []layout.Key{slashed, k}
	}
	return withLoaders(keys)
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

// cutSignature cuts the signature off: it begins with the parameters or, where
// the return type stands before them, behind a blank.
func cutSignature(d layout.Domain, text string) (name, signature string) {
	if d == layout.DomainGraal {
		name, signature, _ = strings.Cut(text, " ")
		return name, signature
	}
	if at := strings.IndexByte(text, '('); at >= 0 {
		return text[:at], text[at:]
	}
	return text, ""
}

func cutClass(text string) (class, name string, ok bool) {
	if class, name, ok = strings.Cut(text, "::"); ok {
		return class, name, true
	}
	at := strings.LastIndexByte(text, '.')
	if at < 0 {
		return "", text, false
	}
	return text[:at], text[at+1:], true
}

// find looks a method up by the keys that a text may mean.
func find(s *reader.Store, keys []layout.Key) (reader.Method, error) {
	for _, k := range keys {
		m, err := s.Find(k)
		if !errors.Is(err, reader.ErrNotFound) {
			return m, err
		}
	}
	return reader.Method{}, reader.ErrNotFound
}

// A shownMethod is how a method is named in JSON.
type shownMethod struct {
	Method    string `json:"method"`
	ID        string `json:"id"`
	Class     string `json:"class,omitempty"`
	Name      string `json:"name"`
	Signature string `json:"signature,omitempty"`
	Loader    string `json:"loader,omitempty"`
}

func shown(s *reader.Store, m reader.Method) (shownMethod, error) {
	k, err := m.Key()
	return shownMethod{methodText(s.Header().Domain, k), idText(m.ID()), k.Class, k.Name, k.Signature, k.Loader}, err
}

// String is the method with its loader.
func (m shownMethod) String() string {
	if m.Loader == "" {
		return m.Method
	}
	return m.Method + " (loader " + m.Loader + ")"
}
