package main

import (
	"fmt"
	"strings"

	"github.com/profarc/profarc/formats/hotspot"
	"github.com/profarc/profarc/reader"
)

// profileFacts is what a profile has beside entries, in a line.
func profileFacts(q reader.Profile) string {
	var facts factList
	for _, c := range []struct {
		name string
		get  func() (reader.Counter, bool)
	}{{"invocations", q.Invocations}, {"backedges", q.Backedges}, {"interpreted", q.Interpreted}} {
		if n, ok := c.get(); ok {
			facts.add("%s %d", c.name, n.Load())
		}
	}
	if h, ok := q.History(); ok {
		facts.add("decompiles %d", h.Decompiles)
	}
	code, host := q.Size()
	if code > 0 {
		facts.add("code bytes %d", code)
	}
	if host > 0 {
		facts.add("mdo bytes %d", host)
	}
	return strings.Join(facts, ", ")
}

// compilerFacts is what the VM's compilers noted of the method, in a line.
func compilerFacts(q reader.Profile) string {
	var facts factList
	if h, ok := q.History(); ok && h.OverflowRecompiles+h.OverflowTraps+h.TenureTraps > 0 {
		facts.add("overflow recompiles %d, overflow traps %d, tenure traps %d", h.OverflowRecompiles, h.OverflowTraps, h.TenureTraps)
	}
	if c, ok := q.Compile(); ok {
		facts.add("highest level %d, loops %d, blocks %d", c.Level, c.Loops, c.Blocks)
	}
	if e, ok := q.Escape(); ok {
		facts.add("escape 0x%x: local 0x%x, stack 0x%x, returned 0x%x", e.Flags, e.Local, e.Stack, e.Returned)
	}
	for reason, n := range q.TrapHistory() {
		if n > 0 {
			facts.add("traps of %s %d", hotspot.TrapText(uint32(reason)), n)
		}
	}
	return strings.Join(facts, ", ")
}

// A factList is what a line says.
type factList []string

func (l *factList) add(format string, args ...any) { *l = append(*l, fmt.Sprintf(format, args...)) }
