package perf_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/formats/stacks/perf"
	"github.com/profarc/profarc/internal/testkit/testprofile"
)

const printed = `# captured on: Mon Nov 23 04:00:00 2026
app  4711/4712  [001]  1234.567890:     250000 cpu-clock:ppp: 
	          401136 leaf+0x6 (/tmp/app)
	          401160 middle(int, char)+0x10 (/tmp/app)
	    7f12345678 [unknown] (/lib/libc.so.6)
	          401180 main+0x20 (/tmp/app)

two words  4711 1234.577890: cycles: 
	          401136 leaf+0x7 (/tmp/app)
  app.c:12
	          401180 main+0x20 (/tmp/app)
  app.c:30 (discriminator 2)

app  4711  1234.587890: cycles: 
	          401136 leaf+0x6 (/tmp/app)
	          401160 middle(int, char)+0x10 (/tmp/app)
	    7f12345678 [unknown] (/lib/libc.so.6)
	          401180 main+0x20 (/tmp/app)

swapper     0 [000]  1234.600000:     1 cycles: 

`

func TestSamplesOfPerf(t *testing.T) {
	s, in := testprofile.Import(t, []byte(printed))
	var folded bytes.Buffer
	if err := stacks.WriteFolded(&folded, s); err != nil {
		t.Fatal(err)
	}
	if want := "main;[unknown];middle(int, char);leaf 2\nmain;leaf 1\n"; folded.String() != want || in.Format != "perf" {
		t.Errorf("%s: got\n%swant\n%s", in.Format, folded.String(), want)
	}
	if in.Lost.Count(perf.LossNoStack) != 1 || in.Lost.Count(perf.LossPeriods) != 2 {
		t.Errorf("lost %v", in.Lost)
	}
}

func TestDamagedLines(t *testing.T) {
	for _, text := range []string{printed + "app 1 2.3: cycles:\n\tnothing\n",
		strings.Replace(printed, "(/tmp/app)", "", 2)} {
		_, err := formats.Import(t.Context(), []formats.Input{{Name: "x", Reader: strings.NewReader(text)}},
			formats.ImportOptions{Importers: []codec.Importer{always{&perf.Importer{}}}})
		if !errors.Is(err, perf.ErrSyntax) || !strings.Contains(err.Error(), "x: line ") {
			t.Error(err)
		}
	}
}

// always is an importer that takes any input.
type always struct{ *perf.Importer }

func (always) Detect([]byte, bool) bool { return true }

func FuzzImport(f *testing.F) {
	f.Add([]byte(printed))
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := formats.Import(t.Context(), []formats.Input{{Name: "x", Reader: bytes.NewReader(data)}},
			formats.ImportOptions{})
		if err == nil && in.Builder.Err() != nil {
			t.Fatal(in.Builder.Err())
		}
	})
}
