package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type topOptions struct {
	n             int
	by            string
	class, method string
	min           uint64
	json          bool
}

func newTopCommand(a *app) *cobra.Command {
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
all that a method called too. Shares are of the whole archive.

` + pollutionText,
		Example: `  profarc top app.parc
  profarc top app.parc -n 5 --by backedges
  profarc top app.parc --class 'java.util.*' --by counts --min 1000
  profarc top native.parc --by samples
  profarc top app.parc --by pollution
  profarc top app.parc --by size --json | jq -r '.methods[].method'`,
		Args:              argsBetween(1, 1, "one archive"),
		ValidArgsFunction: completeArchives(1),
		RunE:              a.run(func(ctx context.Context, args []string) error { return a.runTop(ctx, args[0], o) }),
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
	Total   uint64      `json:"total"`
	Of      int         `json:"of"` // methods that were chosen and count at all
	Methods []topMethod `json:"methods"`
}

type topMethod struct {
	shownMethod
	Value uint64  `json:"value"`
	Share float64 `json:"share"`
	Sum   float64 `json:"cumulative_share"`
}

func (a *app) runTop(ctx context.Context, path string, o topOptions) error {
	if o.n < 1 {
		return usagef("-n %d: list one method at least", o.n)
	}
	var by *measure
	if o.by != byPollution && o.by != bySamples {
		var err error
		if by, err = chosenMeasure(o.by, bySamples, byPollution); err != nil {
			return err
		}
	}
	return withStore(path, func(s *reader.Store) error {
		if err := (filter{o.class, o.method}).check(s); err != nil {
			return err
		}
		return a.top(ctx, s, o, by)
	})
}

// top lists methods by a measure, the usual one if that is nil, or by what the
// options name beside the measures.
func (a *app) top(ctx context.Context, s *reader.Store, o topOptions, by *measure) error {
	switch {
	case o.by == byPollution:
		r, err := mostPolluted(ctx, s, o)
		return a.printReport(r, err, o.json)
	case o.by == bySamples || by == nil && samplesAlone(s):
		r, err := mostSampled(ctx, s, o)
		return a.printReport(r, err, o.json)
	}
	r, err := hottest(ctx, s, o, by)
	return a.printReport(r, err, o.json)
}

// printReport prints what a command found out, for people or in JSON.
func (a *app) printReport(r interface{ print(a *app) }, err error, json bool) error {
	switch {
	case err != nil:
		return err
	case json:
		return a.printJSON(r)
	}
	r.print(a)
	return nil
}

// A heat is how hot a method is.
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
	total, heats, err := heatsOf(ctx, s, newSelection(s.Header().Domain, o.class, o.method, o.min, by))
	if err != nil {
		return nil, err
	}
	r.Total, r.Of = total, len(heats)
	return r, r.list(s, heats[:min(o.n, len(heats))])
}

// heatsOf measures all methods, and gives those that are selected and have any,
// the hottest first; of equal ones those that come first.
func heatsOf(ctx context.Context, s *reader.Store, sel selection) (total uint64, heats []heat, err error) {
	for m, err := range s.Methods() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return 0, nil, err
		}
		n, err := sel.by.sum(s, m)
		if err != nil {
			return 0, nil, err
		}
		if n == 0 {
			continue
		}
		total = layout.SaturatingAdd(total, n)
		named, err := sel.nameMatches(s, m)
		if err != nil {
			return 0, nil, err
		}
		if named && n >= sel.min {
			heats = append(heats, heat{m, n})
		}
	}
	slices.SortStableFunc(heats, func(a, b heat) int { return cmp.Compare(b.n, a.n) })
	return total, heats, nil
}

func (r *topReport) list(s *reader.Store, heats []heat) error {
	sum := uint64(0)
	for _, h := range heats {
		name, err := shown(s, h.m)
		if err != nil {
			return err
		}
		sum = layout.SaturatingAdd(sum, h.n)
		r.Methods = append(r.Methods, topMethod{name, h.n, share(h.n, r.Total), share(sum, r.Total)})
	}
	return nil
}

func (r *topReport) print(a *app) {
	w := tabwriter.NewWriter(a.out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%s\tshare\tsum\t  method\n", r.By)
	for _, m := range r.Methods {
		fmt.Fprintf(w, "%d\t%.1f%%\t%.1f%%\t  %s\n", m.Value, 100*m.Share, 100*m.Sum, printable(m.String()))
	}
	w.Flush()
	fmt.Fprintf(a.out, "\n%d of %d methods with any, %d in total\n", len(r.Methods), r.Of, r.Total)
	if r.Total == 0 {
		fmt.Fprintf(a.errOut, "profarc: nothing in %s counts %s: without --by top takes what it counts\n", printable(r.Archive), r.By)
	}
}
