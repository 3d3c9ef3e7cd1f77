package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/reader"
)

type topOptions struct {
	n    int
	by   string
	json bool
}

func newTopCommand(a *app) *cobra.Command {
	var o topOptions
	cmd := &cobra.Command{
		Use:   "top ARCHIVE",
		Short: "List the hottest methods, with their shares",
		Long: `Top lists the methods with the highest sums over their profiles:

` + measuresText() + `

Without --by it takes invocations where the archive has any, function counts of LLVM's
profiles, bytecodes of a JamaicaVM's, and counts elsewhere.`,
		Example: `  profarc top app.parc
  profarc top app.parc -n 5 --by backedges
  profarc top app.parc --by size --json | jq -r '.methods[].method'`,
		Args:              argsBetween(1, 1, "one archive"),
		ValidArgsFunction: completeArchives(1),
		RunE:              a.run(func(ctx context.Context, args []string) error { return a.runTop(ctx, args[0], o) }),
	}
	f := cmd.Flags()
	f.IntVarP(&o.n, "number", "n", 20, "methods to list")
	f.StringVar(&o.by, "by", "", "what to sum: "+strings.Join(measureNames(), ", "))
	f.BoolVar(&o.json, "json", false, "print JSON")
	_ = cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(measureNames(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// A topReport lists methods, the hottest first.
type topReport struct {
	Archive string      `json:"archive"`
	By      string      `json:"by"`
	Total   uint64      `json:"total"`
	Of      int         `json:"of"` // methods that count at all
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
	if _, ok := findMeasure(o.by); !ok && o.by != "" {
		return usagef("--by %s: use one of %s", o.by, strings.Join(measureNames(), ", "))
	}
	return withStore(path, func(s *reader.Store) error {
		r, err := hottest(ctx, s, o)
		if err != nil {
			return err
		}
		if o.json {
			return a.printJSON(r)
		}
		r.print(a)
		return nil
	})
}

// A heat is how hot a method is.
type heat struct {
	m reader.Method
	n uint64
}

// hottest sums over all methods.
func hottest(ctx context.Context, s *reader.Store, o topOptions) (*topReport, error) {
	by, _ := findMeasure(o.by)
	if by == nil {
		by = usualMeasure(s.Header())
	}
	var heats []heat
	r := &topReport{Archive: s.Mapping().Name(), By: by.name, Methods: []topMethod{}}
	for m, err := range s.Methods() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		n, err := by.sum(s, m)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			heats = append(heats, heat{m, n})
			r.Total = saturating(r.Total, n)
		}
	}
	slices.SortStableFunc(heats, func(a, b heat) int {
		switch {
		case a.n > b.n:
			return -1
		case a.n < b.n:
			return 1
		}
		return 0
	})
	r.Of = len(heats)
	return r, r.list(s, heats[:min(o.n, len(heats))])
}

func (r *topReport) list(s *reader.Store, heats []heat) error {
	sum := uint64(0)
	for _, h := range heats {
		name, err := shown(s, h.m)
		if err != nil {
			return err
		}
		sum = saturating(sum, h.n)
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
}
