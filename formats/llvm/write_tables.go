package llvm

import (
	"errors"
	"slices"
	"strconv"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A trace is the functions of one run, in the order in which they were first
// called.
type trace struct {
	weight uint64
	ids    []uint64
}

// runFacts is what an archive has beside profiles of functions.
type runFacts struct {
	binaryIDs []string // sorted
	vtables   []string // names, sorted
	traces    []trace
	stream    uint64 // number of traces of which those were chosen
}

func readRunFacts(s *reader.Store) (f runFacts, err error) {
	if f.binaryIDs, err = symbolColumn(s, layout.TableBinaryIDs, binaryIDColumns); err != nil {
		return f, err
	}
	if f.vtables, err = symbolColumn(s, layout.TableVTables, vtableColumns); err != nil {
		return f, err
	}
	if f.traces, err = readTraces(s); err != nil {
		return f, err
	}
	f.stream, err = streamSize(s, uint64(len(f.traces)))
	return f, err
}

// eachRow goes through the rows of a table, if the archive has it. One with
// other columns than this package's is foreign, and passed over.
func eachRow(s *reader.Store, kind layout.TableKind, columns []layout.ColumnKind, yield func(t *disk.Table, row int) error) error {
	t, err := s.Table(kind)
	if errors.Is(err, reader.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if t.Columns() != len(columns) {
		return nil
	}
	for i, c := range columns {
		if t.Column(i) != c {
			return nil
		}
	}
	for row := range t.Rows {
		if err := yield(&t, row); err != nil {
			return err
		}
	}
	return nil
}

// symbolColumn gives the different texts of the first column, sorted.
func symbolColumn(s *reader.Store, kind layout.TableKind, columns []layout.ColumnKind) (texts []string, err error) {
	err = eachRow(s, kind, columns, func(t *disk.Table, row int) error {
		name, err := s.SymbolAt(layout.Ref(t.Cell(0, row)))
		if errors.Is(err, reader.ErrNotFound) {
			return nil
		}
		texts = append(texts, name.String())
		return err
	})
	slices.Sort(texts)
	return slices.Compact(texts), err
}

func readTraces(s *reader.Store) (traces []trace, err error) {
	last := uint64(0)
	err = eachRow(s, layout.TableTraces, traceColumns, func(t *disk.Table, row int) error {
		number, weight, id := t.Cell(0, row), t.Cell(1, row), t.Cell(2, row)
		if len(traces) == 0 || number != last {
			traces = append(traces, trace{weight: weight})
			last = number
		}
		of := &traces[len(traces)-1]
		of.ids = append(of.ids, id)
		return nil
	})
	return traces, err
}

// streamSize sums the sizes of the streams that the traces were chosen from; it
// is never less than the number of traces that there are.
func streamSize(s *reader.Store, traces uint64) (sum uint64, err error) {
	err = eachRow(s, layout.TableProperties, propertyColumns, func(t *disk.Table, row int) error {
		key, err := s.SymbolAt(layout.Ref(t.Cell(0, row)))
		if err != nil || !key.Equal(PropertyStreamSize) {
			return ignoreNotFound(err)
		}
		value, err := s.SymbolAt(layout.Ref(t.Cell(1, row)))
		if err != nil {
			return ignoreNotFound(err)
		}
		if n, err := strconv.ParseUint(value.String(), 10, 64); err == nil {
			sum += n
		}
		return nil
	})
	return max(sum, traces), err
}

func ignoreNotFound(err error) error {
	if errors.Is(err, reader.ErrNotFound) {
		return nil
	}
	return err
}
