package main

import (
	"bufio"
	"fmt"
	"io"

	"github.com/profarc/profarc/analyze"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/methods"
	"github.com/profarc/profarc/formats/llvm"
	"github.com/profarc/profarc/internal/escape"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Widths of what stands in front of an entry's data: its point and its kind.
const (
	pointWidth = 7
	kindWidth  = 15
)

// A profilePrinter prints profiles for people. It keeps the first error of a
// name that could not be read.
type profilePrinter struct {
	w      *bufio.Writer
	s      *reader.Store
	begin  string // of the entry's first line
	indent int    // of its other lines
	err    error

	targets *llvm.ValueNames // of value sites, read when the first is named
	tally   lazyTally
	labels  *switchLabels
	cases   func(bci int) []int32 // labels of the switches of the profile's code, nil if it is not known
}

// printMethod prints a method with all its profiles, and how often it was
// sampled.
func printMethod(w io.Writer, s *reader.Store, m reader.Method, tally lazyTally, labels *switchLabels) error {
	p := &profilePrinter{w: bufio.NewWriter(w), s: s, indent: pointWidth + kindWidth, tally: tally, labels: labels}
	p.method(m)
	if p.err != nil {
		return p.err
	}
	return p.w.Flush()
}

func (p *profilePrinter) method(m reader.Method) {
	name, err := analyze.NameOf(p.s, m)
	if err != nil {
		p.err = err
		return
	}
	fmt.Fprintf(p.w, "%s%s\n", methods.AccessText(m.Access()), escape.Printable(name.String()))
	fmt.Fprintf(p.w, "  id %s%s\n", name.ID, methodNotes(m))
	profiles := 0
	for q, err := range m.Profiles() {
		if err != nil {
			p.err = err
			return
		}
		profiles++
		if p.s.Header().Domain.LLVM() {
			p.indent = llvmIndent
			p.llvmProfile(q)
		} else {
			p.profile(q)
		}
	}
	p.sampled(m, profiles > 0)
}

// sampled prints the samples of a method. One that has nothing else has no
// profile to show, and its stacks are to be seen elsewhere.
func (p *profilePrinter) sampled(m reader.Method, profiled bool) {
	tally, err := p.tally()
	if err != nil {
		p.err = err
		return
	}
	n := tally.of(m)
	switch {
	case n.total > 0 && profiled:
		fmt.Fprintf(p.w, "  %s\n", n)
	case n.total > 0:
		fmt.Fprintf(p.w, "  no profile, %s: see the stacks with profarc export -t folded\n", n)
	case !profiled && !m.NeverRan():
		fmt.Fprintln(p.w, "  no profile")
	}
}

func methodNotes(m reader.Method) string {
	notes := ""
	if m.NeverRan() {
		notes += ", never ran"
	}
	if m.Flags()&layout.MethodNotMatchable != 0 {
		notes += ", its name means nothing in another run"
	}
	if m.Flags()&layout.MethodSharedID != 0 {
		notes += ", another method has the same id"
	}
	return notes
}

func (p *profilePrinter) profile(q reader.Profile) {
	p.context(q)
	p.cases = p.labels.of(q)
	for _, facts := range []string{profileFacts(q), compilerFacts(q)} {
		if facts != "" {
			fmt.Fprintf(p.w, "  %s\n", facts)
		}
	}
	for section := layout.SectionData; section < layout.SectionDirectory; section++ {
		n := 0
		for e := range q.Section(section) {
			if n++; n == 1 && section != layout.SectionData {
				fmt.Fprintf(p.w, "  %s\n", section)
			}
			p.entry(e)
		}
	}
}

// context prints the calling context and the code id of a profile that has
// either.
func (p *profilePrinter) context(q reader.Profile) {
	c, inContext, err := q.Context()
	if err != nil {
		p.err = err
		return
	}
	if q.Code() != 0 {
		fmt.Fprintf(p.w, "  code %s\n", app.FormatID(q.Code()))
	}
	if !inContext {
		return
	}
	frames, err := c.Frames()
	if err != nil {
		p.err = err
		return
	}
	for i, f := range frames {
		by := "called by"
		if i > 0 {
			by = "       by"
		}
		fmt.Fprintf(p.w, "  %s %s at %d\n", by, p.methodName(f.Caller), f.Point)
	}
}

func (p *profilePrinter) methodName(m reader.Method) string {
	if !m.Valid() {
		return "none"
	}
	name, err := analyze.NameOf(p.s, m)
	if err != nil && p.err == nil {
		p.err = err
	}
	return escape.Printable(name.String())
}

func (p *profilePrinter) typeName(t reader.Type) string {
	if !t.Valid() {
		return "none"
	}
	name, err := t.Name()
	if err != nil && p.err == nil {
		p.err = err
	}
	loader, err := t.Loader()
	if err != nil && p.err == nil {
		p.err = err
	}
	text := name.String()
	if loader.Len() > 0 {
		text += " (loader " + loader.String() + ")"
	}
	return escape.Printable(text)
}
