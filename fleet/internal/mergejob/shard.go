package mergejob

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/fleet/internal/blobs"
	"github.com/profarc/profarc/fleet/internal/partmerge"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/internal/recording/profileset"
)

// A Place limits the resources of a worker.
type Place struct {
	Folder string // parent of temporary folders, "" for the folder of the system
	Memory int64  // builder.Config.MemoryBudget
}

// makeFolder creates a temporary folder, which remove removes.
func (p Place) makeFolder() (name string, remove func(), err error) {
	name, err = os.MkdirTemp(p.Folder, "profarc-fleet-*")
	return name, func() { _ = os.RemoveAll(name) }, err
}

// A Shard describes a merged part.
type Shard struct {
	Part    int    `json:"part"`
	Archive string `json:"archive"`
	There   bool   `json:"was_there"` // the part already existed
	Bytes   int64  `json:"bytes"`
	Methods uint64 `json:"methods"`
	Read    int64  `json:"bytes_read"` // bytes read from stores
}

// MergePart merges a part of the plan and writes it unless it exists. It opens jobs archives at the same time. It can
// run several times, even concurrently, because it always writes the same bytes.
func MergePart(ctx context.Context, s *blobs.Stores, p *Plan, part, jobs int, at Place,
	progress func(done, total int64)) (Shard, error) {
	parts, err := p.Parts()
	if err != nil {
		return Shard{}, err
	}
	if part < 0 || part >= len(parts) {
		return Shard{}, fmt.Errorf("there is no part %d: the plan has the parts 0 to %d", part, len(parts)-1)
	}
	to, err := p.partFolder()
	if err != nil {
		return Shard{}, err
	}
	to = to.Join(p.partName(part))
	done := Shard{Part: part, Archive: to.String()}
	if size, ok, err := findSoundPart(ctx, s, to, parts[part]); err != nil || ok {
		done.There = ok
		done.Bytes = size
		return done, err
	}
	folder, remove, err := at.makeFolder()
	if err != nil {
		return done, err
	}
	defer remove()
	b := builder.New(p.Domain, builder.Config{Params: p.Params, SpillFolder: folder, MemoryBudget: at.Memory})
	before := s.BytesRead()
	if err := mergeInto(ctx, s, p, parts[part], b, jobs, progress); err != nil {
		return done, err
	}
	name := filepath.Join(folder, "part.parc")
	written, err := b.Commit(ctx, name)
	if err != nil {
		return done, err
	}
	done.Bytes = written.Bytes
	done.Methods = written.Counts.Methods
	done.Read = s.BytesRead() - before
	return done, s.WriteFile(ctx, to, name, false)
}

// findSoundPart reports whether a sound archive of a part exists, and returns its size.
func findSoundPart(ctx context.Context, s *blobs.Stores, l blobs.Location, part merging.Part) (size int64, ok bool,
	err error) {
	size, err = s.Size(ctx, l)
	if errors.Is(err, blobs.ErrNotFound) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	of, err := openRemote(ctx, s, blobs.Object{Location: l, Size: size})
	if err != nil {
		return 0, false, ctx.Err()
	}
	defer of.Close()
	has, ok, err := merging.PartOf(of)
	if err != nil || !ok || has != part {
		return 0, false, ctx.Err()
	}
	return size, of.Mapping().Verify(ctx, nil) == nil, ctx.Err()
}

// mergeInto merges a part of each archive into b.
func mergeInto(ctx context.Context, s *blobs.Stores, p *Plan, part merging.Part, b *builder.Builder, jobs int,
	progress func(done, total int64)) error {
	if p.hasFractions() {
		jobs = 1
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(jobs, 1))
	done := atomic.Int64{}
	for i := range p.Inputs {
		if ctx.Err() != nil {
			break
		}
		group.Go(func() error {
			err := mergeOne(ctx, s, p, &p.Inputs[i], part, b)
			if n := done.Add(1); progress != nil {
				progress(n, int64(len(p.Inputs)))
			}
			return err
		})
	}
	return group.Wait()
}

// mergeOne merges a part of an archive into b. The archive must not have changed since it was planned.
func mergeOne(ctx context.Context, stores *blobs.Stores, p *Plan, in *Input, part merging.Part,
	b *builder.Builder) error {
	object := p.inputObject(in)
	s, err := openRemote(ctx, stores, object)
	if err != nil {
		return err
	}
	defer s.Close()
	if sum := headerSum(s.Mapping()); sum != in.Sum {
		return fmt.Errorf("%s: %w since it was planned: its header sums to %s, planned is %s: plan again", object,
			blobs.ErrChanged, sum, in.Sum)
	}
	o := partmerge.Options{Run: profileset.RunRules{Weight: in.Weight}, OneShape: p.OneShape}
	return partmerge.Merge(ctx, b.Internal(), s, part, o)
}
