// Package lookup looks methods up by key or id.
package lookup

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
	loader string
	id     bool
	hash   string
	caller []string
	prefix bool
	repeat int
	base   string
	json   bool
	screen terminal.Options
}

const commandHelp = `Lookup finds methods by their keys. It prints how long the first lookup took, which checks the pages
that it touches, and how long a further lookup takes. If the archive lacks a key the exit code is 1.

A KEY is java/lang/String.length()I or java.lang.String::length()I in all domains with classes, and
any method as show, top and export -t text print it, for instance Class::name int(double) with a
signature of GraalVM. For LLVM's functions it is the whole PGO name. With --id, KEY is the 64-bit id in
hexadecimal: for LLVM's functions the low half of the MD5 of the PGO name. --hash also looks up the
profile of that version of the code: LLVM's function hash. --prefix finds all methods whose names begin
with KEY, and methods whose names a JamaicaVM cut short, if KEY begins with them.

With --caller, or with callers after the key as in KEY <- CALLER@5 <- CALLER@9, lookup finds the
profile of that calling context: of the longest that the archive has, down to the profile for every
caller. A caller that the archive lacks ends the context.

With --base a method without a profile in the archive, or without one of that version, is looked up in
the archive that it is a layer on, and lookup says which of the two has it.

` + terminal.Help

// Command returns the command lookup.
func Command(a *cli.App) *cobra.Command {
	var o lookupOptions
	cmd := &cobra.Command{
		Use:   "lookup ARCHIVE KEY...",
		Short: "Look methods up by key or id, and say how long it took",
		Long:  commandHelp,
		Example: `  profarc lookup app.parc 'java.lang.String::length()I'
  profarc lookup app.parc --id 9d5c0f3a11e7b246
  profarc lookup server.parc _ZN6Server3runEv --hash 0x0f9a16fe6d398548
  profarc lookup native.parc 'Fib::fib int(int)' --caller 'Fib::fib int(int)@7' --caller 'Fib::main void()@5'
  profarc lookup app.parc --json --repeat 1000000 'java/util/HashMap.hash(Ljava/lang/Object;)I'`,
		Args:              cli.Args(2, -1, "an archive and at least one key"),
		ValidArgsFunction: cli.CompleteArchives(1),
		RunE: a.Run(func(ctx context.Context, args []string) error {
			return runLookup(ctx, a, args[0], args[1:], o)
		}),
	}
	f := cmd.Flags()
	f.StringVar(&o.loader, "loader", "", "class loader of the keys, boot for none (without it: boot, app or platform)")
	f.BoolVar(&o.id, "id", false, "the keys are ids")
	f.StringVar(&o.hash, "hash", "", "function hash or code id of the profile, in hexadecimal")
	f.StringArrayVar(&o.caller, "caller", nil, methods.CallerUsage)
	f.BoolVar(&o.prefix, "prefix", false, "find all methods whose names begin with a key")
	layers.AddTo(f, &o.base)
	f.IntVar(&o.repeat, "repeat", 1000, "further lookups, for their mean time")
	f.BoolVar(&o.json, "json", false, "print JSON")
	o.screen.AddTo(cmd)
	return cmd
}

// An answer is the result of a lookup.
type answer struct {
	Key      string              `json:"key"`
	Found    bool                `json:"found"`
	In       string              `json:"in,omitempty"` // the archive that has it, with --base
	Method   *analyze.MethodName `json:"method,omitempty"`
	Hash     string              `json:"hash,omitempty"`
	Profiles int                 `json:"profiles"`
	FirstNS  int64               `json:"first_ns"`
	WarmNS   float64             `json:"warm_ns"`

	Context *methods.ContextMatch `json:"context,omitempty"` // if callers were named

	s *reader.Store
}

func runLookup(ctx context.Context, a *cli.App, path string, keys []string, o lookupOptions) error {
	if o.repeat < 1 {
		return cli.Usagef("--repeat %d: look up at least once", o.repeat)
	}
	if o.prefix && (o.id || o.hash != "" || len(o.caller) > 0) {
		return cli.Usagef("--prefix is for keys, not for --id, --hash or --caller")
	}
	return layers.With(ctx, a, path, o.base, func(stores []*reader.Store) error {
		answers := []answer{}
		var missed error
		for _, key := range keys {
			some, missing, err := o.askLayers(ctx, stores, key)
			if err != nil {
				return err
			}
			missed = errors.Join(missed, missing)
			answers = append(answers, some...)
		}
		return errors.Join(o.screen.Run(a, func(screen *terminal.Screen) error {
			screen.Domain = stores[0].Header().Domain
			return o.print(a, screen, answers)
		}), missed)
	})
}

