package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// facts are what info prints.
type facts struct {
	Archive string `json:"archive"`
	*runFacts
	Format      string         `json:"format"`
	Domain      string         `json:"domain"`
	Producer    string         `json:"producer"`
	DumpTime    string         `json:"dump_time"`
	DumpID      string         `json:"dump_id"`
	Fingerprint string         `json:"fingerprint"`
	Flags       []string       `json:"flags"`
	Required    uint64         `json:"required_features"`
	Optional    uint64         `json:"optional_features"`
	Base        string         `json:"base"`
	Size        int64          `json:"bytes"`
	OpenNS      int64          `json:"open_ns"`
	Regions     []regionFact   `json:"regions"`
	Counts      layout.Counts  `json:"counts"`
	Summary     layout.Summary `json:"summary"`
	Index       indexFact      `json:"index"`
	Settings    []setting      `json:"settings"`
	Properties  []property     `json:"properties"`
	Tables      []tableFact    `json:"tables"`

	Cutoffs *cutoffSummary `json:"cutoff_summary,omitempty"`
}

type regionFact struct {
	Name   string `json:"name"`
	Offset int64  `json:"offset"`
	Size   int64  `json:"bytes"`
}

type indexFact struct {
	Lines    uint64 `json:"lines"`
	MaxProbe uint64 `json:"max_probe"`
	Seed     string `json:"seed"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type tableFact struct {
	Kind uint32 `json:"kind"`
	Name string `json:"name"`
	Rows int    `json:"rows"`
	// Table is what show --table calls it.
	Table   string       `json:"table"`
	Columns []columnFact `json:"columns"`

	*sampleFact // of the table of samples
}

type sampleFact struct {
	Stacks  int    `json:"stacks"`
	Samples uint64 `json:"samples"`
}

func gatherFacts(s *reader.Store, opened time.Duration) (*facts, error) {
	h := s.Header()
	f := &facts{
		Archive: s.Mapping().Name(), Format: disk.VersionString(h.Version), Domain: h.Domain.String(), Producer: h.Producer,
		DumpID: bytesText(h.DumpID), Fingerprint: bytesText(h.Fingerprint), Flags: flagNames(h.Flags),
		Required: h.Required, Optional: h.Optional, Base: fmt.Sprintf("0x%x", h.Base), Size: h.FileSize, OpenNS: opened.Nanoseconds(),
		Counts: h.Counts, Summary: h.Summary, Settings: settingsOf(h.Params),
		Index:      indexFact{h.Buckets, uint64(h.MaxProbe), app.FormatID(h.Seed)},
		Properties: []property{}, Tables: []tableFact{},
	}
	if t := h.Time(); !t.IsZero() {
		f.DumpTime = t.UTC().Format(time.RFC3339Nano)
	}
	for r := layout.RegionHeader; int(r) <= disk.NumRegions; r++ {
		f.Regions = append(f.Regions, regionFact{r.String(), h.Region(r).Offset, h.Region(r).Size})
	}
	var err error
	if f.runFacts, err = gatherRuns(s); err != nil {
		return nil, err
	}
	return f, f.gatherTables(s)
}

func (f *facts) gatherTables(s *reader.Store) error {
	for t, err := range s.Tables() {
		if err != nil {
			return err
		}
		fact := tableFact{Kind: uint32(t.Kind), Name: tableName(t.Kind), Rows: t.Rows, Table: t.Kind.String(), Columns: columnsOf(t)}
		if t.Kind == layout.TableSamples {
			stackCount, samples, err := countSamples(s)
			if err != nil {
				return err
			}
			fact.sampleFact = &sampleFact{stackCount, samples}
		}
		f.Tables = append(f.Tables, fact)
		if t.Kind != layout.TableProperties || t.Columns() != 2 {
			continue
		}
		for i := range t.Rows {
			name, err1 := symbolText(s, t.Cell(0, i))
			value, err2 := symbolText(s, t.Cell(1, i))
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			f.Properties = append(f.Properties, property{name, value})
		}
	}
	return nil
}

// symbolText is the text of a symbol that a table names, empty for none.
func symbolText(s *reader.Store, cell uint64) (string, error) {
	if cell == 0 {
		return "", nil
	}
	name, err := s.SymbolAt(layout.Ref(cell))
	return name.String(), err
}
