package merge

import (
	"context"
	"errors"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/reader"
)

// Files merges the archives at paths inputs and publishes the result at path out, which may be one of them. Each
// archive counts once, in any order. Files leaves out archives that another one supersedes; see Superseded.
//
// The error comes from Superseded, Into or [builder.Builder.Commit], and the file at out is then unchanged.
func Files(ctx context.Context, out string, inputs ...string) (builder.Report, error) {
	b, err := mergeFiles(ctx, inputs)
	if err != nil {
		return builder.Report{}, err
	}
	merging.NoteOperation(b.Internal())
	return b.Commit(ctx, out)
}

func mergeFiles(ctx context.Context, paths []string) (b *builder.Builder, err error) {
	if len(paths) == 0 {
		return nil, errors.New("there are no archives to merge")
	}
	stores := make([]*reader.Store, 0, len(paths))
	defer func() {
		for _, s := range stores {
			err = errors.Join(err, s.Close())
		}
	}()
	for _, path := range paths {
		s, err := reader.Open(path, archive.Options{})
		if err != nil {
			return nil, err
		}
		stores = append(stores, s)
	}
	superseded, err := Superseded(stores...)
	if err != nil {
		return nil, err
	}
	h := stores[0].Header()
	b = builder.New(h.Domain, builder.Config{Params: h.Params})
	for i, s := range stores {
		if superseded[i] >= 0 {
			continue
		}
		if err := s.Mapping().Guard(func() error { return Into(ctx, b, s, Run{}) }); err != nil {
			return nil, err
		}
	}
	return b, nil
}
