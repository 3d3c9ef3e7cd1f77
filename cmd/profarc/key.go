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
	class, between := k.Class, ""
	if d == layout.DomainHotSpot {
		class = strings.ReplaceAll(class, "/", ".")
	}
	if class != "" {
		class += "::"
	}
	if k.Signature != "" && !strings.HasPrefix(k.Signature, "(") {
		between = " "
	}
	return class + k.Name + between + k.Signature
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
