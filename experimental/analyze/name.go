// Package analyze says what the points of a profile recorded, and ranks the methods of an archive by
// a measure, such as invocations. Its points and reports marshal to the JSON that the command prints.
package analyze

import (
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/reader"
)

// A MethodName is a method in a report. Method has all parts but the loader in
// one text, as the archive has them, and Display spells them as programmers do:
// java.util.HashMap.put(Object, Object). ID is in hexadecimal.
type MethodName struct {
	Method    string `json:"method"`
	Display   string `json:"display"`
	ID        string `json:"id"`
	Class     string `json:"class,omitempty"`
	Name      string `json:"name"`
	Signature string `json:"signature,omitempty"`
	Loader    string `json:"loader,omitempty"`

	// LoaderNote is " (loader NAME)" if people need the loader to know the class. It is empty
	// for those that every JVM has, unless the archive has the class of several of them.
	LoaderNote string `json:"-"`
}

// NameOf returns the name of a method. A damaged record is an error.
func NameOf(s *reader.Store, m reader.Method) (MethodName, error) {
	k, err := m.Key()
	d := s.Header().Domain
	return MethodName{display.MethodText(d, k), display.Spelling{}.Method(d, k), display.IDText(m.ID()), k.Class, k.Name,
		k.Signature, k.Loader, display.LoaderNote(s, k.Class, k.Loader)}, err
}

// String returns the method with its loader, as the archive has both.
func (m MethodName) String() string { return m.Method + m.loaderText() }

// Spelled returns the method as programmers write it, with its loader where people need that.
// Two methods may be spelled alike: parameters are without packages.
func (m MethodName) Spelled() string { return m.Display + m.LoaderNote }

func (m MethodName) loaderText() string {
	if m.Loader == "" {
		return ""
	}
	return " (loader " + m.Loader + ")"
}
