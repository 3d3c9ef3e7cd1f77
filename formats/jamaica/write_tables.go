package jamaica

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// eachRow goes through the rows of a table, if the archive has it.
func eachRow(s *reader.Store, kind layout.TableKind, columns []layout.ColumnKind, yield func(cell func(column int) uint64) error) error {
	table, err := s.Table(kind)
	if errors.Is(err, reader.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	var have []layout.ColumnKind
	for i := range table.Columns() {
		have = append(have, table.Column(i))
	}
	if !slices.Equal(have, columns) {
		return disk.Corrupt(layout.RegionEX, -1, "table %d has columns %v, want %v", kind, have, columns)
	}
	for r := range table.Rows {
		if err := yield(func(column int) uint64 { return table.Cell(column, r) }); err != nil {
			return err
		}
	}
	return nil
}

// readProperties takes the properties that [Read] makes.
func (t *textWriter) readProperties() error {
	return eachRow(t.s, layout.TableProperties, symbolsColumns, func(cell func(int) uint64) error {
		key, err := t.symbol(cell(0))
		if err != nil {
			return err
		}
		value, err := t.symbol(cell(1))
		if err != nil {
			return err
		}
		n, numberErr := strconv.ParseUint(value, 10, 64)
		for keyword, of := range totalOf {
			if key == of.property && numberErr == nil {
				t.totals[keyword] = disk.SaturatingAdd(t.totals[keyword], n)
				return nil
			}
		}
		if key != PropertyThreads || numberErr != nil {
			t.report.Lost.Add(LossProperty, 1)
			return nil
		}
		t.threads(n)
		return nil
	})
}

// threads keeps the highest of several maxima.
func (t *textWriter) threads(n uint64) {
	if old := t.lines[keyThreads]; len(old) > 0 {
		n = max(n, old[0].n)
	}
	t.lines[keyThreads] = []outLine{{n: n}}
}

// readTables gathers the lines of what belongs to no method.
func (t *textWriter) readTables() error {
	for _, table := range []struct {
		kind    layout.TableKind
		columns []layout.ColumnKind
		line    func(cell func(int) uint64) error
	}{
		{layout.TableHeapRefs, heapRefsColumns, t.heapRefs},
		{layout.TableHeapUse, heapUseColumns, t.heapUse},
		{layout.TableInstances, instancesColumns, t.instances},
		{layout.TableThreads, threadsColumns, t.thread},
		{layout.TableReflected, reflectedColumns, t.reflected},
		{layout.TableForeign, symbolsColumns, t.foreignLine},
	} {
		if err := eachRow(t.s, table.kind, table.columns, table.line); err != nil {
			return err
		}
	}
	return nil
}

// heapRefs sums what several runs say of their heaps.
func (t *textWriter) heapRefs(cell func(int) uint64) error {
	t.heap[0], t.heap[1] = disk.SaturatingAdd(t.heap[0], cell(0)), disk.SaturatingAdd(t.heap[1], cell(1))
	t.lines[keyHeapRefs] = []outLine{{n: t.heap[0], text: fmt.Sprintf("%d (%d%%)", t.heap[1], shareOf(t.heap[0], t.heap[1]))}}
	return nil
}

func (t *textWriter) heapUse(cell func(int) uint64) error {
	class, err := t.class(cell(0))
	t.lines[keyHeapUse] = append(t.lines[keyHeapUse], outLine{cell(4),
		fmt.Sprintf("%d %d %d %d", cell(1), cell(2), cell(3), cell(4)),
		fmt.Sprintf("%d (%d%%)  %s", cell(5), shareOf(cell(5), cell(1)), class)})
	return err
}

func (t *textWriter) instances(cell func(int) uint64) error {
	class, err := t.class(cell(0))
	if err != nil {
		return err
	}
	if cell(6) != 0 {
		loader, err := t.symbol(cell(6))
		if err != nil {
			return err
		}
		class = t.word(loader) + " " + class
	}
	t.add(keyInstances, cell(1), fmt.Sprintf("%d %d %d %d (%d%%)  %s",
		cell(2), cell(3), cell(4), cell(5), shareOf(cell(5), cell(1)), class))
	return nil
}

func (t *textWriter) thread(cell func(int) uint64) error {
	t.add(keyThread, cell(0), fmt.Sprintf("%d (%d%%) (%d%%) (%d%%) (%d%%) %d %d",
		cell(1), cell(2), cell(3), cell(4), cell(5), cell(6), cell(7)))
	return nil
}

func (t *textWriter) reflected(cell func(int) uint64) error {
	class, err := t.class(cell(0))
	t.add(keyReflected, 0, class)
	return err
}

// foreignLine is a line with a keyword that is not known.
func (t *textWriter) foreignLine(cell func(int) uint64) error {
	key, err := t.symbol(cell(0))
	if err != nil {
		return err
	}
	values, err := t.symbol(cell(1))
	line := key + ": " + values
	if word, _, _, known := cutKeyword([]byte(line)); known || string(word) != key {
		t.report.Lost.Add(LossProperty, 1)
		return err
	}
	t.foreign = append(t.foreign, line)
	return err
}

func (t *textWriter) symbol(cell uint64) (string, error) {
	if cell == 0 {
		return "", nil
	}
	name, err := t.s.SymbolAt(layout.Ref(cell))
	return name.String(), err
}

// class is the name of a type, as it is written.
func (t *textWriter) class(cell uint64) (string, error) {
	if cell == 0 {
		return t.word(""), nil
	}
	typ, err := t.s.TypeAt(layout.Ref(cell))
	if err != nil {
		return "", err
	}
	name, err := typ.Name()
	return t.word(name.String()), err
}
