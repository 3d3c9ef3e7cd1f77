package growth

import (
	"context"
	"errors"
	"io"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/experimental/fit"
	"github.com/profarc/profarc/experimental/reduce"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/internal/formats/jsondump"
	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/internal/formats/text"
	"github.com/profarc/profarc/internal/recording/copier/weigh"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/verify"
)

// An operation reads a whole archive. other is a copy of the archive with another
// dump id. Output goes to out.
type operation struct {
	name   string
	run    func(ctx context.Context, s, other *reader.Store, out io.Writer) error
	prints bool // its output can be many times as long as the archive
}

const exportIndexed = "export -t profdata"

var operations = []operation{
	{"verify", func(ctx context.Context, s, _ *reader.Store, _ io.Writer) error {
		r, err := verify.Store(ctx, s, nil)
		if err == nil && !r.Sound() {
			err = r.Problems[0]
		}
		return err
	}, false},
	{"walk", func(ctx context.Context, s, _ *reader.Store, _ io.Writer) error { return readEntries(ctx, s) }, false},
	{"lookups", lookUpAll, false},
	{"adopt", claimAll, false},
	{"info --summary", func(ctx context.Context, s, _ *reader.Store, _ io.Writer) error {
		_, err := weigh.Methods(ctx, s)
		return err
	}, false},
	{"copy", func(ctx context.Context, s, _ *reader.Store, _ io.Writer) error {
		b := builder.New(s.Header().Domain, builder.ConfigOf(s.Header()))
		_, err := merge.Snapshot(ctx, b, s, merge.Trained)
		return commit(b, err)
	}, false},
	{"merge", func(ctx context.Context, s, other *reader.Store, _ io.Writer) error {
		b := builder.New(s.Header().Domain, builder.Config{Params: s.Header().Params})
		return commit(b, errors.Join(merge.Into(ctx, b, s, merge.Run{}), merge.Into(ctx, b, other, merge.Run{})))
	}, false},
	{"reduce", func(ctx context.Context, s, _ *reader.Store, _ io.Writer) error {
		b, _, err := reduce.Archive(ctx, s, reduce.Options{Hot: layout.WeightOne / 2})
		return commit(b, err)
	}, false},
	{"diff", func(ctx context.Context, s, other *reader.Store, _ io.Writer) error {
		_, err := compare.Stores(ctx, s, other, compare.Options{Top: 10})
		return err
	}, false},
	{"check", func(ctx context.Context, s, other *reader.Store, _ io.Writer) error {
		into := builder.New(s.Header().Domain, builder.ConfigOf(s.Header()))
		_, err := fit.Check(ctx, s, fit.Archived(other), fit.Options{Top: 10, Into: into})
		return commit(into, err)
	}, false},
	{exportIndexed, func(_ context.Context, s, _ *reader.Store, out io.Writer) error {
		_, err := (&llvm.IndexedExporter{}).Export(out, s)
		return err
	}, true},
	{"show --json", func(_ context.Context, s, _ *reader.Store, out io.Writer) error {
		return jsondump.WriteArchive(out, s)
	}, true},
	{"export -t text", func(_ context.Context, s, _ *reader.Store, out io.Writer) error {
		_, err := (&text.Exporter{}).Export(out, s)
		return err
	}, true},
}

// commit lays out the archive of a builder if err is nil.
func commit(b *builder.Builder, err error) error {
	if err == nil {
		_, _, err = b.Bytes()
	}
	return err
}

// readEntries reads every entry of every profile.
func readEntries(ctx context.Context, s *reader.Store) error {
	for p, err := range s.Profiles() {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if _, _, err := p.Context(); err != nil {
			return err
		}
		for e := range p.Entries() {
			_ = e.Point()
		}
	}
	return nil
}

// lookUpAll looks up every method by its key, and its first profile.
func lookUpAll(ctx context.Context, s, other *reader.Store, _ io.Writer) error {
	for m, err := range s.Methods() {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		k, err := m.Key()
		if err != nil {
			return err
		}
		if m, err = other.Find(k); err != nil {
			return err
		}
		if _, _, err := m.Profile(layout.CodeAny); err != nil && !errors.Is(err, reader.ErrNotFound) &&
			!errors.Is(err, reader.ErrAmbiguous) {
			return err
		}
	}
	return nil
}

// claimAll adopts the archive and claims every profile.
func claimAll(ctx context.Context, s, _ *reader.Store, _ io.Writer) error {
	if err := s.Adopt(reader.AdoptOptions{Anywhere: true}); err != nil {
		return err
	}
	for p, err := range s.Profiles() {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if _, err := p.Claim(); err != nil {
			return err
		}
	}
	return nil
}

// applies reports whether an operation accepts archives of a domain.
func (op operation) applies(d layout.Domain) bool {
	switch op.name {
	case "check":
		return d == layout.DomainHotSpot || d.LLVM()
	case exportIndexed:
		return d.LLVM()
	}
	return true
}

// A pair is an archive and a copy of it with another dump id, in memory.
type pair struct {
	one, other []byte
	domain     layout.Domain
}

func makePair(sh shape, n int) (p pair, err error) {
	b := sh.build(n)
	p.domain = b.Internal().Domain
	if p.one, _, err = b.Bytes(); err != nil {
		return p, err
	}
	s, err := open(p.one)
	if err != nil {
		return p, err
	}
	config := builder.ConfigOf(s.Header())
	config.DumpID = [16]byte{1}
	c := builder.New(s.Header().Domain, config)
	if _, err := merge.Snapshot(context.Background(), c, s, merge.Trained); err != nil {
		return p, err
	}
	p.other, _, err = c.Bytes()
	return p, err
}

func open(data []byte) (*reader.Store, error) {
	m, err := archive.FromBytes("growth.parc", append(words.AlignedBytes(len(data))[:0], data...), archive.Options{})
	if err != nil {
		return nil, err
	}
	return reader.New(m), nil
}
