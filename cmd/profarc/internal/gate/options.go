package gate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/gate/criteria"
	"github.com/profarc/profarc/cmd/profarc/internal/layers"
	"github.com/profarc/profarc/cmd/profarc/internal/view/terminal"
	"github.com/profarc/profarc/internal/cli"
)

type options struct {
	against                []string
	base, baseline         string
	fit, coverage, overlap string
	checked, spread        string
	hot                    string
	size                   string
	growth                 float64
	runs                   int
	age                    string
	waived                 []string
	json, markdown         bool
	screen                 terminal.Options
}

func (o *options) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&o.against, "against", nil,
		"the code of the program: a class path, in one or more parts, pid:N, an archive, or profiles of another tool "+
			"(default what the archive records)")
	layers.AddFlag(f, &o.base)
	f.StringVar(&o.baseline, "baseline", "", "the archive in use, or the merged profiles of the fleet")
	f.StringVar(&o.fit, "min-fit", "90%", "least score of the check against the code")
	f.StringVar(&o.checked, "min-checked", fmt.Sprintf("%.0f%%", 100*cli.DefaultChecked),
		"least share of all events that the check covers")
	f.StringVar(&o.coverage, "min-coverage", "90%", "least share of the baseline's hot counts in methods with counts")
	f.StringVar(&o.hot, "hot", "99%", "share of the baseline's counts whose methods are hot")
	f.StringVar(&o.spread, "min-spread", "50%", "least share of the baseline's methods with counts that have counts")
	f.StringVar(&o.overlap, "min-overlap", "50%", "least overlap with the baseline")
	f.StringVar(&o.size, "max-size", "256MB", "most bytes of the archive")
	f.Float64Var(&o.growth, "max-growth", 3, "most times the size of the baseline")
	f.IntVar(&o.runs, "min-runs", 1, "fewest dumps that it is made from")
	f.StringVar(&o.age, "max-age", "30d", "most time since its last dump, as 30d or 12h")
	f.StringSliceVar(&o.waived, "allow-unchecked", nil, "criteria that may be unchecked, as age,fit, or all")
	f.BoolVar(&o.json, "json", false, "print JSON")
	f.BoolVar(&o.markdown, "markdown", false, "print a table in Markdown")
	o.screen.AddFlags(cmd)
	_ = cmd.RegisterFlagCompletionFunc("allow-unchecked",
		cobra.FixedCompletions(append([]string{"all"}, criteria.Names...), cobra.ShellCompDirectiveNoFileComp))
}

// switchesOff reports whether a threshold is 0, and so disables its criterion.
func switchesOff(text string) bool {
	return text != "" && strings.TrimRight(strings.TrimSuffix(text, "%"), "0.") == ""
}

func (o *options) parseLimits() (l criteria.Limits, err error) {
	if err := o.checkFlags(); err != nil {
		return l, err
	}
	l.Growth = o.growth
	l.Runs = o.runs
	for _, share := range []struct {
		flag, text string
		to         *float64
	}{{"--min-fit", o.fit, &l.Fit}, {"--min-checked", o.checked, &l.Checked}, {"--min-coverage", o.coverage, &l.Coverage},
		{"--min-spread", o.spread, &l.Spread}, {"--min-overlap", o.overlap, &l.Overlap}} {
		*share.to, err = parseShare(share.flag, share.text)
		if err != nil {
			return l, err
		}
	}
	l.Hot, err = app.ParseShare("--hot", o.hot)
	if err != nil {
		return l, err
	}
	if !switchesOff(o.size) {
		l.Size, err = app.ParseSize(o.size)
		if err != nil {
			return l, cli.Usagef("--max-size %s: %w", o.size, err)
		}
	}
	l.Age, err = parseAge(o.age)
	return l, err
}

func parseShare(flag, text string) (float64, error) {
	if switchesOff(text) {
		return 0, nil
	}
	w, err := app.ParseShare(flag, text)
	return float64(w) / 1e9, err
}

func parseAge(text string) (time.Duration, error) {
	if switchesOff(text) {
		return 0, nil
	}
	return app.ParseAge("--max-age", text)
}

func (o *options) checkFlags() error {
	switch {
	case o.json && o.markdown:
		return cli.Usagef("--json and --markdown: choose one")
	case o.growth < 0 || o.growth != o.growth:
		return cli.Usagef("--max-growth %v: it must not be negative", o.growth)
	case o.runs < 0:
		return cli.Usagef("--min-runs %d: it must not be negative", o.runs)
	case o.hot == "":
		return cli.Usagef("--hot: write a share as 99.9%% or 0.999")
	}
	if slices.Contains(o.waived, "all") {
		o.waived = criteria.Names
	}
	for _, name := range o.waived {
		if !slices.Contains(criteria.Names, name) {
			return cli.Usagef("--allow-unchecked %s: the criteria are %s", name, strings.Join(criteria.Names, ", "))
		}
	}
	return nil
}
