package listing

import (
	"fmt"
	"strings"

	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A Fact is a named value of a profile, other than a point.
type Fact struct{ Name, Value string }

// FactsText joins facts: "invocations 3, size in the VM 200 bytes, escape analysis: no result".
func FactsText(facts []Fact) string {
	var parts []string
	for _, f := range facts {
		between := " "
		if f.Value[0] < '0' || f.Value[0] > '9' {
			between = ": "
		}
		parts = append(parts, f.Name+between+f.Value)
	}
	return strings.Join(parts, ", ")
}

// ProfileFacts returns the counters of the whole method, and sizes. number formats numbers.
func ProfileFacts(q reader.Profile, number func(uint64) string) (list []Fact) {
	for _, c := range []struct {
		name string
		get  func() (reader.Counter, bool)
	}{{"invocations", q.Invocations}, {"backedges", q.Backedges}, {"invocations by the interpreter", q.Interpreted}} {
		if n, ok := c.get(); ok {
			list = append(list, Fact{c.name, number(n.Load())})
		}
	}
	code, host := q.Size()
	if code > 0 {
		list = append(list, Fact{"size of the code", number(uint64(code)) + " bytes"})
	}
	if host > 0 {
		list = append(list, Fact{"size in the VM", number(uint64(host)) + " bytes"})
	}
	return list
}

// CompilerFacts returns the facts recorded by the VM's compilers. number formats numbers.
func CompilerFacts(q reader.Profile, number func(uint64) string) (list []Fact) {
	add := func(name string, n uint64) { list = append(list, Fact{name, number(n)}) }
	if c, ok := schema.Block(q.Bytes()).Compile(); ok {
		list = append(list, Fact{"highest level", tierText(q.Store().Header().Domain, int(c.Level))})
		add("loops", uint64(c.Loops))
		add("basic blocks", uint64(c.Blocks))
	}
	if h, ok := schema.Block(q.Bytes()).History(); ok {
		add("decompiles", uint64(h.Decompiles))
		if h.OverflowRecompiles > 0 || h.OverflowTraps > 0 || h.TenureTraps > 0 {
			add("overflow recompiles", uint64(h.OverflowRecompiles))
			add("overflow traps", uint64(h.OverflowTraps))
			add("tenure traps", uint64(h.TenureTraps))
		}
	}
	if e, ok := schema.Block(q.Bytes()).Escape(); ok {
		list = append(list, Fact{"escape analysis", entries.EscapeText(e)})
	}
	return list
}

var tiers = []string{"never compiled", "C1, without profiling", "C1, with counters", "C1, with full profiling", "C2"}

func tierText(d layout.Domain, level int) string {
	if d != layout.DomainHotSpot || level >= len(tiers) {
		return fmt.Sprint(level)
	}
	if level == 0 {
		return tiers[level]
	}
	return fmt.Sprintf("%d (%s)", level, tiers[level])
}

// MethodNotes returns remarks about a method.
func MethodNotes(m reader.Method) (notes []string) {
	if m.Unexecuted() {
		notes = append(notes, "never ran")
	}
	if m.Flags()&layout.MethodNotMatchable != 0 {
		notes = append(notes, "its name means nothing in another run")
	}
	if m.Flags()&schema.MethodSharedID != 0 {
		notes = append(notes, "another method has the same id")
	}
	return notes
}
