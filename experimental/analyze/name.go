// Package analyze reads the points of a profile, and ranks the methods of an archive by a measure such as invocations.
// Points and reports marshal to the JSON that the profarc command prints.
//
// This package is experimental. It may change in any release.
package analyze

import (
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/reader"
)

// A MethodName names a method in a report. Method is the class, name and signature in the spelling of the archive.
// Display is the spelling of programmers, such as java.util.HashMap.put(Object, Object). ID is hexadecimal.
type MethodName struct {
	Method    string `json:"method"`
	Display   string `json:"display"`
	ID        string `json:"id"`
	Class     string `json:"class,omitempty"`
	Name      string `json:"name"`
	Signature string `json:"signature,omitempty"`
	Loader    string `json:"loader,omitempty"`

	// LoaderNote is " (loader NAME)" if readers need the loader to identify the class, else "". It is "" for classes of
	// the loaders that every JVM has, unless several loaders define the class in this archive.
	LoaderNote string `json:"-"`
}

// NameOf returns the name of a method. It fails if a record is damaged.
func NameOf(s *reader.Store, m reader.Method) (MethodName, error) {
	k, err := m.Key()
	d := s.Header().Domain
	return MethodName{display.MethodText(d, k), display.Spelling{}.Method(d, k), display.IDText(m.ID()), k.Class, k.Name,
		k.Signature, k.Loader, display.LoaderNote(s, k.Class, k.Loader)}, err
}

// String returns Method followed by the loader, if there is one.
func (m MethodName) String() string { return display.WithLoader(m.Method, m.Loader) }

// Spelled returns Display followed by LoaderNote. Two methods can have the same spelling, because it omits the packages
// of parameter types.
func (m MethodName) Spelled() string { return m.Display + m.LoaderNote }
