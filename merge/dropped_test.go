package merge_test

import (
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// pair is a shape whose rows have a type and a method.
var pair = layout.EntryShape{Tag: layout.TagProducer, Name: "Pair", Rows: []layout.CellShape{
	{Name: "class", Kind: layout.CellType}, {Name: "callee", Kind: layout.CellMethod},
	{Name: "count", Kind: layout.CellCount},
}}

// impossible is a number that no type or method is at.
const impossible = 0x1234560000000008

// rowsStore returns an archive with rows that native code can write to: HotSpot's have the
// types of arguments at 3 and a call with one free row at 6, others a producer's rows at 9.
func rowsStore(t *testing.T, domain layout.Domain) *reader.Store {
	t.Helper()
	b := testarchive.New(domain)
	square := b.Type(builder.TypeKey{Name: "Square"})
	p := b.Profile(layout.Key{Class: "Shapes", Name: "sum", Signature: "()V"}, 1)
	if domain == layout.DomainCustom {
		if err := b.DeclareShape(pair); err != nil {
			t.Fatal(err)
		}
		p.Custom(builder.Custom{Point: 9, Tag: pair.Tag}, []uint64{0, 0, 0})
	} else {
		p.CallType(builder.At{Bci: 3}, 7, builder.CallTypes{Args: []builder.Slot{{Stack: 1}}})
		p.VirtualCall(builder.At{Bci: 6}, builder.Others{}, builder.Row{Type: square, Count: 7})
	}
	testarchive.MustDone(t, p)
	return memstore.Open(t, b)
}

func snapshotReport(t *testing.T, s *reader.Store, take merge.Counts) merge.Dropped {
	t.Helper()
	b := builder.New(s.Header().Domain, builder.ConfigOf(s.Header()))
	dropped, err := merge.Snapshot(t.Context(), b, s, take)
	if err != nil {
		t.Fatal(err)
	}
	memstore.Open(t, b)
	return dropped
}

// TestSnapshotsReportImpossibleRows: what native code has made impossible is named, with
// its place, and nothing else is.
func TestSnapshotsReportImpossibleRows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		point  int32
		cell   int
		value  uint64
		reason string // empty if the row is possible
	}{
		"a receiver that is no type":         {6, 2, impossible, "in the place of a type leads to none"},
		"a count without a type":             {6, 5, 9, "a count of 9 has no type"},
		"a type word without its type":       {3, 3, impossible | 1, "in the place of a type leads to none"},
		"a type word with tags alone":        {3, 3, 2, ""},
		"a producer's type":                  {9, 0, impossible, "in the place of a type leads to none"},
		"a producer's method":                {9, 1, impossible, "in the place of a method leads to none"},
		"a count of a receiver":              {6, 3, 99, ""},
		"a producer's count without its key": {9, 2, 5, ""}, // what its rows mean the producer knows
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			domain := layout.DomainHotSpot
			if c.point == 9 {
				domain = layout.DomainCustom
			}
			s := rowsStore(t, domain)
			word, _ := liveEntry(t, s, c.point).Cell(c.cell).Word()
			word.Store(c.value)
			got := snapshotReport(t, s, merge.Totals)
			switch {
			case c.reason == "" && got.Rows != 0:
				t.Errorf("%v", got)
			case c.reason == "":
			case got.Rows != 1 || len(got.First) != 1:
				t.Errorf("%d rows, %v", got.Rows, got.First)
			case got.First[0].Method.Name != "sum" || got.First[0].Point != c.point ||
				!strings.Contains(got.First[0].Reason, c.reason):
				t.Errorf("%v, want %s at %d", got.First[0], c.reason, c.point)
			}
			if trained := snapshotReport(t, s, merge.Trained); trained.Rows != 0 {
				t.Errorf("the trained profile: %v", trained)
			}
		})
	}
}

// TestSnapshotsNameTheFirstImpossibleRows: the number is of all, the names are few.
func TestSnapshotsNameTheFirstImpossibleRows(t *testing.T) {
	t.Parallel()
	b := testarchive.New(layout.DomainCustom)
	p := b.Profile(layout.Key{Name: "main"}, 1)
	p.Receivers(builder.Receivers{Point: 1}, make([]builder.Row, 20)...)
	testarchive.MustDone(t, p)
	s := memstore.Open(t, b)
	receivers, _ := liveEntry(t, s, 1).Receivers()
	for i := range receivers.Len() {
		_, count := receivers.Cells(i)
		if err := count.Add(1); err != nil {
			t.Fatal(err)
		}
	}
	if got := snapshotReport(t, s, merge.Increments); got.Rows != 20 || len(got.First) != 8 {
		t.Errorf("%d rows, of which %d are named", got.Rows, len(got.First))
	}
}
