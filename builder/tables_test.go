package builder_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
)

// TestInvalidTables: a table that no reader would accept is not written.
func TestInvalidTables(t *testing.T) {
	t.Parallel()
	word := disk.ColumnWord
	for want, table := range map[string]func(b *builder.Builder){
		"kind 0":           func(b *builder.Builder) { b.Internal().Table(0, 0, word).Row(1) },
		"65 columns":       func(b *builder.Builder) { b.Internal().Table(99, 0, make([]disk.ColumnKind, 65)...) },
		"0 columns":        func(b *builder.Builder) { b.Internal().Table(disk.TableOrder, 0).Row() },
		"column of kind 9": func(b *builder.Builder) { b.Internal().Table(99, 0, word, 9) },
		"table 3 has":      func(b *builder.Builder) { b.Internal().Table(disk.TableDumps, 0, word).Row(1) },
		"table 5 has": func(b *builder.Builder) {
			b.Internal().Table(disk.TableSamples, 0, word, word, word, word).Row(1, 2, 3, 4)
		},
		"more than 1024": manyTables,
		"a row has 1":    func(b *builder.Builder) { b.Internal().Table(99, 0, word, word).Row(1) },
		"asked for [word]": func(b *builder.Builder) {
			b.Internal().Table(99, 0, word, word)
			b.Internal().Table(99, 0, word)
		},
		"reference 1 is not": func(b *builder.Builder) { b.Internal().Table(99, 0, disk.ColumnSymbol).Row(1) },
	} {
		t.Run(want, func(t *testing.T) {
			b := builder.New(layout.DomainGraal, builder.Config{})
			if table(b); b.Err() == nil || !strings.Contains(b.Err().Error(), want) {
				t.Errorf("%v, want %q", b.Err(), want)
			}
			if _, _, err := b.Bytes(); err == nil {
				t.Errorf("a table is written that should fail with %q", want)
			}
		})
	}
}

func manyTables(b *builder.Builder) {
	for kind := range disk.TableKind(disk.MaxTables + 1) {
		b.Internal().Table(1000+kind, 0, disk.ColumnWord).Row(1)
	}
}

// TestTablesMayHaveMoreColumns: a table of a known kind may have further columns.
func TestTablesMayHaveMoreColumns(t *testing.T) {
	t.Parallel()
	b := builder.New(layout.DomainGraal, builder.Config{})
	b.Internal().Table(disk.TableMonitors, 0, disk.ColumnType, disk.ColumnWord, disk.ColumnWord).Row(0, 1, 2)
	table, err := testarchive.Build(t, b).Store.Table(disk.TableMonitors)
	if err != nil {
		t.Fatal(err)
	}
	if table.Columns() != 3 {
		t.Fatalf("%d columns, want 3", table.Columns())
	}
	if got := table.Cell(2, 0); got != 2 {
		t.Errorf("the third column has %d, want 2", got)
	}
}

func TestRowOnce(t *testing.T) {
	t.Parallel()
	b := builder.New(layout.DomainLLVMIR, builder.Config{})
	columns := []disk.ColumnKind{disk.ColumnSymbol, disk.ColumnWord, disk.ColumnWord}
	once := func(name string, address uint64) {
		b.Internal().Table(disk.TableVTables, 0, columns...).RowOnce(uint64(b.Internal().Symbol(name)), address, 8)
	}
	b.Internal().Table(disk.TableVTables, 0, columns...).Row(uint64(b.Internal().Symbol("A")), 1, 8)
	once("A", 2)
	once("B", 3)
	batch, err := b.Internal().Begin()
	if err != nil {
		t.Fatal(err)
	}
	once("C", 4)
	batch.Rollback()
	once("B", 5)
	once("C", 6)
	table, err := memstore.Open(t, b).Table(disk.TableVTables)
	if err != nil {
		t.Fatal(err)
	}
	var addresses []uint64
	for row := range table.Rows {
		addresses = append(addresses, table.Cell(1, row))
	}
	if !slices.Equal(addresses, []uint64{1, 3, 6}) {
		t.Errorf("addresses %d", addresses)
	}
}

// TestRowsOfContextsHaveOneOrder: rows that differ in their context or profile
// alone are written in the same order, whichever was interned first.
func TestRowsOfContextsHaveOneOrder(t *testing.T) {
	t.Parallel()
	archiveOf := func(points ...int32) []byte {
		b := builder.New(layout.DomainHotSpot, builder.Config{})
		m := b.Method(layout.Key{Class: "C", Name: "m"})
		table := b.Internal().Table(disk.TableCode, 0, disk.ColumnMethod, disk.ColumnSymbol, disk.ColumnContext,
			disk.ColumnProfile)
		for _, point := range points {
			context := b.Context(m, builder.Frame{Caller: m, Point: point})
			p := b.ProfileIn(m, 7, context)
			table.Row(uint64(m), uint64(b.Internal().Symbol("\x01")), uint64(context), uint64(p.Internal().Ref()))
			p.Done()
		}
		data, _, err := b.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	if want := archiveOf(1, 2, 3); !bytes.Equal(archiveOf(3, 1, 2), want) {
		t.Error("the order in which contexts are interned shows in the archive")
	}
}
