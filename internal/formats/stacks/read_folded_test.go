package stacks_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/formats/stacks/pprof/gopgo"
	"github.com/profarc/profarc/internal/testkit/testprofile"
)

// TestFoldedComesBack: the export of what was imported has the same lines, sorted and summed.
func TestFoldedComesBack(t *testing.T) {
	const text = "main;run;work [k] 7\nmain 2\n\nmain;run 1\nmain;run;work [k] 3\nmain;[unknown] 5\r\n"
	s, in := testprofile.Import(t, []byte(text))
	var out bytes.Buffer
	if err := stacks.WriteFolded(&out, s); err != nil {
		t.Fatal(err)
	}
	if want := "main 2\nmain;[unknown] 5\nmain;run 1\nmain;run;work [k] 10\n"; out.String() != want ||
		in.Format != "folded" {
		t.Errorf("%s: got\n%s, want\n%s", in.Format, out.String(), want)
	}
	if _, err := formats.Export(t.Context(), &out, s, &gopgo.Exporter{}); !errors.Is(err, gopgo.ErrNoStartLines) {
		t.Errorf("stacks without lines for a compiler: %v", err)
	}
}

func TestBrokenFolded(t *testing.T) {
	_,
		err := formats.Import(t.Context(), []formats.Input{{Name: "x",
		Reader: strings.NewReader(strings.Repeat("a;b 1\n", 40) + "a;b\n")}}, formats.ImportOptions{})
	if !errors.Is(err, stacks.ErrSyntax) || !strings.Contains(err.Error(), "x: line 41") {
		t.Error(err)
	}
}

func FuzzFolded(f *testing.F) {
	f.Add([]byte("a;b 1\na;b;c 18446744073709551615\na 0\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := formats.Import(t.Context(), []formats.Input{{Name: "x", Reader: bytes.NewReader(data)}},
			formats.ImportOptions{})
		if err == nil && in.Builder.Err() != nil {
			t.Fatal(in.Builder.Err())
		}
	})
}
