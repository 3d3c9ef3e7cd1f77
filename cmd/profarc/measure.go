package main

import (
	"fmt"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/formats/jamaica"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A measure says how hot a profile is.
type measure struct {
	name, about string
	of          func(shape disk.Shape, p reader.Profile) uint64
	// sub is of the Count entries that are summed, 0 where others are too. A run of
	// a JamaicaVM has one such entry a method, but for arrays.
	sub uint16
	// recorded is the property that has the total of a run, if not all of its
	// methods are in the archive.
	recorded string
}

var measures = []measure{
	{name: "invocations", about: "calls of the method; of HotSpot's those before C2 took over, see below",
		of: func(_ disk.Shape, p reader.Profile) uint64 { return trained(p.Invocations()) }},
	{name: "backedges", about: "times round its loops", of: func(_ disk.Shape, p reader.Profile) uint64 { return trained(p.Backedges()) }},
	{name: "counts", about: "all counts of its profile points that are calls, branches or types", of: sumCounts},
	{name: "calls", about: "calls that it makes, over its call sites", of: sumCalls},
	{name: "size", about: "bytes of its profiles in the archive", of: func(_ disk.Shape, p reader.Profile) uint64 { return uint64(len(p.Block())) }},
	{name: "function-count", about: "LLVM: the counter of the function's entry", of: functionCount},
	countMeasure("bytecodes", "JamaicaVM: bytecodes executed", layout.SubBytecodes, jamaica.PropertyBytecodes),
	countMeasure("cycles", "JamaicaVM: processor cycles, those of called methods included", layout.SubCycles, ""),
	countMeasure("native-calls", "JamaicaVM: calls of a native method", layout.SubNativeCalls, jamaica.PropertyNative),
	countMeasure("arrays", "JamaicaVM: arrays created", layout.SubNewArrays, ""),
}

func countMeasure(name, about string, sub uint16, recorded string) measure {
	return measure{name: name, about: about, of: sumOf(sub), sub: sub, recorded: recorded}
}

// inclusive reports whether what a method has is in what its callers have.
func (by *measure) inclusive() bool { return by.sub == layout.SubCycles }

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
		return nil, app.Usagef("--by %s: use one of %s", name, strings.Join(append(measureNames(), more...), ", "))
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
	shape := disk.ShapeOf(&s.Header().Params)
	for p, err := range m.Profiles() {
		if err != nil {
			return n, err
		}
		n = disk.SaturatingAdd(n, by.of(shape, p))
	}
	return n, nil
}

// values are what a method has. It is one number, but where a profile cuts
// names off: then the counts of one text may be of several methods, and are not
// added up.
func (by *measure) values(s *reader.Store, m reader.Method) (list []uint64, err error) {
	if by.sub == 0 || by.sub == layout.SubNewArrays || !cutOff(s, m) {
		n, err := by.sum(s, m)
		return []uint64{n}, err
	}
	for p, err := range m.Profiles() {
		if err != nil {
			return nil, err
		}
		for e := range p.Entries() {
			if e.Tag() == layout.TagCount && e.Sub() == by.sub {
				list = append(list, e.Cell(0).Trained())
			}
		}
	}
	return list, nil
}

// cutOff reports whether the name of a method is cut off.
func cutOff(s *reader.Store, m reader.Method) bool {
	return s.Header().Domain == layout.DomainJamaica && m.Flags()&layout.MethodNotMatchable != 0
}

// trained is a counter that a profile may have.
func trained(c reader.Counter, ok bool) uint64 {
	if !ok {
		return 0
	}
	return c.Trained()
}

// sumCounts adds up all counts of the data entries that have the unit of calls.
// Those of type checks that fail are counted down, and taken as none.
func sumCounts(shape disk.Shape, p reader.Profile) uint64 {
	return sumEntries(shape, p, func(e reader.Entry) bool { return e.Raw().CountUnit() == layout.UnitExecutions })
}

// functionCount is the first of LLVM's counters: how often the function was
// entered, or a block near its entry ran.
func functionCount(_ disk.Shape, p reader.Profile) uint64 {
	for e := range p.Entries() {
		if e.Tag() == layout.TagCounters && e.Cells() > 0 {
			return e.Cell(0).Trained()
		}
	}
	return 0
}

// sumOf adds up the Count entries of one kind.
func sumOf(sub uint16) func(disk.Shape, reader.Profile) uint64 {
	return func(shape disk.Shape, p reader.Profile) uint64 {
		return sumEntries(shape, p, func(e reader.Entry) bool { return e.Tag() == layout.TagCount && e.Sub() == sub })
	}
}

// sumCalls adds up the counts of call sites.
func sumCalls(shape disk.Shape, p reader.Profile) uint64 { return sumEntries(shape, p, isCall) }

func sumEntries(shape disk.Shape, p reader.Profile, wanted func(reader.Entry) bool) (sum uint64) {
	for e := range p.Entries() {
		if !wanted(e) {
			continue
		}
		raw := e.Raw()
		for cell := range shape.Counts(raw) {
			n := raw.Cell(cell)
			if !raw.SignedCount() || int64(n) > 0 {
				sum = disk.SaturatingAdd(sum, n)
			}
		}
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
