package pages

import (
	"bytes"
	"strings"
	"testing"

	"github.com/profarc/profarc/cmd/profarc/internal/view/listing"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
)

// shownCode returns the HTML of a listing.
func shownCode(t *testing.T, l *listing.Listing) string {
	t.Helper()
	made, err := templates(serverLinks{}, layout.DomainHotSpot)
	if err != nil {
		t.Fatal(err)
	}
	site := specimenSite(t, specimen.All()[0])
	b := newPointBuilder(requestOf(t, site, nameOfMethod))
	var out bytes.Buffer
	if err := made.ExecuteTemplate(&out, "code", b.buildCodePart(l)); err != nil {
		t.Fatal(err)
	}
	return unbroken(out.String())
}

// loop is a listing of a loop, from line 7 of a file of 20.
func loop(match listing.Match) *listing.Listing {
	l := &listing.Listing{Class: "A", Name: "f", Descriptor: "()V", Match: match, Instructions: []listing.Instruction{
		{Bci: 0, Mnemonic: "iload_1", Line: 7, Count: 1234, Basis: listing.Derived, Heat: 1},
		{Bci: 1, Mnemonic: "ifeq", Operands: "9", Targets: []int{9}, Line: 7, Count: 1234, Basis: listing.Counted, Heat: 1},
		{Bci: 9, Mnemonic: "return", Line: 9},
	}}
	lines := make([]listing.Line, 20)
	for i := range lines {
		lines[i].Text = "\tx = <b>\u202e" + strings.Repeat("y", 2*lineLength)
	}
	lines[6].Bcis, lines[6].Count, lines[6].Basis, lines[6].Heat = []int{0, 1}, 1234, listing.Counted, 1
	l.Source = &listing.Source{File: "A.java", Lines: lines, First: 7, Last: 9}
	return l
}

func TestCodeHasItsCountsBeside(t *testing.T) {
	t.Parallel()
	body := shownCode(t, loop(listing.Same))
	for _, want := range []string{
		`<tr id="bci-0">`, `<td class="heat-9">~1,234`, `<td class="heat-9">1,234`,
		`href="method#line-7"`, `href="method#bci-0"`,
		`<th>5<td>`, `<tr id="line-7">`, `<th>11<td>`, `&lt;b&gt;\u202e`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the code lacks %s", want)
		}
	}
	for _, bad := range []string{`id="line-4"`, `id="line-12"`, "<b>", strings.Repeat("y", lineLength)} {
		if strings.Contains(body, bad) {
			t.Errorf("the code has %.60s", bad)
		}
	}
}

func TestOtherCodeHasNoCounts(t *testing.T) {
	t.Parallel()
	l := loop(listing.Other)
	for i := range l.Instructions {
		l.Instructions[i].Count, l.Instructions[i].Basis = 0, listing.NotKnown
	}
	l.Source.Lines[6] = listing.Line{Text: "x"}
	body := shownCode(t, l)
	if !strings.Contains(body, "other code of this method") || strings.Contains(body, "heat-") {
		t.Errorf("code that was not profiled is shown as if it was:\n%s", body)
	}
}

// What a bytecode names reads as programmers write it, here and beside another archive; what
// javap prints is its title.
func TestBytecodesNameWhatProgrammersWrite(t *testing.T) {
	t.Parallel()
	l := loop(listing.Same)
	l.Instructions[1] = listing.Instruction{Bci: 1, Mnemonic: "invokevirtual",
		Ref: &listing.Ref{Kind: "Method", Text: "a/B.get:(La/C;)V", Class: "a/B", Name: "get", Descriptor: "(La/C;)V"}}
	want := `<code>invokevirtual</code> <span class="constant" title="Method a/B.get:(La/C;)V">B.get(C)</span>`
	if body := shownCode(t, l); !strings.Contains(body, want) {
		t.Errorf("the code lacks %s", want)
	}
	pair := &pointPair{Number: 1}
	pair.addBytecode(layout.DomainHotSpot, l)
	if pair.Bytecode != "invokevirtual B.get(C)" {
		t.Errorf("beside another archive it is %q", pair.Bytecode)
	}
}
