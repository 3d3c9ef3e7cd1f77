package llvm

import (
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"slices"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
)

// A raw file has records, counters, bitmaps, names and values in this order. If it is truncated behind the records, its
// functions are taken with the counters that are there. Their names can come from the program.

// salvageSections returns err unless the module has whole records and some counters, and is to be salvaged. It then
// completes the names from the program.
func (m *rawModule) salvageSections(err error) error {
	cut := (*Error)(nil)
	if !m.o.Salvage || !errors.As(err, &cut) || cut.Kind != ErrCut || uint64(len(m.data)) != m.h.records*m.l.size ||
		len(m.counters) == 0 {
		return err
	}
	m.cut = cut
	m.cutValues = true
	if m.names == nil {
		m.names = newNameIndex(nil)
	}
	if m.find != nil || len(m.o.Binary) == 0 {
		return nil
	}
	program, err := m.correlationOf(m.o.Binary, readProgramNames)
	if err != nil {
		return m.newError(ErrCorrelated, cut.Offset, err.Error())
	}
	m.names = newNameIndex(append(m.names.names, program.names...))
	return nil
}

func readProgramNames(p *elf.File, _ uint64) (*correlation, error) {
	name := sectionProfileNames
	if p.Section(name) == nil {
		name = sectionNames
	}
	packed, err := programSection(p, name)
	if err != nil {
		return nil, err
	}
	names, err := SplitNames(packed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &correlation{names: names}, nil
}

// salvageValues drops the error of a file that ends within the values of a function with sites, if the options ask for
// it.
func (m *rawModule) salvageValues(sites int, err error) error {
	cut := (*Error)(nil)
	if !m.o.Salvage || !errors.As(err, &cut) || cut.Kind != ErrCut {
		return err
	}
	m.cut = cut
	m.cutValues = true
	m.report.Lost.Add(LossCutValues, sites)
	return nil
}

// finishSalvage notes why a part of the module is missing. It returns an error if nothing could be taken.
func (m *rawModule) finishSalvage() error {
	switch {
	case m.cut == nil:
		return nil
	case m.report.Methods > 0:
		m.noteSalvaged(m.cut)
		return nil
	case len(m.o.Binary) == 0:
		m.cut.Detail += ": the names of its functions are missing, too, and are taken from its program (option binary)"
	}
	return m.cut
}

// fillCounters completes the counters of a function that the end of the file cuts in two, so that they have size bytes.
func (m *rawModule) fillCounters(b []byte, size uint64) []byte {
	if uint64(len(b)) == size {
		return b
	}
	unit := int(m.h.counterSize())
	whole := b[:len(b)/unit*unit]
	missing := make([]byte, size-uint64(len(whole)))
	if unit == 1 {
		for i := range missing {
			missing[i] = 1 // did not run
		}
	}
	m.report.Lost.AddLoss(codec.Loss{What: LossCutCounts, Count: len(missing) / unit})
	return append(whole, missing...)
}

// maxRawCount is the maximum value of a counter of a raw file. llvm-profdata takes a higher one for damage.
const maxRawCount = 1 << 56

// impossibleCounter returns the number of a counter above maxRawCount. Functions that begin with a mark have no counts.
func (f *function) impossibleCounter() (i int, ok bool) {
	all := uint64(0)
	for _, n := range f.counts {
		all |= n
	}
	if all < maxRawCount || isHotnessMark(f.counts[0]) {
		return 0, false
	}
	i = slices.IndexFunc(f.counts, func(n uint64) bool { return n > maxRawCount })
	return i, i >= 0
}

// A claim is a range of bytes in the section of counters that functions have.
type claim struct{ start, end int }

// claimCounters adds the range of a function's counters to the claims. It extends the last claim if the range follows
// it, as is usual.
func (m *rawModule) claimCounters(start, end int) {
	if last := len(m.claims) - 1; last >= 0 && m.claims[last].end == start {
		m.claims[last].end = end
		return
	}
	m.claims = append(m.claims, claim{start, end})
}

func (m *rawModule) loseGap(start, end int) {
	if total := m.totalOf(m.counters[start:end]); total > 0 {
		m.blocks += total
		m.loseCounts(LossNoOwner, total, fmt.Sprintf("%d counters", (end-start)/disk.CellSize))
	}
}

// nameOf returns the name of a record's function, or describes a function without a name.
func (m *rawModule) nameOf(record []byte) string {
	reference := m.machine.Uint64(record)
	if i, ok := m.names.findName(reference); ok {
		return m.names.names[i]
	}
	return fmt.Sprintf("function %016x", reference)
}

// loseUnclaimed counts the counters of 8 bytes that no function has as lost. Those of a function can begin with a
// timestamp, which is no count.
func (m *rawModule) loseUnclaimed() {
	if m.h.counterSize() != disk.CellSize || m.h.stampCounters() > 0 {
		return
	}
	slices.SortFunc(m.claims, func(a, b claim) int { return cmp.Compare(a.start, b.start) })
	at := 0
	for _, c := range append(m.claims, claim{len(m.counters), len(m.counters)}) {
		if c.start > at {
			m.loseGap(at, c.start)
		}
		at = max(at, c.end)
	}
}
