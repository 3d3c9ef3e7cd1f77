package llvm

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/profarc/profarc/internal/disk"
)

// A rawScan reads a raw file.
type rawScan struct {
	*scan
	machine rawMachine
	stamps  []stamp // of all modules
	f       function
}

// A stamp says when a function was called for the first time.
type stamp struct{ when, function uint64 }

// raw reads a raw file, module by module.
func (s *scan) raw() error {
	r := &rawScan{scan: s}
	for first := true; ; first = false {
		m := rawModule{rawScan: r}
		more, err := m.header(first)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if err := m.read(); err != nil {
			return err
		}
	}
	r.takeTrace()
	return nil
}

// takeTrace makes a trace of the timestamps of all modules.
func (r *rawScan) takeTrace() {
	if len(r.stamps) == 0 {
		return
	}
	slices.SortFunc(r.stamps, func(a, b stamp) int {
		return cmp.Or(cmp.Compare(a.when, b.when), cmp.Compare(a.function, b.function))
	})
	functions := make([]uint64, len(r.stamps))
	for i, s := range r.stamps {
		functions[i] = s.function
	}
	r.trace(1, functions)
	r.stream(1)
}

// header reads the header of the next module; more is false if there is none.
func (m *rawModule) header(first bool) (more bool, err error) {
	if !first && !m.another() {
		return false, m.failure()
	}
	at := m.offset()
	b, ok := m.next(16)
	if !ok {
		return false, m.cut("a header")
	}
	machine, ok := machineOf(b)
	if !ok || !first && machine != m.machine || at%disk.Unit != 0 {
		return false, m.malformed(at, "no header of a module where one must be: % x", b[:8])
	}
	m.machine, m.h.rawMachine = machine, machine
	word := machine.u64(b[8:])
	m.h.version, m.h.variant = int(uint32(word)), Variant(word>>variantShift)
	if err := m.readable(at); err != nil {
		return false, err
	}
	return true, m.headerFields()
}

// another skips the zeros between modules.
func (m *rawModule) another() bool {
	for {
		switch b := m.peek(1); {
		case len(b) == 0:
			return false
		case b[0] != 0:
			return true
		}
		m.next(1)
	}
}

// readable refuses versions and variants that cannot be read.
func (m *rawModule) readable(at int64) error {
	v := m.h.version
	switch {
	case v < RawOldest:
		return m.fault(ErrVersion, at, fmt.Sprintf("raw version %d is of an LLVM before 13: "+
			"run llvm-profdata merge of that LLVM and import the .profdata", v))
	case v > RawNewest:
		return m.fault(ErrVersion, at, fmt.Sprintf("raw version %d is newer than %d: "+
			"run llvm-profdata merge of the LLVM that compiled the program and import the .profdata", v, RawNewest))
	case m.h.variant&VariantCorrelated != 0:
		return m.fault(ErrCorrelated, at, "")
	}
	return nil
}

func (m *rawModule) headerFields() error {
	at := m.offset()
	fields := m.h.fields()
	b, ok := m.next(8 * len(fields))
	if !ok {
		return m.cut("a header")
	}
	for i, f := range fields {
		*f = m.machine.u64(b[8*i:])
	}
	if err := m.h.check(); err != nil {
		return m.malformed(at, "%v", err)
	}
	if m.h.records == 0 && m.h.counters > 0 {
		return m.fault(ErrCorrelated, at, "")
	}
	m.l = m.h.layout()
	return nil
}
