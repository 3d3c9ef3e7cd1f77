package perf_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/formats/stacks/perf"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/testprofile"
	"github.com/profarc/profarc/reader"
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
	if _, err := (&stacks.Exporter{}).Export(&folded, s); err != nil {
		t.Fatal(err)
	}
	if want := "main;[unknown];middle(int, char);leaf 250000\n"; folded.String() != want || in.Format != "perf" {
		t.Errorf("%s: got\n%swant\n%s", in.Format, folded.String(), want)
	}
	if in.Lost.Count(perf.LossEvents) != 3 {
		t.Errorf("lost %v", in.Lost)
	}
	other, in := imported(t, printed, "cycles")
	folded.Reset()
	if _, err := (&stacks.Exporter{}).Export(&folded, other); err != nil {
		t.Fatal(err)
	}
	if want := "main;[unknown];middle(int, char);leaf 1\nmain;leaf 1\n"; folded.String() != want {
		t.Errorf("got\n%swant\n%s", folded.String(), want)
	}
	if in.Lost.Count(perf.LossNoStack) != 1 || in.Lost.Count(perf.LossEvents) != 1 {
		t.Errorf("lost %v", in.Lost)
	}
}

// imported returns the samples of an event of a text.
func imported(t *testing.T, text, event string) (*reader.Store, *formats.Imported) {
	t.Helper()
	in, err := formats.Import(t.Context(), []formats.Input{{Name: "x.perf", Reader: strings.NewReader(text)}},
		formats.ImportOptions{Importers: []codec.Importer{always{&perf.Importer{Event: event}}}})
	if err != nil {
		t.Fatal(err)
	}
	_, built, err := in.Builder.Bytes()
	if err != nil || len(built.Unaccounted) > 0 {
		t.Fatal(built.Unaccounted, err)
	}
	return memstore.Open(t, in.Builder), in
}

func TestDamagedLines(t *testing.T) {
	_, in := imported(t, printed+"app 1 2.3: cycles:\n\tnothing\n", "")
	l := in.Lost[slices.IndexFunc(in.Lost, func(l codec.Loss) bool { return l.What == perf.LossLines })]
	if l.Count != 1 || l.Line != 23 || l.First[0] != "x.perf:23: \tnothing" {
		t.Errorf("%+v", in.Lost)
	}
	for end, cut := range map[string]int{"": 1, "\n": 1, "\n\n": 0} {
		_, in := imported(t, strings.TrimRight(printed, "\n")+"\n\napp 1 2.3: cycles:\n\t10 main (/bin/app)"+end, "")
		if n := in.Lost.Count(perf.LossCut); n != cut {
			t.Errorf("a file that ends with %q: %d samples may be cut", end, n)
		}
	}
	for text, want := range map[string]error{"\tnothing\nno head\n": perf.ErrSyntax, printed: perf.ErrNoEvent} {
		_, err := formats.Import(t.Context(), []formats.Input{{Name: "x", Reader: strings.NewReader(text)}},
			formats.ImportOptions{Importers: []codec.Importer{always{&perf.Importer{Event: "instructions"}}}})
		if !errors.Is(err, want) || !strings.Contains(err.Error(), "x: ") {
			t.Error(err)
		}
	}
}

// TestKindsOfLines: the frames, the weights and the losses of samples that perf script prints in other ways.
func TestKindsOfLines(t *testing.T) {
	for name, c := range map[string]struct {
		text, want string
		lost       int // amount
	}{
		"deleted": {"app 1/1 [000] 1.000001:     250000 cpu-clock: \n\t          400610 main+0x20 " +
			"(/lib/libudev.so (deleted))\n\n", "main 250000\n", 0},
		"replaced": {"app 1 1.1: cycles: \n\t 400610 f(int)+0x20 (/a b (copy).so (deleted))\n", "f(int) 1\n", 0},
		"no time": {"func_ab 15294 cpu-clock: \n\t          400570 func_b (HOME/lang/func_ab)\n" +
			"\t          4005b1 main (HOME/lang/func_ab)\n\n", "main;func_b 1\n", 0},
		"no indentation": {"java 19983 cycles:\nffffffff8103d0ca native_write ([kernel.kallsyms])\n",
			"native_write 1\n", 0},
		"periods": {"app  1234 [000]  100.000001:       1 cycles:P:\n\t    401500 cold (/bin/app)\n\n" +
			"app  1234 [000]  100.000003:  998000 cycles:P:\n\t    401000 hot (/bin/app)\n\n", "cold 1\nhot 998000\n", 0},
		"two events": {"app  1234 [000]  100.000001:     100 cycles:\n\t    401000 hot (/bin/app)\n\n" +
			"app  1234 [000]  100.000002:     100 instructions:\n\t    401500 cold (/bin/app)\n\n", "hot 100\n", 100},
		"two modifiers": {"app 1 100.000001: 100 cycles:\n\t 401000 hot (/bin/app)\n\n" +
			"app 1 100.000002: 7 cycles:u:\n\t 401500 cold (/bin/app)\n\n", "hot 100\n", 7},
		"one line": {"            dd 29776 [002] 666709.771979:   10 cpu-clock:  ffffffff81 read+0x3 (/lib/libc-2.15.so)\n" +
			"            dd 29776 [002] 666709.771980:   20 cpu-clock:  414b3b [unknown] (/lib/libc.so)\n",
			"[unknown] 20\nread 10\n", 0},
		"tracepoint": {"bash 12 [001] 5.1: sched:sched_switch: prev_comm=bash prev_pid=12 ==> next_comm=dd\n" +
			"\tffffffff81 __schedule+0x2 ([kernel.kallsyms])\n\tffffffff82 schedule ([kernel.kallsyms])\n\n" +
			"dd 13 [001] 5.2: sched:sched_switch: prev_comm=dd\n", "schedule;__schedule 1\n", 1},
		"empty lines": {"\n\n# head\napp 1 1.1: cycles:\n\t 1 f (x)\n\n\n\napp 1 1.2: cycles:\n\t 1 f (x)\n", "f 2\n", 0},
		"no files":    {"app 1 1.1: cycles:\n\t          401136 leaf+0x6\n\t 401180\n", "[unknown];leaf 1\n", 0},
		"thread":      {"a b 1  2 [003] 1.1:  5 cycles:u:  \n\t 401136 leaf (inlined)\n", "leaf 5\n", 0},
	} {
		if !(&perf.Importer{}).Detect([]byte(c.text), true) {
			t.Errorf("%s: not detected", name)
		}
		s, in := imported(t, c.text, "")
		var folded bytes.Buffer
		if _, err := (&stacks.Exporter{}).Export(&folded, s); err != nil || folded.String() != c.want {
			t.Errorf("%s: %v, got\n%swant\n%s", name, err, folded.String(), c.want)
		}
		lost := 0
		for _, l := range in.Lost {
			lost += int(l.Amount)
		}
		if lost != c.lost {
			t.Errorf("%s: lost %v", name, in.Lost)
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
