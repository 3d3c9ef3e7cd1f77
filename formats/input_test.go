package formats

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Small reads and large ones give the bytes of a file one after the other,
// until the context ends.
func TestReadsOfAllSizes(t *testing.T) {
	want := slices.Concat(bytes.Repeat([]byte("abc"), headSize), bytes.Repeat([]byte("defg"), 2*largeRead))
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, want, 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	in, err := openInput(ctx, Input{Name: path}, &ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if _, err := in.Peek(headSize); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(want)-largeRead)
	read := 0
	for _, size := range []int{1, largeRead, 10, headSize, len(got)} {
		n, err := io.ReadFull(in, got[read:min(read+size, len(got))])
		if read += n; err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(got, want[:read]) || read != len(got) {
		t.Error("other bytes")
	}
	cancel()
	if _, err := in.Read(make([]byte, largeRead)); !errors.Is(err, context.Canceled) {
		t.Errorf("once the context has ended: %v", err)
	}
}

// TestTextMark: the mark in front of UTF-8 is no part of a text of any format,
// and the error for UTF-16 names it.
func TestTextMark(t *testing.T) {
	for name, text := range map[string]string{
		"iprof":   `{"version":"1.0.0","types":[],"methods":[]}`,
		"jamaica": "PROFILE: 1 (100%) A.m()V\n",
	} {
		in, err := decompress("app", strings.NewReader("\ufeff"+text), 0)
		if err != nil {
			t.Fatal(err)
		}
		i, err := in.detect(Importers())
		if err != nil || i.Format().Name != name {
			t.Fatalf("%s: %+v, %v", name, i, err)
		}
		if rest, err := io.ReadAll(in); string(rest) != text || err != nil {
			t.Errorf("%s: read %q, %v", name, rest, err)
		}
	}
	for _, text := range []string{"\xff\xfe{\x00", "\xfe\xff\x00{"} {
		in, err := decompress("app", strings.NewReader(text), 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.detect(Importers()); err == nil || err.Error() != "app: it is UTF-16: convert it to UTF-8 first" {
			t.Errorf("%q: %v", text, err)
		}
	}
}
