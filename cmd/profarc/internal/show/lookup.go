package show

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/cmd/profarc/internal/layers"
	"github.com/profarc/profarc/cmd/profarc/internal/view/listing"
	"github.com/profarc/profarc/cmd/profarc/internal/view/methods"
	"github.com/profarc/profarc/cmd/profarc/internal/view/terminal"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/reader"
)

type lookupOptions struct {
	loader  string
	id      bool
	hash    string
	callers []string
	prefix  bool
	repeat  int
	base    string
	json    bool
	screen  terminal.Options
}

const defaultRepeat = 1000

func LookupCommand(a *cli.App) *cobra.Command {
	var o lookupOptions
	cmd := &cobra.Command{
		Use:    "lookup ARCHIVE KEY...",
		Short:  "Look up methods by key or id, and time it",
		Hidden: true,
		Long: `Deprecated: use profarc show --lookup. Lookup finds methods by key. It prints the time of the first lookup,
which verifies the pages that it reads, and the mean time of a repeated one. If the archive lacks a key,
the exit code is 1. A KEY is written as for show, with callers as there.

` + terminal.Help,
		Example: `  profarc lookup app.parc 'java.lang.String::length()I'
  profarc lookup app.parc --id 9d5c0f3a11e7b246
  profarc lookup server.parc _ZN6Server3runEv --hash 0x0f9a16fe6d398548`,
		Args:              cli.Args(2, -1, "an archive and at least one key"),
		ValidArgsFunction: cli.CompleteArchives(1),
		RunE: a.Run(func(ctx context.Context, args []string) error {
			return o.runLookups(ctx, a, args[0], args[1:])
		}),
	}
	f := cmd.Flags()
	f.StringVar(&o.loader, "loader", "", "class loader of the keys, boot for none (without it: boot, app or platform)")
	f.BoolVar(&o.id, "id", false, "each KEY is a method id, in hexadecimal")
	f.StringVar(&o.hash, "hash", "", "function hash or code id of the profile, in hexadecimal")
	f.StringArrayVar(&o.callers, "caller", nil, methods.CallerUsage)
	f.BoolVar(&o.prefix, "prefix", false, "find all methods whose names begin with a key")
	layers.AddFlag(f, &o.base)
	f.IntVar(&o.repeat, "repeat", defaultRepeat, "number of repeated lookups, for their mean time")
	f.BoolVar(&o.json, "json", false, "print JSON")
	o.screen.AddFlags(cmd)
	return cmd
}

type lookupResult struct {
	Key      string              `json:"key"`
	Found    bool                `json:"found"`
	In       string              `json:"in,omitempty"` // name of the layer that has it, with --base
	Method   *analyze.MethodName `json:"method,omitempty"`
	Hash     string              `json:"hash,omitempty"`
	Profiles int                 `json:"profiles"`
	FirstNS  int64               `json:"first_ns"`
	WarmNS   float64             `json:"warm_ns"`

	Context *methods.ContextMatch `json:"context,omitempty"` // nil without callers

	s *reader.Store
}

func (o *lookupOptions) runLookups(ctx context.Context, a *cli.App, path string, keys []string) error {
	if o.repeat < 1 {
		return cli.Usagef("--repeat %d: look up at least once", o.repeat)
	}
	if o.prefix && (o.id || o.hash != "" || len(o.callers) > 0) {
		return cli.Usagef("--prefix is for keys, not for --id, --hash or --caller")
	}
	return layers.WithStores(ctx, a, path, o.base, func(stores []*reader.Store) error {
		answers := []lookupResult{}
		var missed error
		for _, key := range keys {
			found, missing, err := o.lookUpInLayers(ctx, stores, key)
			if err != nil {
				return err
			}
			missed = errors.Join(missed, missing)
			answers = append(answers, found...)
		}
		return errors.Join(o.screen.Run(a, func(screen *terminal.Screen) error {
			screen.Domain = stores[0].Header().Domain
			return o.printAnswers(a, screen, answers)
		}), missed)
	})
}

