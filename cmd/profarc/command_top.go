package main

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/analyze"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/poll"
	"github.com/profarc/profarc/reader"
)

type topOptions struct {
	n             int
	by            string
	class, method string
	min           uint64
	json          bool
}

func newTopCommand(a *app.App) *cobra.Command {
	var o topOptions
	cmd := &cobra.Command{
		Use:   "top ARCHIVE",
		Short: "List the hottest methods, with their shares, or polluted sites",
		Long: `Top lists the methods with the highest sums over their profiles:

` + measuresText() + `
` + measureLine(bySamples, "GraalVM: samples taken in the method itself, and in all that it called") + `

Without --by it takes invocations where the archive has any, function counts of LLVM's
profiles, bytecodes of a JamaicaVM's, samples where there are no counts, and counts elsewhere.
--class, --method and --min choose among the methods, as in show; of samples --min is of those in
all that a method called too. Shares are of the whole archive, or of the total of the run where
the profile has one and not all methods. Cycles of a JamaicaVM are those of called methods too, so
that they are never added up: shares are of the cycles of all threads or, where these are not
recorded, of the highest. Names that the profile cut off may be of several methods: each has a line.

A HotSpot JVM counts until C2 has compiled a method; code of C2 counts nothing. So methods of level
4 ran more often than they show, and often by far: level is the highest at which a method was
compiled (0 interpreter, 1 to 3 C1, 4 C2). Invocations are no measure of time there.

` + pollutionText,
		Example: `  profarc top app.parc
  profarc top app.parc -n 5 --by backedges
  profarc top app.parc --class 'java.util.*' --by counts --min 1000
  profarc top native.parc --by samples
  profarc top app.parc --by pollution
  profarc top app.parc --by size --json | jq -r '.methods[].method'`,
		Args:              app.Args(1, 1, "one archive"),
		ValidArgsFunction: app.CompleteArchives(1),
		RunE:              a.Run(func(ctx context.Context, args []string) error { return runTop(ctx, a, args[0], o) }),
	}
	f := cmd.Flags()
	names := append(measureNames(), bySamples, byPollution)
	f.IntVarP(&o.n, "number", "n", 20, "methods or sites to list")
	f.StringVar(&o.by, "by", "", "what to sum: "+strings.Join(names, ", "))
	f.StringVar(&o.class, "class", "", "methods of classes that match")
	f.StringVar(&o.method, "method", "", "methods whose names match")
	f.StringVar(&o.method, "function", "", "the same as --method, in LLVM's words")
	f.Uint64Var(&o.min, "min", 0, "methods with such a sum at least, sites with such a count")
	f.BoolVar(&o.json, "json", false, "print JSON")
	_ = cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// A topReport lists methods, the hottest first.
type topReport struct {
	Archive string      `json:"archive"`
	By      string      `json:"by"`
	Total   uint64      `json:"total"`    // what shares are of
	ShareOf shareOf     `json:"share_of"` // which total that is
	Of      int         `json:"of"`       // methods that were chosen and count at all
	Methods []topMethod `json:"methods"`

	sum uint64 // of what the methods of the archive have
}

type topMethod struct {
	analyze.MethodName
	Value uint64  `json:"value"`
	Share float64 `json:"share"`
	// Sum is null where what methods have cannot be added up.
	Sum *float64 `json:"cumulative_share"`
	// Level is the highest at which HotSpot compiled the method, null if it is not
	// known.
	Level *uint8 `json:"level,omitempty"`
	Cut   bool   `json:"cut,omitempty"` // the profile cut its name off
}

func runTop(ctx context.Context, a *app.App, path string, o topOptions) error {
	if o.n < 1 {
		return app.Usagef("-n %d: list one method at least", o.n)
	}
	var by *measure
	if o.by != byPollution && o.by != bySamples {
		var err error
		if by, err = chosenMeasure(o.by, bySamples, byPollution); err != nil {
			return err
		}
	}
	return a.WithStore(ctx, path, func(s *reader.Store) error {
		if err := (filter{o.class, o.method}).check(s); err != nil {
			return err
		}
		return top(ctx, a, s, o, by)
	})
}

// top lists methods by a measure, the usual one if that is nil, or by what the
// options name beside the measures.
func top(ctx context.Context, a *app.App, s *reader.Store, o topOptions, by *measure) error {
	switch {
	case o.by == byPollution:
		r, err := mostPolluted(ctx, s, o)
		return printReport(a, r, err, o.json)
	case o.by == bySamples || by == nil && samplesAlone(s):
		r, err := mostSampled(ctx, s, o)
		return printReport(a, r, err, o.json)
	}
	r, err := hottest(ctx, s, o, by)
	return printReport(a, r, err, o.json)
}

// printReport prints what a command found out, for people or in JSON.
func printReport(a *app.App, r interface{ print(a *app.App) }, err error, json bool) error {
	switch {
	case err != nil:
		return err
	case json:
		return a.PrintJSON(r)
	}
	r.print(a)
	return nil
}

// A heat is how hot a method is; of names that are cut off a method may have
// several.
type heat struct {
	m reader.Method
	n uint64
}

// hottest sums over all methods, and lists those that were chosen.
func hottest(ctx context.Context, s *reader.Store, o topOptions, by *measure) (*topReport, error) {
	if by == nil {
		by = usualMeasure(s.Header())
	}
	r := &topReport{Archive: s.Mapping().Name(), By: by.name, Methods: []topMethod{}}
	sum, heats, err := heatsOf(ctx, s, newSelection(s.Header().Domain, o.class, o.method, o.min, by))
	if err != nil {
		return nil, err
	}
	r.Of, r.sum = len(heats), sum.total
	if r.Total, r.ShareOf, err = by.total(s, sum); err != nil {
		return nil, err
	}
	return r, r.list(s, heats[:min(o.n, len(heats))], by.inclusive())
}

// heatsOf measures all methods, and gives those that are selected and have any,
// the hottest first; of equal ones those that come first.
func heatsOf(ctx context.Context, s *reader.Store, sel selection) (sum sums, heats []heat, err error) {
	for m, err := range s.Methods() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return sum, nil, err
		}
		values, err := sel.by.values(s, m)
		if err != nil {
			return sum, nil, err
		}
		if sum.add(values) == 0 {
			continue
		}
		named, err := sel.nameMatches(s, m)
		if err != nil {
			return sum, nil, err
		}
		for _, n := range values {
			if named && n > 0 && n >= sel.min {
				heats = append(heats, heat{m, n})
			}
		}
	}
	return sum, heats, poll.SortStable(ctx, heats, func(a, b heat) int { return cmp.Compare(b.n, a.n) })
}

func (r *topReport) list(s *reader.Store, heats []heat, inclusive bool) error {
	sum := uint64(0)
	for _, h := range heats {
		name, err := analyze.NameOf(s, h.m)
		if err != nil {
			return err
		}
		sum = disk.SaturatingAdd(sum, h.n)
		row := topMethod{MethodName: name, Value: h.n, Share: app.Share(h.n, r.Total), Cut: cutOff(s, h.m)}
		if !inclusive {
			cumulative := app.Share(sum, r.Total)
			row.Sum = &cumulative
		}
		if row.Level, err = compileLevel(h.m); err != nil {
			return err
		}
		r.Methods = append(r.Methods, row)
	}
	return nil
}
