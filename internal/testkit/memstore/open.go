// Package memstore opens archives in memory, for tests.
package memstore

import (
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/reader"
)

// Open writes the archive of a builder to memory and opens it, with all pages checked, until the test ends.
func Open(t testing.TB, b *builder.Builder) *reader.Store {
	t.Helper()
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	m, err := archive.FromBytes("test.parc", data, archive.Options{CheckAll: true})
	if err != nil {
		t.Fatal(err)
	}
	s := reader.New(m)
	t.Cleanup(func() { s.Close() })
	return s
}
