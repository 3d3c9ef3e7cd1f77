package stacks_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/formats/stacks/pprof/gopgo"
	"github.com/profarc/profarc/internal/testkit/testprofile"
)

// TestFoldedComesBack: the export of what was imported has the same lines, sorted and summed.
func TestFoldedComesBack(t *testing.T) {
	const text = "main;run;work [k] 7\nmain 2\n\nmain;run 1\nmain;run;work [k] 3\nmain;[unknown] 5\r\n"
	s, in := testprofile.Import(t, []byte(text))
	var out bytes.Buffer
	if _, err := (&stacks.Exporter{}).Export(&out, s); err != nil {
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
	_, in := testprofile.Import(t, []byte(strings.Repeat("a;b 1\n", 40)+"a;b\n"))
	if l := in.Lost[0]; l.What != stacks.LossLines || l.Line != 41 || l.First[0] != "file 0:41: a;b" {
		t.Error(in.Lost)
	}
	_, err := (&stacks.Importer{}).Import(&codec.Input{Name: "x", Reader: strings.NewReader("a;b\n")})
	if !errors.Is(err, stacks.ErrSyntax) || !strings.Contains(err.Error(), "x: line 1") {
		t.Error(err)
	}
}

// TestKindsOfFolded: any byte can be in a frame, and other lines have a rule each.
func TestKindsOfFolded(t *testing.T) {
	for name, c := range map[string]struct {
		text, want string
		what       codec.LossKind
		amount     uint64
	}{
		"comment":   {"# comment 3\nmain;a 1\n", "main;a 1\n", stacks.LossComments, 0},
		"hash":      {"#main;#a 1\n", "#main;#a 1\n", "", 0},
		"diff":      {"main;a 1 2\nmain;b 3 4\n", "main;a 2\nmain;b 4\n", stacks.LossBefore, 4},
		"one count": {"main;a 1 2\nmain;b 3\n", "main;a 1 2\nmain;b 3\n", "", 0},
		"lambda": {"main;a 1\nmain;f()::{lambda()#1} 3\nmain;b 2\n",
			"main;a 1\nmain;b 2\nmain;f()::{lambda()#1} 3\n", "", 0},
		"closure":   {"main;app::run::{closure#0};x 3\n", "main;app::run::{closure#0};x 3\n", "", 0},
		"fraction":  {"main;a 1\nmain;x 1.5\n", "main;a 1\nmain;x 1\n", stacks.LossFractions, 0},
		"zeros":     {"main;a 1.00\n", "main;a 1\n", "", 0},
		"negative":  {"main;a 1\nmain;y -3\n", "main;a 1\n", stacks.LossNegative, 3},
		"tab":       {"main;a 1\nmain;with tab\there 9\n", "main;a 1\nmain;with tab\there 9\n", "", 0},
		"odd line":  {"total: many\nmain;a 1\n", "main;a 1\n", stacks.LossLines, 0},
		"too large": {"main;a 18446744073709551616\nmain;a 1\n", "main;a 1\n", stacks.LossLines, 0},
		"no end":    {"main;a 12\nmain;b 3", "main;a 12\nmain;b 3\n", stacks.LossCut, 0},
		"no digits": {"main;a 1.x\nmain;a 1\nmain;b -\nmain;c 2\n", "main;a 1\nmain;c 2\n", stacks.LossLines, 0},
	} {
		s, in := testprofile.Import(t, []byte(c.text))
		var out bytes.Buffer
		if _, err := (&stacks.Exporter{}).Export(&out, s); err != nil || out.String() != c.want || in.Format != "folded" {
			t.Errorf("%s: %v, %q", name, err, out.String())
		}
		if len(in.Lost) > 1 || (len(in.Lost) == 1) != (c.what != "") {
			t.Errorf("%s: lost %v", name, in.Lost)
		}
		for _, l := range in.Lost {
			if l.What != c.what || l.Amount != c.amount || l.Line == 0 || len(l.First) == 0 {
				t.Errorf("%s: lost %+v", name, l)
			}
		}
		_, built, err := in.Builder.Bytes()
		if err != nil || len(built.Unaccounted) > 0 {
			t.Errorf("%s: %v, %v", name, built.Unaccounted, err)
		}
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
