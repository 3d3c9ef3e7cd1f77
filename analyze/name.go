// Package analyze ranks the methods of an archive by a measure, such as invocations. Its
// reports marshal to the JSON that the command prints.
package analyze

import (
	"fmt"

	"github.com/profarc/profarc/internal/naming"
	"github.com/profarc/profarc/reader"
)

// A MethodName is a method in a report. Method has all parts but the loader in
// one text; ID is in hexadecimal.
type MethodName struct {
	Method    string `json:"method"`
	ID        string `json:"id"`
	Class     string `json:"class,omitempty"`
	Name      string `json:"name"`
	Signature string `json:"signature,omitempty"`
	Loader    string `json:"loader,omitempty"`
}

// NameOf returns the name of a method. The error is that of a damaged record.
func NameOf(s *reader.Store, m reader.Method) (MethodName, error) {
	k, err := m.Key()
	return MethodName{naming.MethodText(s.Header().Domain, k), fmt.Sprintf("%016x", m.ID()), k.Class, k.Name, k.Signature, k.Loader}, err
}

// String returns the method with its loader.
func (m MethodName) String() string {
	if m.Loader == "" {
		return m.Method
	}
	return m.Method + " (loader " + m.Loader + ")"
}
