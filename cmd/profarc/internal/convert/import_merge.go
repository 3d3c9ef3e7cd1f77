package convert

import (
	"context"
	"errors"
	"fmt"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// An importedFile is what is said of one file of several.
type importedFile struct {
	Input  string         `json:"input"`
	Codec  string         `json:"codec,omitempty"`
	Weight string         `json:"weight,omitempty"`
	Facts  map[string]any `json:"facts"`
}

// read reads a file and puts it together with the files before it.
func (c ImportConfig) read(ctx context.Context, in *input, format *importFormat) (*imported, error) {
	merging := format.check == nil && (c.several || c.run.Weight != 0)
	alone := c
	if merging {
		alone.Unordered, alone.Progress = true, nil // an order is of one file
	}
	p, err := format.read(in, in.name, alone)
	if err != nil {
		return nil, err
	}
	p.format, p.codec = format.name, in.codec
	if merging {
		if err := p.merge(ctx, in.name, c); err != nil {
			return nil, err
		}
	}
	p.follow(c.into)
	file := importedFile{Input: in.name, Codec: in.codec, Facts: p.facts}
	if c.run.Weight != 0 {
		file.Weight = c.run.Weight.String()
	}
	p.files = append(p.files, file)
	return p, nil
}

// merge merges the profiles of a file into those of the files before it, as
// profarc merge does with archives.
func (p *imported) merge(ctx context.Context, name string, c ImportConfig) error {
	var before *builder.Builder
	if c.into != nil {
		before = c.into.Builder
	}
	all, err := MergeBuilt(ctx, before, p.Builder, name, c)
	if errors.Is(err, merge.ErrCounted) {
		return fmt.Errorf("%s says the same as a file before it: leave it out, or count one of them twice with --weighted 2,%s", name, name)
	}
	p.Builder = all
	return err
}

// follow adds what is to be said of the files before.
func (p *imported) follow(before *imported) {
	if before == nil {
		return
	}
	p.files, p.notes = before.files, append(before.notes, p.notes...)
	p.methods, p.entries = p.methods+before.methods, p.entries+before.entries
	p.lost = addLosses(before.lost, p.lost)
}

// MergeBuilt merges the profiles of another run into those of the runs before,
// for which a builder is made if there is none.
func MergeBuilt(ctx context.Context, all, more *builder.Builder, name string, c ImportConfig) (*builder.Builder, error) {
	s, err := OpenBuilt(more, name)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if all == nil {
		h := s.Header()
		all = builder.New(h.Domain, builder.Config{Params: h.Params, Progress: c.Progress})
	}
	return all, merge.Into(ctx, all, s, c.run)
}

// OpenBuilt opens the archive of what a builder has, in memory.
func OpenBuilt(b *builder.Builder, name string) (*reader.Store, error) {
	data, _, err := b.Bytes()
	if err != nil {
		return nil, err
	}
	m, err := archive.FromBytes(name, data, archive.Options{Check: archive.CheckNone})
	if err != nil {
		return nil, err
	}
	return reader.New(m), nil
}

// unmerged is the number of entries that two files have in different lengths.
func (p *imported) unmerged() int {
	if p.Builder == nil {
		return 0
	}
	return int(p.Builder.Unmerged())
}

// addLosses adds the losses of another file. Lines mean nothing from here on.
func addLosses(all, more []app.Loss) []app.Loss {
	sum := []app.Loss{}
	at := map[string]int{}
	for _, lost := range [][]app.Loss{all, more} {
		for _, l := range lost {
			i, ok := at[l.What]
			if !ok {
				i = len(sum)
				at[l.What] = i
				sum = append(sum, app.Loss{What: l.What})
			}
			sum[i].Count += l.Count
		}
	}
	return sum
}
