package mergejob

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/fleet/internal/blobs"
	"github.com/profarc/profarc/fleet/internal/partmerge"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// A Result describes the published archive.
type Result struct {
	Archive string        `json:"archive"`
	There   bool          `json:"was_there"` // the same archive already existed
	Bytes   int64         `json:"bytes"`
	DumpID  string        `json:"dump_id"`
	Dumps   int           `json:"dumps"`
	Counts  layout.Counts `json:"counts"`
}

// ErrMissing means that parts have not been merged yet.
var ErrMissing = errors.New("parts are missing")

// ErrOther means that the result has the name of another archive.
var ErrOther = errors.New("there is another archive already")

// Commit joins all parts of a plan and publishes the result. The error matches ErrMissing if parts are still missing
// after wait. It matches ErrOther if an archive with other bytes already has the name of the result.
func Commit(ctx context.Context, s *blobs.Stores, p *Plan, at Place, wait time.Duration,
	progress func(done, total int64)) (Result, error) {
	out, err := p.resultLocation()
	if err != nil {
		return Result{}, err
	}
	r := Result{Archive: out.String()}
	parts, err := awaitParts(ctx, s, p, wait)
	if err != nil {
		return r, err
	}
	folder, remove, err := at.makeFolder()
	if err != nil {
		return r, err
	}
	defer remove()
	b := builder.New(p.Domain, builder.Config{Params: p.Params, SpillFolder: folder, MemoryBudget: at.Memory,
		Progress: progress})
	if err := joinParts(ctx, s, parts, folder, b); err != nil {
		return r, err
	}
	if p.Rows >= 0 {
		if _, err := merge.NarrowRows(ctx, b, p.Rows); err != nil {
			return r, err
		}
	}
	p.addToAccount(b.Internal())
	name := filepath.Join(folder, "all.parc")
	written, err := b.Commit(ctx, name)
	if err != nil {
		return r, err
	}
	r.Bytes = written.Bytes
	r.DumpID = fmt.Sprintf("%x", written.DumpID)
	r.Counts = written.Counts
	r.Dumps = merging.Dumps(b.Internal())
	r.There, err = publishOnce(ctx, s, out, name)
	return r, err
}

// publishOnce writes the result unless it exists. there is true if the same bytes already existed.
func publishOnce(ctx context.Context, s *blobs.Stores, out blobs.Location, name string) (there bool, err error) {
	err = s.WriteFile(ctx, out, name, true)
	if !errors.Is(err, blobs.ErrExists) {
		return false, err
	}
	same, err := s.SameAsFile(ctx, out, name)
	if err == nil && !same {
		err = fmt.Errorf("%s: %w, with other bytes: it stays; remove it, or plan with another name", out, ErrOther)
	}
	return same, err
}

// awaitParts waits until all parts exist and returns them.
func awaitParts(ctx context.Context, s *blobs.Stores, p *Plan, wait time.Duration) ([]blobs.Object, error) {
	const pause = 5 * time.Second
	for until := time.Now().Add(wait); ; {
		parts, err := findParts(ctx, s, p)
		if !errors.Is(err, ErrMissing) || !time.Now().Add(pause).Before(until) {
			return parts, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// findParts returns all parts. The error matches ErrMissing and lists missing parts.
func findParts(ctx context.Context, s *blobs.Stores, p *Plan) ([]blobs.Object, error) {
	folder, err := p.partFolder()
	if err != nil {
		return nil, err
	}
	here, err := s.List(ctx, folder, ".parc")
	if err != nil && !errors.Is(err, blobs.ErrNotFound) {
		return nil, err
	}
	byName := map[string]blobs.Object{}
	for _, o := range here {
		byName[o.Key] = o
	}
	var parts []blobs.Object
	var missing []string
	for i := range len(p.Bounds) + 1 {
		o, ok := byName[folder.Join(p.partName(i)).Key]
		parts = append(parts, o)
		if !ok {
			missing = append(missing, fmt.Sprint(i))
		}
	}
	if n := len(missing); n > 0 {
		shown := strings.Join(missing[:min(n, 8)], ", ")
		if n > 8 {
			shown += fmt.Sprintf(" and %d more", n-8)
		}
		return nil, fmt.Errorf("%s: %w: %d of %d (%s): run merge-shard for them", folder, ErrMissing, n,
			len(p.Bounds)+1, shown)
	}
	return parts, nil
}

// joinParts downloads the parts to folder and joins them in b.
func joinParts(
	ctx context.Context,
	s *blobs.Stores,
	parts []blobs.Object,
	folder string,
	b *builder.Builder,
) (err error) {
	stores := make([]*reader.Store, len(parts))
	defer func() {
		for _, part := range stores {
			if part != nil {
				_ = part.Close()
			}
		}
	}()
	for i, o := range parts {
		name := filepath.Join(folder, fmt.Sprintf("part-%05d.parc", i))
		if err := s.Fetch(ctx, o, name); err != nil {
			return err
		}
		stores[i], err = reader.Open(name, archive.Options{})
		if err == nil {
			err = stores[i].Mapping().Verify(ctx, nil)
		}
		if err != nil {
			return fmt.Errorf("%s is damaged: remove it and run merge-shard for part %d: %w", o, i, err)
		}
	}
	return partmerge.Join(ctx, b.Internal(), stores...)
}
