package main

import "fmt"

// The makers of this file write profarc's own text, which can say everything that an archive holds.

const hotSpotHead = `profarc text 1
domain hotspot
producer "x"
param type-rows 2
param bci-rows 2
param gap 1
param type-profile-level 0
param vm-release 17

`

func (w *inputWriter) addTypes(class string) {
	w.each(geneTypes, func(i int) {
		w.each(geneLoaders, func(l int) {
			w.printf("type %s{l%d}\n", w.names.name(class, i), l)
		})
	})
	w.WriteByte('\n')
}

func (w *inputWriter) addProperties() {
	w.WriteString("\ntable properties symbol symbol\n")
	for i := range min(w.g.powerOf(geneTables), w.size/16) {
		w.printf("  row k%d %s\n", i%w.g.powerOf(geneVersions), w.names.name("", i))
	}
	w.WriteString("\nend\n")
}

func makeHotSpotText(w *inputWriter) {
	w.WriteString(hotSpotHead)
	w.untilFull(func(i int) {
		name := w.names.name("A", i/w.g.powerOf(geneOverloads))
		w.printf("method A::%s(LX%d;)V{l%d}\n", name, i%w.g.powerOf(geneOverloads), i%w.g.powerOf(geneLoaders))
		w.each(geneVersions, func(v int) {
			w.each(geneContexts, func(c int) {
				w.printf("  profile code=%016x", v+1)
				w.addContext(c, fmt.Sprintf("A::%s(LX0;)V{l0}", w.names.name("A", 0)))
				w.printf("\n    invocations %d\n", w.countAt(i)>>33)
				w.each(geneEntries, w.addHotSpotEntry)
			})
		})
		w.WriteByte('\n')
	})
	w.addProperties()
}

// addContext adds the callers of a profile, if it has any.
func (w *inputWriter) addContext(c int, caller string) {
	if w.g.genes[geneContexts] == 0 && w.g.genes[geneDepth] == 0 {
		return
	}
	for d := 0; d < w.g.powerOf(geneDepth) && !w.full(); d++ {
		point := c
		if w.g.genes[geneOrder] == orderOneLeaf {
			point = c * d
		}
		w.printf(" <- %s @%d", caller, w.point(point))
	}
}

func (w *inputWriter) addHotSpotEntry(e int) {
	switch e % 3 {
	case 0:
		w.printf("    @%d Branch taken=%d not-taken=1 displacement=56\n", w.point(e), w.countAt(e))
	case 1:
		w.printf("    @%d Receivers type-check other=1", w.point(e))
		w.each(geneRows, func(r int) { w.printf(" T%d=%d", r%w.g.powerOf(geneTypes), w.countAt(r)) })
		w.WriteByte('\n')
	default:
		w.printf("    @%d MultiBranch default=1,8", w.point(e))
		w.each(geneRows, func(r int) { w.printf(" %d,8", w.countAt(r)) })
		w.WriteByte('\n')
	}
}

func makeGraalText(w *inputWriter) {
	w.WriteString("profarc text 1\ndomain graal\nproducer \"x\"\n\n")
	w.addTypes("")
	w.untilFull(func(i int) {
		name := w.names.name("E", i/w.g.powerOf(geneOverloads))
		w.printf("method E::%s::void(T%d)\n", name, i%w.g.powerOf(geneOverloads))
		w.each(geneContexts, func(c int) {
			w.WriteString("  profile")
			w.addContext(c, fmt.Sprintf("E::%s::void(T0)", w.names.name("E", w.frame(i, c, w.g.powerOf(geneContexts)))))
			w.printf("\n    @0 Count calls %d\n", w.countAt(i))
			w.each(geneEntries, func(e int) {
				w.printf("    @%d Receivers virtual-call other=0", w.point(e)+1)
				w.each(geneRows, func(r int) {
					w.printf(" %s{l%d}=%d", w.names.name("", r%w.g.powerOf(geneTypes)), r%w.g.powerOf(geneLoaders), w.countAt(r))
				})
				w.WriteByte('\n')
			})
		})
		w.WriteByte('\n')
	})
	w.addProperties()
}

func makeSampledText(w *inputWriter) {
	w.WriteString("profarc text 1\ndomain sampled\nproducer pprof\n\n")
	w.untilFull(func(i int) {
		w.printf("method %s\n", w.names.name("", i))
		w.each(geneContexts, func(c int) {
			w.WriteString("  profile")
			w.addContext(c, w.names.name("", w.frame(i, c, w.g.powerOf(geneContexts))))
			w.WriteByte('\n')
			w.each(geneEntries, func(e int) { w.printf("    @%d Count samples %d\n", w.point(e), w.countAt(e)) })
			w.addCallees()
		})
		w.WriteByte('\n')
	})
	w.WriteString("\ntable functions method symbol symbol word\n")
	for i := range min(w.g.powerOf(geneTables), w.size/32) {
		w.printf("  row %s s%d /src/%d.go %d\n", w.names.name("", 0), i, i%w.g.powerOf(geneVersions), i)
	}
	w.WriteString("\nend\n")
}

func (w *inputWriter) addCallees() {
	if w.g.genes[geneRows] == 0 {
		return
	}
	w.WriteString("    @3 Callees")
	w.each(geneRows, func(r int) { w.printf(" %s=%d", w.names.name("", r), w.countAt(r)) })
	w.WriteByte('\n')
}

func makeLLVMText(w *inputWriter) {
	w.WriteString("profarc text 1\ndomain llvm-ir\nproducer \"clang 19\"\nparam llvm-version 12\nparam llvm-variant 2\n\n")
	w.untilFull(func(i int) {
		w.printf("method %s\n", w.names.name("", i))
		w.each(geneVersions, func(v int) {
			w.printf("  profile code=%016x\n    @0 Counters", v+1)
			w.each(geneEntries, func(c int) { w.printf(" %d", w.countAt(c)) })
			w.WriteByte('\n')
			w.each(geneContexts, func(site int) {
				w.printf("    @%d ValueSite indirect-call", site)
				w.each(geneRows, func(r int) { w.printf(" %s=%d", w.names.name("", r%w.g.powerOf(geneTypes)), w.countAt(r)) })
				w.WriteByte('\n')
			})
		})
		w.WriteByte('\n')
	})
	w.WriteString("\ntable traces word word word\n")
	for i := range min(w.g.powerOf(geneTables), w.size/16) {
		w.printf("  row %d %d %s\n", i/w.g.powerOf(geneVersions), i, w.names.name("", 0))
	}
	w.addProperties()
}
