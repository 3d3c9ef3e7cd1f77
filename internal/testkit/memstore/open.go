// Package memstore opens in-memory archives for tests.
package memstore

import (
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/reader"
)

// Open opens the archive of a builder in memory until the test ends. All pages are verified.
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
