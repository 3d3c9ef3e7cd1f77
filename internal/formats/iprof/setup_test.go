package iprof

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/reader"
)

// read imports a valid text and returns the archive.
func read(tb testing.TB, text string, o ReadOptions) ([]byte, *Report) {
	tb.Helper()
	b, report, err := Read(strings.NewReader(text), o)
	if err != nil {
		tb.Fatal(err)
	}
	return archiveOf(tb, b), report
}

func archiveOf(tb testing.TB, b *builder.Builder) []byte {
	tb.Helper()
	data, _, err := b.Bytes()
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func open(tb testing.TB, data []byte) *reader.Store {
	tb.Helper()
	m, err := archive.FromBytes("test", data, archive.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	s := reader.New(m)
	tb.Cleanup(func() { s.Close() })
	return s
}

// write exports an archive.
func write(tb testing.TB, data []byte, o WriteOptions) (string, *codec.Report) {
	tb.Helper()
	var out bytes.Buffer
	report, err := Write(&out, open(tb, data), o)
	if err != nil {
		tb.Fatal(err)
	}
	return out.String(), report
}

// sameJSON fails if two texts differ as JSON. Numbers are compared digit by digit.
func sameJSON(tb testing.TB, got, want string) {
	tb.Helper()
	decode := func(text string) (v any) {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			tb.Fatalf("%v in %.200s", err, text)
		}
		return v
	}
	if diff := cmp.Diff(decode(want), decode(got)); diff != "" {
		tb.Errorf("other JSON (-want +got):\n%.2000s", diff)
	}
}
