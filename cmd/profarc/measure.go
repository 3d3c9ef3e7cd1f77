package main

import (
	"fmt"
	"strings"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A measure says how hot a profile is.
type measure struct {
	name, about string
	of          func(shape layout.Shape, p reader.Profile) uint64
}

var measures = []measure{
	{"invocations", "calls of the method", func(_ layout.Shape, p reader.Profile) uint64 { return trained(p.Invocations()) }},
	{"backedges", "times round its loops", func(_ layout.Shape, p reader.Profile) uint64 { return trained(p.Backedges()) }},
	{"counts", "all counts of its profile points", sumCounts},
	{"calls", "calls that it makes, over its call sites", sumCalls},
	{"size", "bytes of its profiles in the archive", func(_ layout.Shape, p reader.Profile) uint64 { return uint64(len(p.Block())) }},
	{"function-count", "LLVM: the counter of the function's entry", functionCount},
	{"bytecodes", "JamaicaVM: bytecodes executed", sumOf(layout.SubBytecodes)},
	{"cycles", "JamaicaVM: processor cycles, those of called methods included", sumOf(layout.SubCycles)},
	{"native-calls", "JamaicaVM: calls of a native method", sumOf(layout.SubNativeCalls)},
	{"arrays", "JamaicaVM: arrays created", sumOf(layout.SubNewArrays)},
}

func measureNames() []string {
	var names []string
	for _, m := range measures {
		names = append(names, m.name)
	}
	return names
}

// chosenMeasure is the measure that a flag names, nil if it names none.
func chosenMeasure(name string, more ...string) (*measure, error) {
	m, ok := findMeasure(name)
	if !ok && name != "" {
		return nil, usagef("--by %s: use one of %s", name, strings.Join(append(measureNames(), more...), ", "))
	}
	return m, nil
}

func measuresText() string {
	var lines []string
	for _, m := range measures {
		lines = append(lines, measureLine(m.name, m.about))
	}
	return strings.Join(lines, "\n")
}

func measureLine(name, about string) string { return fmt.Sprintf("  %-16s%s", name, about) }

func findMeasure(name string) (*measure, bool) {
	for i := range measures {
		if measures[i].name == name {
			return &measures[i], true
		}
	}
	return nil, false
}

// callsMeasure is how often methods of a domain are called.
func callsMeasure(d layout.Domain) *measure {
	name := "invocations"
	if d.LLVM() {
		name = "function-count"
	}
	m, _ := findMeasure(name)
	return m
}

// usualMeasure is what an archive is measured by if nobody says.
func usualMeasure(h *layout.Header) *measure {
	name := "invocations"
	if h.Summary.TotalInvocations == 0 {
		name = "counts"
	}
	switch {
	case h.Domain.LLVM():
		name = "function-count"
	case h.Domain == layout.DomainJamaica:
		name = "bytecodes"
	}
	m, _ := findMeasure(name)
	return m
}

// sum adds up the profiles of a method.
func (by *measure) sum(s *reader.Store, m reader.Method) (n uint64, err error) {
	shape := s.Header().Params.Shape()
	for p, err := range m.Profiles() {
		if err != nil {
			return n, err
		}
		n = layout.SaturatingAdd(n, by.of(shape, p))
	}
	return n, nil
}

// trained is a counter that a profile may have.
func trained(c reader.Counter, ok bool) uint64 {
	if !ok {
		return 0
	}
	return c.Trained()
}

// sumCounts adds up all counts of the data entries. Those of type checks that
// fail are counted down, and taken as none.
func sumCounts(shape layout.Shape, p reader.Profile) uint64 {
	return sumEntries(shape, p, func(reader.Entry) bool { return true })
}

// functionCount is the first of LLVM's counters: how often the function was
// entered, or a block near its entry ran.
func functionCount(_ layout.Shape, p reader.Profile) uint64 {
	for e := range p.Entries() {
		if e.Tag() == layout.TagCounters && e.Cells() > 0 {
			return e.Cell(0).Trained()
		}
	}
	return 0
}

// sumOf adds up the Count entries of one kind.
func sumOf(sub uint16) func(layout.Shape, reader.Profile) uint64 {
	return func(shape layout.Shape, p reader.Profile) uint64 {
		return sumEntries(shape, p, func(e reader.Entry) bool { return e.Tag() == layout.TagCount && e.Sub() == sub })
	}
}

// sumCalls adds up the counts of call sites.
func sumCalls(shape layout.Shape, p reader.Profile) uint64 { return sumEntries(shape, p, isCall) }

func sumEntries(shape layout.Shape, p reader.Profile, wanted func(reader.Entry) bool) (sum uint64) {
	for e := range p.Entries() {
		if !wanted(e) {
			continue
		}
		raw := e.Raw()
		shape.Counts(raw, func(cell int) bool {
			n := raw.Cell(cell)
			if e.Tag() != layout.TagReceiverType || int64(n) > 0 {
				sum = layout.SaturatingAdd(sum, n)
			}
			return true
		})
	}
	return sum
}

// isCall reports whether an entry belongs to a call.
func isCall(e reader.Entry) bool {
	switch e.Tag() {
	case layout.TagCounter, layout.TagVirtualCall, layout.TagCallType, layout.TagVirtualCallType, layout.TagCallees:
		return true
	case layout.TagReceivers:
		return e.Sub() == layout.SubVirtualCall
	case layout.TagValueSite:
		return e.Sub() == layout.SubIndirectCall
	}
	return false
}
