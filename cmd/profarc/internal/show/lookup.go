package show

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/profarc/profarc/cmd/profarc/internal/layers"
	"github.com/profarc/profarc/cmd/profarc/internal/view/listing"
	"github.com/profarc/profarc/cmd/profarc/internal/view/methods"
	"github.com/profarc/profarc/cmd/profarc/internal/view/terminal"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// lookupRepeats is the number of repeated lookups, for their mean time.
const lookupRepeats = 1000

type lookupResult struct {
	Key      string              `json:"key"`
	Found    bool                `json:"found"`
	In       string              `json:"in,omitempty"` // name of the layer that has it, with --base
	Method   *analyze.MethodName `json:"method,omitempty"`
	Profiles int                 `json:"profiles"`
	FirstNS  int64               `json:"first_ns"`
	WarmNS   float64             `json:"warm_ns"`

	Context *methods.ContextMatch `json:"context,omitempty"` // nil without callers

	s *reader.Store
}

func (o *showOptions) runLookup(ctx context.Context, a *cli.App, path, text string) error {
	return layers.WithStores(ctx, a, path, o.base, func(stores []*reader.Store) error {
		r, missing, err := o.lookUpInLayers(ctx, stores, text)
		if err != nil {
			return err
		}
		var described error
		err = o.terminal.Print(a, stores[0].Header().Domain, []lookupResult{r},
			func(screen *terminal.Screen) { described = r.printResult(a, screen) })
		return errors.Join(err, described, missing)
	})
}

func (o *showOptions) lookUpInLayers(ctx context.Context, stores []*reader.Store, text string) (r lookupResult, missing,
	err error) {
	for _, s := range stores {
		r, missing, err = o.lookUpInStore(ctx, s, text)
		if len(stores) > 1 && r.Found {
			r.In = s.Mapping().Name()
		}
		if err != nil || missing == nil && r.Profiles > 0 {
			break
		}
	}
	return r, missing, err
}

// lookUpInStore looks a method up by its key, or else by its displayed name.
func (o *showOptions) lookUpInStore(ctx context.Context, s *reader.Store, text string) (r lookupResult, missing,
	err error) {
	key, sites, err := methods.MethodAndCallers(text, o.callers)
	if err != nil {
		return r, nil, err
	}
	l := &lookup{s: s, keys: methods.ParseKeys(s.Header().Domain, key, o.loader)}
	if len(sites) > 0 {
		l.context, err = methods.NewCallContext(s, sites)
		if err != nil {
			return r, nil, err
		}
	}
	r, err = l.timeLookups(ctx)
	if errors.Is(err, reader.ErrNotFound) {
		m, findErr := methods.FindDisplayed(s, key, o.loader)
		if findErr == nil {
			var k layout.Key
			k, findErr = m.Key()
			l.keys = []layout.Key{k}
			r, err = l.timeLookups(ctx)
		}
		if findErr != nil && !errors.Is(findErr, reader.ErrNotFound) {
			return r, nil, findErr
		}
	}
	r.Key = text
	r.s = s
	switch {
	case errors.Is(err, reader.ErrAmbiguous):
		return r, nil, severalVersionsError(s, key)
	case !errors.Is(err, reader.ErrNotFound):
		return r, nil, err
	}
	if _, err := methods.FindFirst(s, l.keys); err == nil {
		return r, methods.NoProfileError(s, key), nil
	}
	return r, methods.MissingError(s, key, o.loader), nil
}

type lookup struct {
	s       *reader.Store
	keys    []layout.Key
	context *methods.CallContext // nil without callers
}

func (l *lookup) timeLookups(ctx context.Context) (r lookupResult, err error) {
	begin := time.Now()
	m, err := l.findProfile()
	r.FirstNS = time.Since(begin).Nanoseconds()
	if err != nil {
		return r, err
	}
	l.keys = make([]layout.Key, 1) // the lookups to repeat
	l.keys[0], err = m.Key()
	if err != nil {
		return r, err
	}
	begin = time.Now()
	for range lookupRepeats {
		if _, err := l.findProfile(); err != nil {
			return r, err
		}
	}
	r.WarmNS = float64(time.Since(begin).Nanoseconds()) / lookupRepeats
	name, err := analyze.NameOf(l.s, m)
	r.Found = true
	r.Method = &name
	for _, profileErr := range m.Profiles() {
		if profileErr != nil {
			return r, profileErr
		}
		r.Profiles++
	}
	if err == nil && l.context != nil {
		r.Context, err = l.context.FindProfile(m)
	}
	return r, errors.Join(err, ctx.Err())
}

// findProfile finds the method and, with callers, its profile in the context.
func (l *lookup) findProfile() (reader.Method, error) {
	m, err := methods.FindFirst(l.s, l.keys)
	if err == nil && l.context != nil {
		_, _, err = m.Profile(layout.CodeAny, l.context.Frames...)
	}
	return m, err
}

func (r *lookupResult) printResult(a *cli.App, screen *terminal.Screen) error {
	if !r.Found {
		return nil
	}
	fmt.Fprintf(a.Out, "%s\n  id %s, %d profiles, first look-up %s, warm %.1f ns\n", screen.MethodText(*r.Method),
		r.Method.ID, r.Profiles, cli.FormatDuration(time.Duration(r.FirstNS)), r.WarmNS)
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
