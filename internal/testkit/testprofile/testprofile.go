// Package testprofile imports and exports profiles for tests. It creates random pprof CPU profiles and one of Go's
// compiler.
package testprofile

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/reader"
)

// Import merges files into one archive and opens it as test.parc.
func Import(t testing.TB, files ...[]byte) (*reader.Store, *formats.Imported) {
	t.Helper()
	var inputs []formats.Input
	for i, data := range files {
		inputs = append(inputs, formats.Input{Name: fmt.Sprint("file ", i), Reader: bytes.NewReader(data)})
	}
	in, err := formats.Import(t.Context(), inputs, formats.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return memstore.Open(t, in.Builder), in
}

// Export returns the output of e for an archive, and the losses.
func Export(t testing.TB, s *reader.Store, e codec.Exporter) ([]byte, codec.Losses) {
	t.Helper()
	var out bytes.Buffer
	lost, err := formats.Export(t.Context(), &out, s, e)
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), lost
}

// Encode encodes a profile, which must be valid.
func Encode(t testing.TB, p *profile.Profile) []byte {
	t.Helper()
	if err := p.CheckValid(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
