// Package verifycmd implements the command verify, which checks archives for damage.
package verifycmd

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/layers"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/verify"
)

type verifyOptions struct {
	quick bool
	base  string
}

var (
	//go:embed help.txt
	helpText string
	//go:embed report.txt
	reportText string
)

func Command(a *cli.App) *cobra.Command {
	var o verifyOptions
	cmd := a.NewCommand(helpText, cli.Args(1, -1, "at least one archive"),
		func(ctx context.Context, args []string) error { return runVerify(ctx, a, args, o) })
	cmd.ValidArgsFunction = cli.CompleteArchives(-1)
	cmd.Flags().BoolVar(&o.quick, "quick", false, "check only the page sums")
	cmd.Flags().StringVar(&o.base, "base", "", "base on which each archive must fit as a layer")
	a.AddJSONFlag(cmd)
	return cmd
}

type verdict struct {
	Archive  string         `json:"archive"`
	Sound    bool           `json:"sound"`
	Bytes    int64          `json:"bytes"`
	Pages    int64          `json:"pages"`
	Counts   *layout.Counts `json:"counts,omitempty"` // records found
	Tables   *int           `json:"tables,omitempty"`
	Problems []problem      `json:"problems"`
	More     bool           `json:"more"`
	NS       int64          `json:"ns"`
}

type problem struct {
	Region string `json:"region"`
	Offset int64  `json:"offset"`
	Text   string `json:"text"`
}

func problemOf(err error) problem {
	p := problem{Offset: -1, Text: cli.OneLine(err.Error())}
	var e *layout.Error
	if errors.As(err, &e) {
		p.Region = e.Region.String()
		p.Offset = e.Offset
	}
	return p
}

func runVerify(ctx context.Context, a *cli.App, paths []string, o verifyOptions) error {
	verdicts := []verdict{}
	var unsound error
	if o.base != "" {
		paths = append(slices.Clone(paths), o.base)
	}
	for _, path := range paths {
		v, err := verifyArchive(ctx, a, path, o.quick)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		unsound = errors.Join(unsound, err)
		verdicts = append(verdicts, v)
		if !a.JSON {
			app.PrintReport(a.Out, reportText, v, nil)
		}
	}
	if unsound == nil && o.base != "" {
		unsound = checkLayers(ctx, a, paths[:len(paths)-1], o.base)
	}
	if a.JSON {
		return errors.Join(a.PrintJSON(verdicts), unsound)
	}
	return unsound
}

func checkLayers(ctx context.Context, a *cli.App, paths []string, base string) (wrong error) {
	for _, path := range paths {
		wrong = errors.Join(wrong, layers.WithStores(ctx, a, path, base, func([]*reader.Store) error { return nil }))
	}
	return wrong
}

func verifyArchive(ctx context.Context, a *cli.App, path string, quick bool) (verdict, error) {
	v := verdict{Archive: path, Problems: []problem{}}
	begin := time.Now()
	s, err := a.OpenArchive(path)
	if err != nil {
		v.Problems = append(v.Problems, problemOf(err))
		return v, err
	}
	defer s.Close()
	m := a.Meter("verifying " + path)
	defer m.Done()
	look := verify.Store
	if quick {
		look = verify.Pages
	}
	r, err := look(ctx, s, m.Report)
	if err != nil {
		return v, err
	}
	v.Sound, v.Bytes, v.Pages, v.More, v.NS = r.Sound(), r.Bytes, r.Pages, r.More, time.Since(begin).Nanoseconds()
	if !quick {
		counts := r.Counts
		v.Counts = &counts
		v.Tables = &r.Tables
	}
	for _, p := range r.Problems {
		v.Problems = append(v.Problems, problemOf(p))
	}
	if !v.Sound {
		err = v.problemError(r.Problems[0])
	}
	return v, err
}

func (v *verdict) problemError(first error) error {
	switch n := len(v.Problems); {
	case v.More:
		return fmt.Errorf("%w (the first of more than %d problems)", first, n)
	case n > 1:
		return fmt.Errorf("%w (the first of %d problems)", first, n)
	}
	return first
}
