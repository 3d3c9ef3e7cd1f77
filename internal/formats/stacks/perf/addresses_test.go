package perf

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/formats/stacks/perf/perfdata"
)

// TestAddressesOfTexts: the process, the address and the branches in each form that perf script prints.
func TestAddressesOfTexts(t *testing.T) {
	const branches = " 0x401150/0x401130/P/-/-/0  0x401140/0x401150/-/-/-/0/ "
	const both = " [[401150 401130] [401140 401150]]"
	for text, want := range map[string]string{
		"          401136 " + branches + "\n":                                     "-2 401136" + both,
		branches + "\n" + branches + "\n":                                         "-2 0" + both + ";-2 0" + both,
		"app 12 401136" + branches + "\n":                                         "12 401136" + both,
		"  my app 12/13 [001] 5.25: 100 cycles:u: 401136 f+0x1 (/app)" + branches: "12 401136" + both,
		" 12/13 5.25: cycles:u: \n\t401136 f\n\t401180 main\n\n":                  "12 401136 []",
		"app 12 5.25: 100 cycles:u:\n\t401136 f (/app)\n\t402000 g\n" + branches:  "12 401136" + both + " [401136 402000]",
		"app 12 \n\t401136\n\t402000\n\n\n":                                       "12 401136 []",
		"\n\t401136 f\n\t402000 g\n\n\n\t401140 f\n":                              "-2 401136 [];-2 401140 []",
		"401136\n401140\n": "-2 401136 [];-2 401140 []",
		"app 1 401136 0x401150(/bin/app)/0x401130(/bin/app)/P/-/-/0\n": "1 401136 [[401150 401130]]",
		"app 1 401136 0x401150/0x401130/P/-/-/0 0xz/0x1/P/-/-/0\n": "1 401136 [[401150 401130]] lost " +
			string(LossBroken),
		" comm:x: 401136" + branches:                             "-2 401136" + both,
		"2\n  401136 " + branches + "\n":                         "-2 401136" + both + " x2",
		"3\n\t401136\n\t402000\n" + branches:                     "-2 401136" + both + " [401136 402000] x3",
		"  401136\n  402000\n" + branches + "\n\n  401140\n\n":   "-2 401136" + both + " [401136 402000];-2 401140 []",
		"// junk 0x401150/0x401130/P/-/-/0\n  401136" + branches: "-2 401136" + both + " lost " + string(LossLines),
		"app 1 401136\n\tmain+0x1/main+0x5/P/-/-/0\n":            "1 401136 [] lost " + string(LossNamed),
		"app 1 401136\n\t000401130\tinsn: 55\n":                  "1 401136 [] lost " + string(LossNamed),
	} {
		if got := addressesOf(t, text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// addressesOf returns the samples of a text.
func addressesOf(t *testing.T, text string) string {
	r := sampleReader{Lines: parse.NewLines(strings.NewReader(text), "x"), Recorder: stacks.NewRecorder(builder.Config{}),
		programs: &programs{}, processes: newProcesses("")}
	var samples []string
	note := func() {
		if r.open {
			samples = append(samples, listed(r.of))
		}
	}
	for line, err := range r.All() {
		if err != nil {
			t.Fatal(err)
		}
		before, open := r.of, r.open
		if err := r.addLine([]byte(strings.TrimRight(string(line), " \t"))); err != nil {
			t.Fatal(err)
		}
		if open && r.programs.samples > len(samples) {
			samples = append(samples, listed(before))
		}
	}
	note()
	got := strings.Join(samples, ";")
	for _, l := range r.Report.Lost {
		if l.What != codec.LossKind("") {
			got += " lost " + string(l.What)
		}
	}
	return got
}

func listed(h head) string {
	text := fmt.Sprintf("%d %x %x", h.Process, h.IP, h.Branches)
	if len(h.Chain) > 0 && len(h.Branches) > 0 {
		text += fmt.Sprintf(" %x", h.Chain)
	}
	if h.count > 1 {
		text += fmt.Sprintf(" x%d", h.count)
	}
	return text
}

// TestCompiledCode: virtual machines write the names of the functions that they compile.
func TestCompiledCode(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	list := []byte("0x00007f0010 0x10 int Foo::bar(int)\n7f0000 8 Interpreter\n\nbroken\n")
	if err := os.WriteFile(filepath.Join(root, "tmp", "perf-7.map"), list, 0o600); err != nil {
		t.Fatal(err)
	}
	p := newProcesses(root)
	for process := range 2 {
		p.add(perfdata.Map{Process: 7 + process, Start: 0x7f0000, Size: 0x1000, File: "//anon"})
	}
	for address, want := range map[uint64]string{0x7f0000: "Interpreter", 0x7f0009: "", 0x7f001f: "int Foo::bar(int)",
		1: ""} {
		if got := p.nameOf(7, address); got != want {
			t.Errorf("%#x: got %q, want %q", address, got, want)
		}
	}
	if got := p.nameOf(8, 0x7f0000); got != "" {
		t.Errorf("process 8: got %q", got)
	}
}
