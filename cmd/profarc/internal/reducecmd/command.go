// Package reducecmd implements the command reduce, which writes part of an archive, or an anonymized copy.
package reducecmd

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/view/methods"
	"github.com/profarc/profarc/cmd/profarc/internal/view/report"
	"github.com/profarc/profarc/experimental/reduce"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/match"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type reduceOptions struct {
	out       string
	hot       string
	dropCold  bool
	filter    methods.Filter
	anonymize bool
	keyFile   string
	keep      []string
	base      string
	mayDiffer string
}

var (
	//go:embed help.txt
	helpText string
	//go:embed report.txt
	reportText string
)

func Command(a *cli.App) *cobra.Command {
	var o reduceOptions
	cmd := a.NewCommand(helpText, cli.Args(1, 1, "the archive to reduce"),
		func(ctx context.Context, args []string) error { return runReduce(ctx, a, args[0], o) })
	cmd.ValidArgsFunction = cli.CompleteArchives(1)
	f := cmd.Flags()
	f.StringVarP(&o.out, "output", "o", "", "archive to write; its name ends in "+cli.ArchiveExtension)
	f.StringVar(&o.hot, "hot", "", "share of all counts of each unit, and of all samples, to keep, as 99.9%")
	f.BoolVar(&o.dropCold, "drop-cold", false, "drop profiles without any count, and methods that never ran")
	o.filter.AddFlags(f)
	f.BoolVar(&o.anonymize, "anonymize", false, "replace names by keyed hashes")
	f.StringVar(&o.keyFile, "key-file", "", "file whose bytes are the key of --anonymize, at least "+
		fmt.Sprint(reduce.MinKey))
	f.StringArrayVar(&o.keep, "keep", nil, "with --anonymize: classes or functions to keep the names of")
	f.StringVar(&o.base, "base", "",
		"base of the result, which becomes a layer: methods that the base has too are left out")
	f.StringVar(&o.mayDiffer, "may-differ", "",
		"with --base: share of its counts by which a method may differ and be left out, as 5%")
	_ = cmd.RegisterFlagCompletionFunc("base", cli.CompleteArchives(-1))
	a.AddJSONFlag(cmd)
	return cmd
}

func runReduce(ctx context.Context, a *cli.App, in string, o reduceOptions) error {
	begin := time.Now()
	if err := cli.CheckArchiveName(o.out, in); err != nil {
		return err
	}
	if cli.CheckOutput(o.out, o.base) != nil {
		return cli.Usagef("-o %s is the base: name another file", o.out)
	}
	r, err := o.reduction(ctx)
	if err != nil {
		return err
	}
	return o.withBase(ctx, a, in, func(s, base *reader.Store) error {
		if err := o.filter.CheckMatches(s); err != nil {
			return err
		}
		r.Base = base
		r.Methods = o.filter.KeyFilter(s.Header().Domain)
		writing := a.Meter("writing " + o.out)
		defer writing.Done()
		r.Config.Progress, r.Config.SpillFolder = writing.Report, filepath.Dir(o.out)
		b, kept, err := reduce.Archive(ctx, s, r)
		if err != nil {
			return err
		}
		written, err := b.Commit(ctx, o.out)
		if err != nil {
			return err
		}
		report := newReduceReport(s, o, r.Hot, kept, written)
		report.NS = time.Since(begin).Nanoseconds()
		return a.Print(report, func() { app.PrintReport(a.Out, reportText, report, nil) })
	})
}

func (o reduceOptions) withBase(ctx context.Context, a *cli.App, in string, f func(s, base *reader.Store) error) error {
	return a.WithArchive(ctx, in, func(s *reader.Store) error {
		if o.base == "" {
			return f(s, nil)
		}
		return a.WithArchive(ctx, o.base, func(base *reader.Store) error { return f(s, base) })
	})
}

func (o reduceOptions) reduction(ctx context.Context) (r reduce.Options, err error) {
	switch {
	case o.hot == "" && !o.dropCold && o.filter.IsEmpty() && !o.anonymize && o.base == "":
		return r,
			cli.Usagef("nothing to do: give a share with --hot, or one of --drop-cold, --class, --method, --base, --anonymize")
	case o.base == "" && o.mayDiffer != "":
		return r, cli.Usagef("--may-differ says when a method is left to a base: name it with --base")
	case !o.anonymize && (o.keyFile != "" || len(o.keep) > 0):
		return r, cli.Usagef("--key-file and --keep say how names are replaced: give --anonymize, too")
	}
	r.Hot, err = app.ParseShare("--hot", o.hot)
	if err != nil {
		return r, err
	}
	r.MayDiffer, err = app.ParseShare("--may-differ", o.mayDiffer)
	if err != nil {
		return r, err
	}
	r.DropCold = o.dropCold
	if o.anonymize {
		r.Names, err = o.anonymizer(ctx)
	}
	return r, err
}

func (o reduceOptions) anonymizer(ctx context.Context) (*reduce.Anonymizer, error) {
	var key []byte
	if o.keyFile != "" {
		var err error
		key, err = cli.ReadSmallFile(ctx, o.keyFile, cli.SmallFile)
		if err != nil {
			return nil, err
		}
		if len(key) < reduce.MinKey {
			return nil, cli.Usagef("--key-file %s: a key of %d bytes can be guessed: name a file of %d random bytes at least",
				o.keyFile, len(key), reduce.MinKey)
		}
	}
	return reduce.NewAnonymizer(key, wholeNames(o.keep))
}

func wholeNames(typed []string) func(name string) bool {
	patterns := lists.Map(typed, match.New)
	return func(name string) bool {
		return slices.ContainsFunc(patterns, func(p match.Pattern) bool { return p.MatchesWhole(name) })
	}
}

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

// SharesText returns the kept shares of the counts of all units.
func (r *reduceReport) SharesText() string {
	var parts []string
	for _, u := range r.Shares {
		switch {
		case u.Share != nil:
			parts = append(parts, fmt.Sprintf("%s of all %s", cli.FormatShare(*u.Share, 2), report.KindText(u.Unit)))
		case r.hot == layout.WeightOne:
			parts = append(parts, "all methods with "+report.KindText(u.Unit))
		case r.hot > 0:
			parts = append(parts, fmt.Sprintf("methods with %s%% of the highest %s",
				(100*(layout.WeightOne-r.hot)).String(), report.KindText(u.Unit)))
		}
	}
	if r.Samples != nil {
		parts = append(parts, cli.FormatShare(*r.Samples, 2)+" of all samples")
	}
	if len(parts) == 0 {
		return "no counts"
	}
	return strings.Join(parts, ", ")
}
