package parse

import "github.com/profarc/profarc/reader"

// A FirstError keeps the first error of an exporter. The exporter goes on, and its output is then undefined.
type FirstError struct{ Err error }

// Fail keeps the first error, and reports whether there was one.
func (f *FirstError) Fail(err error) bool {
	if f.Err == nil {
		f.Err = err
	}
	return f.Err != nil
}

// Text returns the text of a name, or "" with an error.
func (f *FirstError) Text(n reader.Name, err error) string {
	f.Fail(err)
	return n.String()
}
