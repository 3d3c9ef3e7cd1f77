// Package layers opens an archive together with its base.
package layers

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

func AddFlag(f *pflag.FlagSet, base *string) {
	f.StringVar(base, "base", "",
		"base of the archive, if it is a layer; methods that the layer lacks are looked up there")
}

// WithStores opens an archive and its base, calls f with both, and closes them. If base is "", f gets the archive
// alone, even if it is a layer.
func WithStores(ctx context.Context, a *cli.App, path, base string, f func(stores []*reader.Store) error) error {
	return a.WithStore(ctx, path, func(s *reader.Store) error {
		if base == "" {
			return f([]*reader.Store{s})
		}
		return a.WithStore(ctx, base, func(b *reader.Store) error {
			if _, err := reader.NewLayers(s, b); err != nil {
				return err
			}
			return f([]*reader.Store{s, b})
		})
	})
}

// WithStore is With for a command that reads one archive. f gets an archive with the content of both.
func WithStore(ctx context.Context, a *cli.App, path, base string, f func(s *reader.Store) error) error {
	return WithStores(ctx, a, path, base, func(stores []*reader.Store) error {
		if len(stores) == 1 {
			return f(stores[0])
		}
		s, err := flatStore(ctx, stores)
		if err != nil {
			return err
		}
		defer s.Close()
		return f(s)
	})
}

// OpenWhole returns a layer joined with its base. If s is no layer, it returns s and ignores base. The caller closes a
// result other than s.
func OpenWhole(ctx context.Context, a *cli.App, s *reader.Store, base string) (whole *reader.Store, err error) {
	_, layer, err := s.Base()
	if err != nil || !layer {
		return s, err
	}
	if base == "" {
		_, err := reader.NewLayers(s)
		return nil, err
	}
	err = a.WithStore(ctx, base, func(b *reader.Store) error {
		whole, err = flatStore(ctx, []*reader.Store{s, b})
		return err
	})
	return whole, err
}

func flatStore(ctx context.Context, stores []*reader.Store) (*reader.Store, error) {
	b, err := Flatten(ctx, stores)
	if err != nil {
		return nil, err
	}
	return b.Open(lists.Join(stores, " on ", func(s *reader.Store) string { return s.Mapping().Name() }))
}

func Flatten(ctx context.Context, stores []*reader.Store) (*builder.Builder, error) {
	l, err := reader.NewLayers(stores...)
	if err != nil {
		return nil, err
	}
	h := stores[0].Header()
	b := builder.New(h.Domain, builder.Config{Params: h.Params})
	return b, merge.Flatten(ctx, b, l)
}
