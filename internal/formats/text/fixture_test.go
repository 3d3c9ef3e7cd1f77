package text

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/reader"
)

var update = flag.Bool("update", false, "rewrite the golden files and the example of README.md")

func open(t testing.TB, data []byte) *reader.Store {
	t.Helper()
	m, err := archive.FromBytes("test.parc", data, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return reader.New(m)
}

func bytesOf(t testing.TB, b *builder.Builder) []byte {
	t.Helper()
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// write returns the text of an archive.
func write(t testing.TB, data []byte) string {
	t.Helper()
	var out bytes.Buffer
	report, err := Write(&out, open(t, data))
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Lost) > 0 {
		t.Errorf("lost: %v", report.Lost)
	}
	return out.String()
}

// read returns the archive of a text.
func read(t testing.TB, text string) []byte {
	t.Helper()
	b, _, err := Read(strings.NewReader(text), ReadOptions{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return bytesOf(t, b)
}

// specimens returns the archives of the first release, by name.
func specimens(t testing.TB) map[string][]byte {
	t.Helper()
	texts, err := filepath.Glob(goldenFile("*"))
	if err != nil || len(texts) == 0 {
		t.Fatal("no specimens: ", err)
	}
	all := map[string][]byte{}
	for _, file := range texts {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		all[name], err = os.ReadFile("../../../testdata/v1/" + name + ".parc")
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// golden compares text with a file, or writes the file.
func golden(t *testing.T, file, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != text {
		t.Errorf("%s differs: look at the difference, then go test -run %s -update\n%s", file, t.Name(), text)
	}
}
