package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type lookupOptions struct {
	loader string
	id     bool
	hash   string
	prefix bool
	repeat int
	json   bool
}

func newLookupCommand(a *app) *cobra.Command {
	var o lookupOptions
	cmd := &cobra.Command{
		Use:   "lookup ARCHIVE KEY...",
		Short: "Look methods up by key or id, and say how long it took",
		Long: `Lookup finds methods by their keys and prints how long the first look-up took, which checks
the pages that it touches, and how long a further one takes. A key that the archive lacks
makes the exit code 1.

A KEY is written as java/lang/String.length()I or as java.lang.String::length()I; of domains
without classes it is the whole name. With --id it is the 64-bit id in hexadecimal: of LLVM's
functions the MD5 of the PGO name, its low half. With --hash the profile is looked up too that
is of that version of the code, LLVM's function hash. With --prefix all methods are found whose
names begin with KEY, and those that a JamaicaVM's text cut short, if KEY begins with them.`,
		Example: `  profarc lookup app.parc 'java.lang.String::length()I'
  profarc lookup app.parc --id 9d5c0f3a11e7b246
  profarc lookup server.parc _ZN6Server3runEv --hash 0x0f9a16fe6d398548
  profarc lookup app.parc --json --repeat 1000000 'java/util/HashMap.hash(Ljava/lang/Object;)I'`,
		Args:              argsBetween(2, -1, "an archive and one key at least"),
		ValidArgsFunction: completeArchives(1),
		RunE:              a.run(func(ctx context.Context, args []string) error { return a.runLookup(ctx, args[0], args[1:], o) }),
	}
	f := cmd.Flags()
	f.StringVar(&o.loader, "loader", "", "class loader of the keys (without it: boot, app or platform)")
	f.BoolVar(&o.id, "id", false, "the keys are ids")
	f.StringVar(&o.hash, "hash", "", "function hash or code id of the profile, in hexadecimal")
	f.BoolVar(&o.prefix, "prefix", false, "find all methods that a key is the beginning of")
	f.IntVar(&o.repeat, "repeat", 1000, "further look-ups, for their mean time")
	f.BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

// An answer is what a look-up found.
type answer struct {
	Key      string       `json:"key"`
	Found    bool         `json:"found"`
	Method   *shownMethod `json:"method,omitempty"`
	Hash     string       `json:"hash,omitempty"`
	Profiles int          `json:"profiles"`
	FirstNS  int64        `json:"first_ns"`
	WarmNS   float64      `json:"warm_ns"`
}

func (a *app) runLookup(ctx context.Context, path string, keys []string, o lookupOptions) error {
	if o.repeat < 1 {
		return usagef("--repeat %d: look up once at least", o.repeat)
	}
	if o.prefix && (o.id || o.hash != "") {
		return usagef("--prefix goes with keys, not with --id or --hash")
	}
	return withStore(path, func(s *reader.Store) error {
		answers := []answer{}
		var missed error
		for _, key := range keys {
			asked, err := questions(s, key, o)
			if err != nil {
				return err
			}
			for _, q := range asked {
				r, err := o.ask(ctx, s, q)
				if errors.Is(err, reader.ErrNotFound) {
					missed = errors.Join(missed, o.missing(s, key))
				} else if err != nil {
					return err
				}
				answers = append(answers, r)
			}
		}
		if o.json {
			return errors.Join(a.printJSON(answers), missed)
		}
		for _, r := range answers {
			r.print(a)
		}
		return missed
	})
}

func (o *lookupOptions) missing(s *reader.Store, key string) error {
	if m, ok := o.otherCode(s, key); ok {
		return fmt.Errorf("%s: %s with hash %s: %w: its hashes are %s", s.Mapping().Name(), key, o.hash, reader.ErrNotFound, hashesText(m))
	}
	if o.id {
		return fmt.Errorf("%s: %s: %w", s.Mapping().Name(), key, reader.ErrNotFound)
	}
	return missing(s, key, o.loader)
}

// lookerFor makes the look-up that a text stands for. Where a text may mean
// several keys, it is the first that the archive has.
func lookerFor(s *reader.Store, text string, o lookupOptions) (func() (reader.Method, error), error) {
	if o.hash != "" {
		return codeLooker(s, text, o)
	}
	if o.id {
		id, err := strconv.ParseUint(strings.TrimPrefix(text, "0x"), 16, 64)
		if err != nil {
			return nil, usagef("%s: an id has up to 16 hexadecimal digits", text)
		}
		return func() (reader.Method, error) { return s.Lookup(id) }, nil
	}
	keys := keysOf(s.Header().Domain, text, o.loader)
	if len(keys) == 1 {
		return func() (reader.Method, error) { return s.Find(keys[0]) }, nil
	}
	return func() (reader.Method, error) { return findFirst(s, &keys) }, nil
}

// findFirst drops the keys that the archive lacks, so that the next call asks
// for the one that it has alone.
func findFirst(s *reader.Store, keys *[]layout.Key) (reader.Method, error) {
	for {
		m, err := s.Find((*keys)[0])
		if len(*keys) == 1 || !errors.Is(err, reader.ErrNotFound) {
			return m, err
		}
		*keys = (*keys)[1:]
	}
}

// ask answers a question.
func (o *lookupOptions) ask(ctx context.Context, s *reader.Store, q question) (answer, error) {
	r, err := ask(ctx, s, q.look, o.repeat)
	r.Key, r.Hash = q.text, o.hash
	if errors.Is(err, reader.ErrAmbiguous) {
		err = fmt.Errorf("%s: %s: %w: look them up by key", s.Mapping().Name(), q.text, err)
	}
	return r, err
}

// ask looks up once, and so many times again.
func ask(ctx context.Context, s *reader.Store, look func() (reader.Method, error), repeat int) (answer, error) {
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
	name, err := shown(s, m)
	r.Found, r.Method = true, &name
	for _, profileErr := range m.Profiles() {
		if profileErr != nil {
			return r, profileErr
		}
		r.Profiles++
	}
	return r, err
}

func (r *answer) print(a *app) {
	if !r.Found {
		return
	}
	fmt.Fprintf(a.out, "%s\n  id %s, %d profiles, first look-up %s, warm %.1f ns\n", printable(r.Method.String()), r.Method.ID, r.Profiles,
		timeText(time.Duration(r.FirstNS)), r.WarmNS)
}
