package show

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/cmd/profarc/internal/view/methods"
	"github.com/profarc/profarc/cmd/profarc/internal/view/terminal"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/experimental/reduce"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/internal/names/match"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// TestDamagedArchivesArePrintedOrRefused changes bytes, makes the sums right again, and prints: that must
// end, with no error or with one that says where the archive is damaged.
func TestDamagedArchivesArePrintedOrRefused(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	rounds := 2000
	if testing.Short() {
		rounds = 100
	}
	for _, sp := range specimen.All() {
		original, err := sp.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(11, uint64(len(original))))
		for round := range rounds {
			m, err := archive.FromBytes("app.parc", changed(t, original, r), archive.Options{})
			if sp.Domain == layout.DomainCustom && errors.Is(err, layout.ErrCorrupt) {
				continue // the shapes of its entries are read when it is opened
			}
			if err != nil {
				t.Fatalf("%s, round %d: %v", sp.Name, round, err)
			}
			for _, err := range printEverything(reader.New(m)) {
				var e *layout.Error
				if err != nil && (!errors.Is(err, layout.ErrCorrupt) || !errors.As(err, &e) || e.File != "app.parc") {
					t.Fatalf("%s, round %d: %v", sp.Name, round, err)
				}
			}
		}
	}
}

// TestDamagedArchivesAreReducedOrRefused: names that are none, counts of other sums and pointers into the
// middle of records may be refused by the builder, so that any error will do, if there is one and no panic.
func TestDamagedArchivesAreReducedOrRefused(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	rounds := 300
	if testing.Short() {
		rounds = 30
	}
	names, err := reduce.NewAnonymizer([]byte("the key of this test"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, sp := range specimen.All() {
		original, err := sp.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(12, uint64(len(original))))
		refused := 0
		for round := range rounds {
			m, err := archive.FromBytes("app.parc", changed(t, original, r), archive.Options{})
			if sp.Domain == layout.DomainCustom && errors.Is(err, layout.ErrCorrupt) {
				continue // the shapes of its entries are read when it is opened
			}
			if err != nil {
				t.Fatalf("%s, round %d: %v", sp.Name, round, err)
			}
			for _, reduction := range []reduce.Options{{Hot: layout.WeightOne}, {Names: names}, {DropCold: true, Names: names}} {
				b, _, err := reduce.Archive(t.Context(), reader.New(m), reduction)
				if err == nil {
					_, _, err = b.Bytes()
				}
				if err != nil {
					refused++
				}
			}
		}
		if sp.Name != "hotspot-empty" && refused == 0 {
			t.Errorf("%s: no damage was noticed", sp.Name)
		}
	}
}

// changed returns a copy with one to three other bytes behind the page sums, and sums that fit.
func changed(t *testing.T, original []byte, r *rand.Rand) []byte {
	t.Helper()
	data := append(words.AlignedBytes(len(original))[:0], original...)
	h, err := disk.ParseHeader(data, int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for range 1 + r.IntN(3) {
		region := disk.RegionOf(h, disk.RegionIX+layout.Region(r.IntN(disk.NumRegions-1)))
		if region.Size > 0 {
			data[region.Offset+r.Int64N(region.Size)] = byte(r.Uint32())
		}
	}
	tree, ps := disk.SumTreeOf(h), disk.RegionOf(h, disk.RegionPS)
	for n := range tree.Pages() {
		page := tree.PageSpan(n)
		binary.LittleEndian.PutUint64(data[ps.Offset+tree.SlotOffset(0, n):], disk.Checksum(data[page.Offset:page.End()]))
	}
	h.SumRoot = tree.ComputeLevels(data[ps.Offset:ps.End()])
	copy(data, disk.AppendHeader(nil, h))
	return data
}

// printEverything does what info, show, top and a look-up that misses do.
func printEverything(s *reader.Store) (errs []error) {
	_, err := facts.Describe(s, time.Second)
	ctx, d := context.Background(), s.Header().Domain
	show := func(sel methods.Selection, json bool) error {
		return (&showOptions{json: json}).showMethods(io.Discard, s, sel.Methods(ctx, s), nil)
	}
	showErr := show(methods.NewSelection(d, methods.Filter{}, 0, nil), false)
	some := methods.NewSelection(d, methods.Filter{Class: "a*", Method: "e"}, 1, nil)
	some.Whole = match.New("i")
	minErr := show(some, false)
	some.HottestFirst = true
	heatErr := show(some, true)
	_, nearErr := methods.NearNames(s, layout.Key{Class: "shapes/Circle", Name: "aera"})
	_, pollutionErr := facts.MostPolluted(ctx, s, analyze.RankOptions{Limit: 10})
	_, sampledErr := facts.MostSampled(ctx, s, facts.Samples, analyze.RankOptions{Limit: 10})
	_, summaryErr := facts.Summarize(ctx, s)
	errs = append(errs, summaryErr, sampledErr, err, showErr, minErr, heatErr, nearErr, pollutionErr)
	for i := range analyze.Measures {
		_, err := analyze.Hottest(ctx, s, &analyze.Measures[i], analyze.RankOptions{Limit: 10})
		errs = append(errs, err)
	}
	return append(errs, printTables(s)...)
}

// printTables does what show --table does, with every table, and what info --tables does.
func printTables(s *reader.Store) (errs []error) {
	screen := &terminal.Screen{Width: 40}
	for t, err := range s.Tables() {
		if errs = append(errs, err); err != nil {
			return errs
		}
		for _, asJSON := range []bool{false, true} {
			o := tableOptions{name: t.Kind.String(), sort: fmt.Sprint(t.Columns()), match: "?*"}
			errs = append(errs, showTable(context.Background(), io.Discard, screen, s, o, asJSON))
		}
	}
	return errs
}
