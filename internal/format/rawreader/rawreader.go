// Package rawreader reads the records of the values of package reader, for the
// packages of this module that check a file. Package reader sets its functions.
package rawreader

import (
	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/layout"
)

// MethodRecord returns the record of a reader.Method as it stands in the file, or what
// the record of a method that has a row would be.
var MethodRecord func(method any) disk.MethodRecord

// Signature appends the text of the symbol of a signature, which may be a list of
// symbols, to b. The store is a *reader.Store.
var Signature func(store any, n layout.Ref, b []byte) ([]byte, error)