// print prints answers.
func (o *lookupOptions) print(a *cli.App, screen *terminal.Screen, answers []answer) error {
	if o.json {
		return a.PrintJSON(answers)
	}
	for _, r := range answers {
		if err := r.print(a, screen); err != nil {
			return err
		}
	}
	return nil
}

// askLayers asks for a key in the first archive that has a profile of it. missing says what none has.
func (o *lookupOptions) askLayers(ctx context.Context, stores []*reader.Store, key string) (answers []answer, missing,
	err error) {
	for i, s := range stores {
		answers, missing, err = o.askStore(ctx, s, key)
		profiles := 0
		for j := range answers {
			if profiles += answers[j].Profiles; len(stores) > 1 && answers[j].Found {
				answers[j].In = s.Mapping().Name()
			}
		}
		if err != nil || missing == nil && profiles > 0 || i == len(stores)-1 {
			break
		}
	}
	return answers, missing, err
}

// askStore asks an archive for a key.
func (o *lookupOptions) askStore(ctx context.Context, s *reader.Store, key string) (answers []answer, missing,
	err error) {
	asked, err := questions(s, key, *o)
	if err != nil {
		return nil, nil, err
	}
	for _, q := range asked {
		r, err := o.ask(ctx, s, q)
		if errors.Is(err, reader.ErrNotFound) {
			meant, ok, failed := q.asDisplayed(s, o)
			if failed != nil {
				return nil, nil, failed
			}
			if ok {
				r, err = o.ask(ctx, s, meant)
			}
		}
		if errors.Is(err, reader.ErrNotFound) {
			missing = errors.Join(missing, o.missing(s, &q))
		} else if err != nil {
			return nil, nil, err
		}
		r.s = s
		answers = append(answers, r)
	}
	return answers, missing, nil
}

// ask answers a question.
func (o *lookupOptions) ask(ctx context.Context, s *reader.Store, q question) (answer, error) {
	r, err := timeLookup(ctx, s, q.look, o.repeat)
	r.Key = q.text
	r.Hash = o.hash
	if err == nil && q.inContext != nil {
		r.Context, err = q.inContext()
	}
	if errors.Is(err, reader.ErrAmbiguous) {
		err = fmt.Errorf("%s: %s: %w: %s", s.Mapping().Name(), q.text, err, q.tellApart())
	}
	return r, err
}

// timeLookup looks up once, and repeat times again.
func timeLookup(ctx context.Context, s *reader.Store, look func() (reader.Method, error), repeat int) (answer, error) {
	begin := time.Now()
	m, err := look()
	r := answer{FirstNS: time.Since(begin).Nanoseconds()}
	if err != nil {
		return r, err
	}
	begin = time.Now()
	for i := range repeat {
		if _, err := look(); err != nil {
			return r, err
		}
		if i%1024 == 0 && ctx.Err() != nil {
			return r, ctx.Err()
		}
	}
	r.WarmNS = float64(time.Since(begin).Nanoseconds()) / float64(repeat)
	name, err := analyze.NameOf(s, m)
	r.Found, r.Method = true, &name
	for _, profileErr := range m.Profiles() {
		if profileErr != nil {
			return r, profileErr
		}
		r.Profiles++
	}
	return r, err
}

func (r *answer) print(a *cli.App, screen *terminal.Screen) error {
	if !r.Found {
		return nil
	}
	fmt.Fprintf(a.Out, "%s\n  id %s, %d profiles, first look-up %s, warm %.1f ns\n", screen.Method(*r.Method), r.Method.ID,
		r.Profiles, cli.FormatDuration(time.Duration(r.FirstNS)), r.WarmNS)
	if r.In != "" {
		fmt.Fprintf(a.Out, "  in %s\n", escape.Printable(r.In))
	}
	if r.Context == nil {
		return nil
	}
	lines, err := r.Context.Lines(r.s)
	if facts := listing.FactsText(listing.ProfileFacts(r.Context.Profile, screen.Count)); facts != "" {
		lines = append(lines, facts)
	}
	for _, line := range lines {
		fmt.Fprintf(a.Out, "  %s\n", line)
	}
	return err
}
