// Package analyze computes what people ask about an archive: what it says of
// itself, which methods are hottest, and which profile points are polluted. Its
// reports marshal to the JSON that the command prints.
package analyze

import (
	"fmt"
	"strings"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// MethodText is how a method is printed: as PrintMethodData does where the
// domain is hotspot, and as the producer spells it elsewhere.
func MethodText(d layout.Domain, k layout.Key) string {
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

// A MethodName is how a method is named in JSON.
type MethodName struct {
	Method    string `json:"method"`
	ID        string `json:"id"`
	Class     string `json:"class,omitempty"`
	Name      string `json:"name"`
	Signature string `json:"signature,omitempty"`
	Loader    string `json:"loader,omitempty"`
}

func NameOf(s *reader.Store, m reader.Method) (MethodName, error) {
	k, err := m.Key()
	return MethodName{MethodText(s.Header().Domain, k), fmt.Sprintf("%016x", m.ID()), k.Class, k.Name, k.Signature, k.Loader}, err
}

// String is the method with its loader.
func (m MethodName) String() string {
	if m.Loader == "" {
		return m.Method
	}
	return m.Method + " (loader " + m.Loader + ")"
}
