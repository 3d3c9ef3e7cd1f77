package builder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Errors of Merge, to match with errors.Is.
var (
	// ErrCounted: a dump is in the builder already.
	ErrCounted = errors.New("a dump is counted already")
	// ErrWeighted: weights apply to single dumps, before they are merged.
	ErrWeighted = errors.New("an archive that was merged takes no weight")
)

// Merge adds what another run recorded to what the builder has. It may be
// called from several goroutines: what the archive comes to in the end does not
// depend on the order, as long as no run has a weight that leaves fractions.
//
// The archive says, in its table of dumps, which dumps it was made from. The
// error matches ErrCounted if the builder has one of them, ErrSameProcess if it
// has another dump of a process that the archive has a dump of (see Superseded),
// ErrWeighted if a merged archive is given a weight, ErrMismatch if domain, shape
// or kind of instrumentation differ, and otherwise is the reader's, or
// that of ctx. After an error that matches one of these four the builder is as it
// was; after any other it has a part of the run, and is of no use.
func (b *Builder) Merge(ctx context.Context, s *reader.Store, r Run) error {
	dumps, err := dumpsOf(s, r)
	if err != nil {
		return err
	}
	contents, err := ContentsOf(s)
	if err != nil {
		return err
	}
	use, err := useOf(s)
	if err != nil {
		return err
	}
	run, err := b.joinConfig(s.Header(), use, dumps, &contents, r)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Mapping().Name(), err)
	}
	if err := b.copyAll(ctx, s, Trained, run, true); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.uniteGrown()
	return b.err
}

// A dump is one training run that went into an archive.
type dump struct {
	id     [16]byte
	time   int64
	weight Weight
}

// dumpsOf are the dumps that an archive was made from.
func dumpsOf(s *reader.Store, r Run) ([]dump, error) {
	h := s.Header()
	weight := cmp.Or(r.Weight, One)
	if h.Flags&layout.FlagMerged == 0 {
		return []dump{{h.DumpID, h.DumpTime, weight}}, nil
	}
	if weight != One {
		return nil, fmt.Errorf("%s: %w: give the weights to the archives that it was merged from", s.Mapping().Name(), ErrWeighted)
	}
	t, err := s.Table(layout.TableDumps)
	if errors.Is(err, reader.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var dumps []dump
	for r := range t.Rows {
		d := dump{time: int64(t.Cell(2, r)), weight: Weight(t.Cell(3, r))}
		le.PutUint64(d.id[:], t.Cell(0, r))
		le.PutUint64(d.id[8:], t.Cell(1, r))
		dumps = append(dumps, d)
	}
	return dumps, nil
}

// joinConfig makes the builder's archive a merged one that says of itself what
// holds for all: the highest settings and the last time; a fingerprint only if
// all agree. It fails before anything is changed.
func (b *Builder) joinConfig(h *layout.Header, use shapeUse, dumps []dump, contents *Contents, r Run) (runData, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := &b.config
	empty := len(b.dumps) == 0
	if err := b.mergeable(h, empty); err != nil {
		return runData{}, err
	}
	if err := b.countsAgain(contents); err != nil {
		return runData{}, err
	}
	if err := b.joinShape(disk.ShapeOf(&h.Params), use); err != nil {
		return runData{}, err
	}
	b.mixed, b.ordered = true, noOrder
	if len(dumps) == 0 {
		return b.newRun(r), nil // nothing to tell of
	}
	for _, d := range dumps {
		b.dumps[d.id] = d
	}
	b.note(contents)
	if empty {
		c.Fingerprint, c.Flags = h.Fingerprint, h.Flags&layout.FlagDelta
	}
	if c.Fingerprint != h.Fingerprint {
		c.Fingerprint = [16]byte{}
	}
	if t := h.Time(); c.DumpTime.Before(t) || c.DumpTime == (time.Time{}) {
		c.DumpTime = t
	}
	c.Flags = c.Flags&h.Flags&layout.FlagDelta | layout.FlagMerged
	c.Producer = max(c.Producer, h.Producer)
	b.joinParams(h.Params)
	c.DumpID = [16]byte{}
	run := b.newRun(r)
	run.time = h.DumpTime
	return run, nil
}

// countsAgain reports why the builder has counts of an archive already.
func (b *Builder) countsAgain(c *Contents) error {
	for _, id := range slices.SortedFunc(maps.Keys(c.ids), func(x, y [16]byte) int { return slices.Compare(x[:], y[:]) }) {
		if b.copied[id] {
			return fmt.Errorf("%w: %x: leave this archive out; if it is of another run that counted just the same, "+
				"give one of the two the weight 2 (NAME.parc:2), or import that run again with a --run of its own", ErrCounted, id)
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(c.runs), compareRunKeys) {
		if id, ok := b.runIDs[key]; ok {
			return fmt.Errorf("%w: %x and %x, of process %d: leave the earlier out", ErrSameProcess, id, c.runs[key].id, key.process.PID)
		}
	}
	return nil
}

// note takes down what an archive that is added holds.
func (b *Builder) note(c *Contents) {
	maps.Copy(b.copied, c.ids)
	for key, d := range c.runs {
		b.runIDs[key] = d.id
	}
}

// JoinParams takes the settings of a further run: the higher of each, of LLVM's
// variants all bits. They must not change the shape of entries; the error
// matches ErrMismatch.
func (b *Builder) JoinParams(p layout.Params) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if disk.ShapeOf(&p) != b.shape {
		return fmt.Errorf("builder: %w: entries of the shape %+v, the builder has %+v", ErrMismatch, disk.ShapeOf(&p), b.shape)
	}
	b.joinParams(p)
	return nil
}

func (b *Builder) joinParams(p layout.Params) {
	c := &b.config
	for i := range c.Params {
		switch i {
		case layout.ParamTypeProfileWidth, layout.ParamBciProfileWidth, layout.ParamReceiverGap: // see joinShape
		case layout.ParamLLVMVariant:
			c.Params[i] |= p[i]
		default:
			c.Params[i] = max(c.Params[i], p[i])
		}
	}
}

// Params are the settings of what the builder has.
func (b *Builder) Params() layout.Params {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.config.Params
}

// mergeable reports why an archive cannot be merged into the builder's.
func (b *Builder) mergeable(h *layout.Header, empty bool) error {
	switch {
	case h.Domain != b.domain:
		return fmt.Errorf("%w: it is of domain %s, the others are of %s: merge the archives of each domain by themselves", ErrMismatch, h.Domain, b.domain)
	case !empty && (h.Params[layout.ParamLLVMVariant]^b.config.Params[layout.ParamLLVMVariant])&disk.LLVMCoverageOnly != 0:
		return fmt.Errorf("%w: one has counts, the other says only what was covered: merge archives of one kind of instrumentation", ErrMismatch)
	}
	return nil
}

// Dumps is the number of dumps that Merge has put into the builder.
func (b *Builder) Dumps() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.dumps)
}

// Unmatchable is the number of profiles that were summed with one of another run
// although their method's key need not mean the same there: of hidden classes, of
// ids that a file says nothing of, and of class loaders that are numbered.
func (b *Builder) Unmatchable() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.unmatchable
}

// Unmerged is the number of entries that could not be summed with the same
// entry of another run, since one had more cells: that one was kept. Merging as
// llvm-profdata does, it counts the values that a site has beyond 255 as well.
func (b *Builder) Unmerged() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.unmerged
}