func (o *lookupOptions) lookUpInLayers(ctx context.Context, stores []*reader.Store, key string) (answers []lookupResult,
	missing, err error) {
	for i, s := range stores {
		answers, missing, err = o.lookUpInStore(ctx, s, key)
		profiles := 0
		for j := range answers {
			profiles += answers[j].Profiles
			if len(stores) > 1 && answers[j].Found {
				answers[j].In = s.Mapping().Name()
			}
		}
		if err != nil || missing == nil && profiles > 0 || i == len(stores)-1 {
			break
		}
	}
	return answers, missing, err
}

func (o *lookupOptions) lookUpInStore(ctx context.Context, s *reader.Store, key string) (answers []lookupResult,
	missing,
	err error) {
	queries, err := o.parseQueries(s, key)
	if err != nil {
		return nil, nil, err
	}
	for i := range queries {
		q := &queries[i]
		r, err := q.runLookup(ctx)
		if errors.Is(err, reader.ErrNotFound) {
			displayed, ok, findErr := q.byDisplayedName()
			if findErr != nil {
				return nil, nil, findErr
			}
			if ok {
				r, err = displayed.runLookup(ctx)
			}
		}
		if errors.Is(err, reader.ErrNotFound) {
			missing = errors.Join(missing, q.notFound())
		} else if err != nil {
			return nil, nil, err
		}
		r.s = s
		answers = append(answers, r)
	}
	return answers, missing, nil
}

func (q *lookupQuery) runLookup(ctx context.Context) (lookupResult, error) {
	r, m, err := q.timeLookups(ctx)
	r.Key = q.text
	r.Hash = q.o.hash
	if err == nil && q.context != nil {
		r.Context, err = q.context.FindProfile(m, q.code)
	}
	if errors.Is(err, reader.ErrAmbiguous) {
		err = fmt.Errorf("%s: %s: %w: %s", q.s.Mapping().Name(), q.text, err, q.ambiguityHint())
	}
	return r, err
}

func (q *lookupQuery) timeLookups(ctx context.Context) (r lookupResult, m reader.Method, err error) {
	begin := time.Now()
	m, err = q.lookUp()
	r.FirstNS = time.Since(begin).Nanoseconds()
	if err != nil {
		return r, m, err
	}
	begin = time.Now()
	for i := range q.o.repeat {
		if _, err := q.lookUp(); err != nil {
			return r, m, err
		}
		if i%1024 == 0 && ctx.Err() != nil {
			return r, m, ctx.Err()
		}
	}
	r.WarmNS = float64(time.Since(begin).Nanoseconds()) / float64(q.o.repeat)
	name, err := analyze.NameOf(q.s, m)
	r.Found = true
	r.Method = &name
	for _, profileErr := range m.Profiles() {
		if profileErr != nil {
			return r, m, profileErr
		}
		r.Profiles++
	}
	return r, m, err
}

func (o *lookupOptions) printAnswers(a *cli.App, screen *terminal.Screen, answers []lookupResult) error {
	if o.json {
		return a.PrintJSON(answers)
	}
	for i := range answers {
		if err := answers[i].printResult(a, screen); err != nil {
			return err
		}
	}
	return nil
}

func (r *lookupResult) printResult(a *cli.App, screen *terminal.Screen) error {
	if !r.Found {
		return nil
	}
	fmt.Fprintf(a.Out, "%s\n  id %s, %d profiles, first look-up %s, warm %.1f ns\n", screen.MethodText(*r.Method),
		r.Method.ID,
		r.Profiles, cli.FormatDuration(time.Duration(r.FirstNS)), r.WarmNS)
	if r.In != "" {
		fmt.Fprintf(a.Out, "  in %s\n", escape.Printable(r.In))
	}
	if r.Context == nil {
		return nil
	}
	lines, err := r.Context.Describe(r.s)
	if facts := listing.FactsText(listing.ProfileFacts(r.Context.Profile, screen.FormatCount)); facts != "" {
		lines = append(lines, facts)
	}
	for _, line := range lines {
		fmt.Fprintf(a.Out, "  %s\n", line)
	}
	return err
}
