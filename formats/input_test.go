package formats

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/memstore"
)

// Small reads and large ones give the bytes of a file one after the other, until the context ends.
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
	if _, err := io.Copy(io.Discard, in); !errors.Is(err, context.Canceled) {
		t.Errorf("once the context has ended: %v", err)
	}
}

// TestNamesWithTextMarks exports profiles whose first function begins with a byte order mark as text and imports them:
// the name is the same.
func TestNamesWithTextMarks(t *testing.T) {
	for kind, text := range map[string]string{
		"proftext":         "# Name:\n%s\n1\n2\n3\n4\n\n%[1]s\n2\n2\n3\n4\n\n",
		"llvm-sample-text": "# Name:\n%s:10:1\n 1: 10 %[1]s:5\n 2: %[1]s:5\n  1: 5\n",
		"folded":           "\ufeff%s 1\nmain;%[1]s 2\n",
	} {
		for _, mark := range []string{"\ufeff", "\xff\xfe", "\xfe\xff"} {
			name := mark + "main"
			first := exportedText(t, kind, fmt.Sprintf(text, name))
			if strings.Count(first, name) < 2 {
				t.Errorf("%s: %q", kind, first)
			}
			if again := exportedText(t, kind, first); again != first {
				t.Errorf("%s: %q, and again %q", kind, first, again)
			}
		}
	}
}

// exportedText imports a text and exports the profile in a form.
func exportedText(t *testing.T, kind, text string) string {
	t.Helper()
	in, err := Import(t.Context(), []Input{{Name: "app", Reader: strings.NewReader(text)}}, ImportOptions{})
	if err != nil {
		t.Fatalf("%s: %v", kind, err)
	}
	exporters := Exporters()
	i := slices.IndexFunc(exporters, func(e codec.Exporter) bool { return e.Format().Name == kind })
	var out strings.Builder
	_, err = Export(t.Context(), &out, memstore.Open(t, in.Builder), exporters[i])
	if err != nil {
		t.Fatalf("%s: %v", kind, err)
	}
	return out.String()
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
		t.Run(text, func(t *testing.T) {
			in, err := decompress("app", strings.NewReader(text), 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := in.detect(Importers()); err == nil || err.Error() != "app: it is UTF-16: convert it to UTF-8 first" {
				t.Errorf("%q: %v", text, err)
			}
		})
	}
}

// detected returns the name of the format of a text, or the error that names it.
func detected(text string) (string, error) {
	in, err := decompress("app", strings.NewReader(text), 0)
	if err != nil {
		return "", err
	}
	i, err := in.detect(Importers())
	if err != nil {
		return "", err
	}
	return i.Format().Name, nil
}

// TestPagesAreNoProfiles checks that an HTML page is refused even if it shows a profile.
func TestPagesAreNoProfiles(t *testing.T) {
	full.Only(t, "takes many inputs")
	const dump = "static A::m()V\n  interpreter_invocation_count:          3\n"
	long := strings.Repeat("a text\n", headSize)
	for _, page := range []string{
		"<!doctype html>\n<html lang=\"en\">", "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\">\n<HTML>",
		"\n <html><head>", "<html lang=en>\n<body>",
		"<!-- made by a -> b -->\n<!-- > -->\n<!doctype html><title>", "<?xml version=\"1.0\"?>\n<!DOCTYPE html>\n<html>",
		"\ufeff<!doctype html><p>",
	} {
		for _, text := range []string{page, page + "<pre>\n" + dump, page + long, page + "PROFILE: 1 (100%) A.m()V\n"} {
			if name, err := detected(text); err == nil ||
				!strings.Contains(err.Error(), "app: it is an HTML page: name an archive, or import the profile") {
				t.Errorf("%.40q: %s, %v", text, name, err)
			}
		}
	}
	for _, text := range []string{"<html>;main 3\n", "<!doctype html>;main 3\n", "<htmlx><b>\n", "<!doctype htmlx><b>\n",
		"main <!doctype html><b>\n", "<b><!doctype html><b>\n"} {
		if name, err := detected(text + long); err != nil {
			t.Errorf("%.40q: %s, %v", text, name, err)
		}
	}
}

// FuzzDetect detects the format of any text. A text recognised as a page must begin with a tag and contain html.
func FuzzDetect(f *testing.F) {
	for _, seed := range []string{"<!doctype html><p>", "<html>;main 3\n", "<!--", "<?xml >< !-- -->", "\xff\xfe<",
		"main;a 3\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, packed := range []string{"\x1f\x8b", "\x28\xb5\x2f\xfd"} { // gzip, zstd
			if strings.HasPrefix(text, packed) {
				return
			}
		}
		_, err := detected(text)
		if err == nil || !strings.Contains(err.Error(), "an HTML page") {
			return
		}
		begin := strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
		if !strings.HasPrefix(begin, "<") || !strings.Contains(strings.ToLower(begin), "html") {
			t.Errorf("%.60q is taken for a page", text)
		}
	})
}

// TestFailedImportEndsItsPipe checks that a failed import leaves no goroutine that waits for a pipe.
func TestFailedImportEndsItsPipe(t *testing.T) {
	r, w := io.Pipe()
	defer r.Close()
	go func() {
		for text := "profarc text 1\ndomain nowhere\n"; ; text = strings.Repeat("more\n", 1<<16) {
			if _, err := io.WriteString(w, text); err != nil {
				return
			}
		}
	}()
	if _, err := Import(t.Context(), []Input{{Name: "pipe", Reader: r}}, ImportOptions{}); err == nil {
		t.Error("it is imported")
	}
	for begun := time.Now(); waitsForPipe(); time.Sleep(time.Millisecond) {
		if time.Since(begun) > 10*time.Second {
			t.Fatal("somebody still waits for the pipe")
		}
	}
}

// waitsForPipe reports whether a goroutine is reading an input that can block.
func waitsForPipe() bool {
	stacks := make([]byte, 1<<20)
	return bytes.Contains(stacks[:runtime.Stack(stacks, true)], []byte("formats.cancellable"))
}
