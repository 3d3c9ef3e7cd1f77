package reducecmd

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/view/report"
	"github.com/profarc/profarc/experimental/reduce"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type reduceReport struct {
	Archive  string        `json:"archive"`
	Input    string        `json:"input"`
	Methods  keptOf        `json:"methods"`
	Profiles keptOf        `json:"profiles"`
	Entries  keptOf        `json:"entries"`
	Share    float64       `json:"share"`         // the lowest share of the counts of a unit
	Shares   []unitShare   `json:"shares"`        // shares by unit
	Samples  *float64      `json:"sample_share"`  // share of all samples; null without samples
	Named    uint64        `json:"named_methods"` // methods kept only because others refer to them
	Key      string        `json:"key,omitempty"` // source of the key of hashed names: file or random
	Base     *leftToBase   `json:"base,omitempty"`
	Bytes    int64         `json:"bytes"`
	DumpID   string        `json:"dump_id"`
	Counts   layout.Counts `json:"counts"`
	Lost     codec.Losses  `json:"lost"`
	NS       int64         `json:"ns"`

	hot layout.Weight // requested share; 0 without --hot
}

// A leftToBase counts the methods left out because the base has them.
type leftToBase struct {
	Archive string `json:"archive"`
	Methods uint64 `json:"methods"`
	Saved   int64  `json:"bytes_saved"` // difference to the size of the input
}

// A unitShare is the kept share of the counts of a unit; null for counts that cannot be added up.
type unitShare struct {
	Unit  string   `json:"unit"`
	Share *float64 `json:"share"`
}

type keptOf struct {
	Kept uint64 `json:"kept"`
	Of   uint64 `json:"of"`
}

func (k keptOf) String() string { return fmt.Sprintf("%d of %d", k.Kept, k.Of) }

func newReduceReport(s *reader.Store, o reduceOptions, hot layout.Weight, kept *reduce.Report,
	written builder.Report) *reduceReport {
	of := s.Header().Counts
	r := &reduceReport{
		Archive: o.out, Input: s.Mapping().Name(), Share: kept.Share, Shares: unitShares(s.Header().Domain, kept),
		Methods: keptOf{kept.Methods, of.Methods}, Profiles: keptOf{kept.Profiles, of.Profiles},
		Entries: keptOf{kept.Entries, of.Entries},
		Named:   written.Counts.Methods - kept.Methods,
		Bytes:   written.Bytes, DumpID: fmt.Sprintf("%x", written.DumpID), Counts: written.Counts,
		Lost: codec.Losses{}, hot: hot,
	}
	if o.base != "" {
		r.Base = &leftToBase{o.base, kept.LeftToBase, s.Header().FileSize - written.Bytes}
	}
	if kept.Sampled {
		r.Samples = &kept.SampleShare
	}
	if o.anonymize {
		r.Key = "random"
	}
	if o.keyFile != "" {
		r.Key = "file"
	}
	for _, kind := range slices.Sorted(maps.Keys(kept.Rows)) {
		r.Lost = append(r.Lost, codec.Loss{What: codec.LossKind("rows of the table of " + display.TableTitle(kind)),
			Count: kept.Rows[kind]})
	}
	return r
}

func unitShares(d layout.Domain, kept *reduce.Report) []unitShare {
	shares := []unitShare{}
	for _, u := range kept.Units {
		row := unitShare{Unit: schema.UnitName(u, d)}
		if share, ok := kept.ShareOf(u); ok {
			row.Share = &share
		}
		shares = append(shares, row)
	}
	return shares
}

// sharesText describes the kept shares of counts and samples.
func (r *reduceReport) sharesText() string {
	var parts []string
	for _, u := range r.Shares {
		switch {
		case u.Share != nil:
			parts = append(parts, fmt.Sprintf("%s of all %s", cli.FormatPercentDown(*u.Share), report.KindText(u.Unit)))
		case r.hot == layout.WeightOne:
			parts = append(parts, "all methods with "+report.KindText(u.Unit))
		case r.hot > 0:
			parts = append(parts, fmt.Sprintf("methods with %s%% of the highest %s",
				(100*(layout.WeightOne-r.hot)).String(), report.KindText(u.Unit)))
		}
	}
	if r.Samples != nil {
		parts = append(parts, cli.FormatPercentDown(*r.Samples)+" of all samples")
	}
	if len(parts) == 0 {
		return "no counts"
	}
	return strings.Join(parts, ", ")
}

func (r *reduceReport) printReport(a *cli.App) {
	fmt.Fprintf(a.Out, "kept   %s methods, %s profiles, %s entries, %s\n", r.Methods, r.Profiles, r.Entries,
		r.sharesText())
	if b := r.Base; b != nil {
		fmt.Fprintf(a.Out, "base   %s has %s more, which were left out: %s smaller\n", escape.Printable(b.Archive),
			cli.Amount(int(b.Methods), "method"), cli.FormatSize(max(0, b.Saved)))
	}
	if r.Named > 0 {
		fmt.Fprintf(a.Out, "also   %s that these name\n", cli.Amount(int(r.Named), "method"))
	}
	switch r.Key {
	case "random":
		fmt.Fprintln(a.Out, "names  hashed with a random key that is not kept: no other archive will have the same")
	case "file":
		fmt.Fprintln(a.Out, "names  hashed with the key of the file")
	}
	app.PrintLosses(a.Out, r.Lost)
	fmt.Fprintf(a.Out, "wrote  %s: %s, %d methods, %d profiles, %s\n", escape.Printable(r.Archive),
		cli.FormatSize(r.Bytes), r.Counts.Methods, r.Counts.Profiles, cli.FormatDuration(time.Duration(r.NS)))
}
