package merging

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/copier"
	"github.com/profarc/profarc/internal/recording/methoddata"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Errors of a merge, to match with errors.Is.
var (
	// ErrCounted means that the builder has a dump already. If two runs have the same counts, give each dump a
	// Config.DumpID, or merge one of them with a profileset.RunRules.Weight of 2 and leave the other out.
	ErrCounted = errors.New("a dump is counted already")
	// ErrWeighted means that a merged archive was given a weight. Weights apply to single dumps, before they are merged.
	ErrWeighted = errors.New("an archive that was merged takes no weight")
)

// AdmitRun checks an archive that is not a part of a merge, notes its dumps, and returns the run for its profiles.
func (b Target) AdmitRun(s *reader.Store, r profileset.RunRules, use profileset.ShapeUse) (profileset.Run, error) {
	part, is, err := PartOf(s)
	if err == nil && is {
		err = fmt.Errorf("%s: %w: it has only %s: join it with the other parts first", s.Mapping().Name(), ErrPart, part)
	}
	if err != nil {
		return profileset.Run{}, err
	}
	contents, err := ContentsOf(s)
	if err != nil {
		return profileset.Run{}, err
	}
	return b.JoinRun(&contents, r, use)
}

// Note checks whether an archive can be merged with the archives that the builder has or has noted before, and notes
// it. It does not read profiles. Errors are as from merge.Into. Use a separate builder, since merge.Into refuses noted
// archives.
func Note(b *profileset.Set, c Contents, r profileset.RunRules) error {
	_, err := Target{b}.JoinRun(&c, r, profileset.ShapeUse{})
	return err
}

// NoteAll is Note for all archives that are not superseded. Archives with more dumps come first, so that one that
// repeats a part of another gets the error.
func NoteAll(b *profileset.Set, all []Contents, supersededBy []int) []error {
	var order []int
	for i, by := range supersededBy {
		if by < 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return len(all[y].ids) - len(all[x].ids) })
	errs := make([]error, len(all))
	for _, i := range order {
		errs[i] = Note(b, all[i], profileset.RunRules{})
	}
	return errs
}

func (b Target) JoinRun(c *Contents, r profileset.RunRules, use profileset.ShapeUse) (run profileset.Run, err error) {
	dumps, err := c.weightedDumps(r)
	if err != nil {
		return profileset.Run{}, err
	}
	b.Locked(func() { run, err = b.joinHeader(c.header, c.shapes, use, dumps, c, r) })
	if err != nil {
		err = fmt.Errorf("%s: %w", c.name, err)
	}
	return run, err
}

// Hooks returns hooks for copying an archive into a merge. They skip tables that hold for one source only, and scale
// the counts in the others by the weight.
func Hooks(w layout.Weight) copier.Hooks {
	return copier.Hooks{Skip: IsListedAnew, Row: func(t *reader.Table, row []uint64) {
		profileset.ScaleRow(t.Kind, t.Flags, row, w)
	}}
}

// A Target is the set of a builder into which archives are merged or copied.
type Target struct{ *profileset.Set }

// IsListedAnew is a copier.Hooks.Skip for merges.
func IsListedAnew(t *reader.Table) bool { return disk.IsListedAnew(t.Kind) }

// weightedDumps returns the dumps of an archive with the weight of the run. The error matches ErrWeighted if a merged
// archive has a weight.
func (c *Contents) weightedDumps(r profileset.RunRules) ([]profileset.Dump, error) {
	weight := cmp.Or(r.Weight, layout.WeightOne)
	if weight == layout.WeightOne {
		return c.Dumps, nil
	}
	if c.header.Flags&disk.FlagMerged != 0 {
		return nil, fmt.Errorf("%s: %w: give the weights to the archives that it was merged from", c.name, ErrWeighted)
	}
	dump := c.Dumps[0]
	dump.Weight = weight
	return []profileset.Dump{dump}, nil
}

// joinHeader joins a header with the builder's, which becomes the header of a merged archive. It has the highest
// settings, the latest time, and the fingerprint if all archives have the same. After an error nothing has changed. The
// caller holds mu.
func (b Target) joinHeader(h *layout.Header, shapes []layout.EntryShape, use profileset.ShapeUse,
	dumps []profileset.Dump,
	contents *Contents, r profileset.RunRules) (profileset.Run, error) {
	c := &b.Heading
	empty := len(b.Dumps) == 0
	if err := cmp.Or(b.checkMergeable(h, empty), b.JoinProducer(h)); err != nil {
		return profileset.Run{}, err
	}
	types, err := b.joinSampleTypes(contents)
	if err := cmp.Or(b.checkCounted(contents), b.joinBase(contents.base, empty), err); err != nil {
		return profileset.Run{}, err
	}
	if err := b.joinShape(disk.ShapeOfParams(&h.Params), use); err != nil {
		return profileset.Run{}, err
	}
	if err := b.DeclareLocked(shapes); err != nil {
		return profileset.Run{}, err
	}
	b.Mixed = true
	b.Ordered = profileset.NoOrder
	b.Base, b.SampleTypes = contents.base, types
	if len(dumps) == 0 {
		return b.NewRun(r), nil
	}
	for _, d := range dumps {
		profileset.Put(b.Set, b.Dumps, d.ID, d)
	}
	b.NoteDumps(contents)
	if empty {
		c.Fingerprint = h.Fingerprint
		c.Flags = h.Flags & disk.FlagDelta
	}
	if c.Fingerprint != h.Fingerprint {
		c.Fingerprint = [16]byte{}
	}
	if t := h.Time(); c.DumpTime.Before(t) || c.DumpTime == (time.Time{}) {
		c.DumpTime = t
	}
	c.Flags = c.Flags&h.Flags&disk.FlagDelta | disk.FlagMerged
	c.Producer = max(c.Producer, h.Producer)
	b.MergeParams(h.Params, r.AsLLVM)
	c.DumpID = [16]byte{}
	run := b.NewRun(r)
	run.Time = h.DumpTime
	return run, nil
}

func (b Target) checkCounted(c *Contents) error {
	for _, id := range slices.SortedFunc(maps.Keys(c.ids), func(x, y [16]byte) int { return slices.Compare(x[:], y[:]) }) {
		if has, ok := b.Copied[id]; ok {
			return fmt.Errorf("%w: %x, which %s has too: leave %s out", ErrCounted, id, has.Name, c.nameOfSmaller(has))
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(c.runs), compareRunKeys) {
		if id, ok := b.RunIDs[key]; ok {
			return fmt.Errorf("%w: %x and %x, of process %d: leave the earlier out", ErrSameProcess, id, c.runs[key].id,
				key.Process.PID)
		}
	}
	return nil
}

func (c *Contents) nameOfSmaller(has profileset.Source) string {
	if has.Dumps < len(c.ids) {
		return has.Name
	}
	return "this archive"
}

func (b Target) NoteDumps(c *Contents) {
	for id := range c.ids {
		profileset.Put(b.Set, b.Copied, id, profileset.Source{Name: c.name, Dumps: len(c.ids)})
	}
	for key, d := range c.runs {
		profileset.Put(b.Set, b.RunIDs, key, d.id)
	}
}

func (b Target) checkMergeable(h *layout.Header, empty bool) error {
	switch {
	case h.Domain != b.Domain:
		return fmt.Errorf("%w: it is of domain %s, the others are of %s: merge the archives of each domain by themselves",
			profileset.ErrMismatch, h.Domain, b.Domain)
	case !empty && disk.LLVMCoverage(h.Params.LLVMVariant) != disk.LLVMCoverage(b.Heading.Params.LLVMVariant):
		return fmt.Errorf("%w: one has counts, the other says only what was covered: merge archives of one kind of "+
			"instrumentation", profileset.ErrMismatch)
	}
	return nil
}

func Dumps(b *profileset.Set) (n int) {
	t := Target{b}
	t.Locked(func() { n = len(t.Dumps) })
	return n
}

// UseOf returns the parts of the shape on which entries of an archive depend. A short run may depend on none. Without a
// type profile, for example, nothing shows how many rows the VM keeps. Parts on which no entry depends are compatible
// with every other archive.
func UseOf(ctx context.Context, s *reader.Store) (use profileset.ShapeUse, err error) {
	if s.Header().Domain != layout.DomainHotSpot {
		return use, nil
	}
	stop := poll.New(ctx)
	err = poll.Each(stop, s.Profiles(), func(p reader.Profile) error {
		for e := range p.Entries() {
			if schema, ok := disk.SchemaOf(e.Tag()); ok {
				use.Types = use.Types || schema.Repeats(disk.PerType)
				use.Returns = use.Returns || schema.Repeats(disk.PerBci)
			}
		}
		return nil
	})
	return use, err
}

// joinShape unites the shapes of the builder and of an archive. The first archive that depends on a part decides it;
// before that, the largest value is used. Archives with and without nonprofiled_count, as from JDK 17 and 25, become
// one without it. The caller holds mu.
func (b Target) joinShape(shape disk.Shape, use profileset.ShapeUse) error {
	have := b.Shape
	types := shape.TypeRows != have.TypeRows
	returns := shape.BciRows != have.BciRows
	if types && use.Types && b.Shaped.Types || returns && use.Returns && b.Shaped.Returns {
		return fmt.Errorf("%w: its VM keeps %s, the others' %s: merge profiles of the same -XX:TypeProfileWidth and "+
			"-XX:BciProfileWidth", profileset.ErrMismatch, DescribeShape(shape), DescribeShape(have))
	}
	if err := b.joinGap(shape, use); err != nil {
		return err
	}
	have.Gap = b.Shape.Gap
	if !b.Shaped.Types {
		have.TypeRows = joinRows(have.TypeRows, shape.TypeRows, use.Types)
	}
	if !b.Shaped.Returns {
		have.BciRows = joinRows(have.BciRows, shape.BciRows, use.Returns)
	}
	b.Shaped.Types = b.Shaped.Types || use.Types
	b.Shaped.Returns = b.Shaped.Returns || use.Returns
	b.setShape(have)
	return nil
}

// joinGap unites the numbers of cells before the receiver rows. If entries of both depend on it, the smaller one is
// used, and the profiles of the builder are converted. Those of the archive are converted when they are recorded.
func (b Target) joinGap(shape disk.Shape, use profileset.ShapeUse) error {
	from, to := b.Shape, b.Shape
	if !b.Shaped.Types {
		to.Gap = joinRows(from.Gap, shape.Gap, use.Types)
		b.setShape(to)
		return nil
	}
	if !use.Types || shape.Gap >= from.Gap {
		return nil
	}
	to.Gap = shape.Gap
	w := methoddata.NewReshaper(from, to)
	convert := func(block disk.Block) ([]byte, error) { return w.Block(block), nil }
	if err := cmp.Or(b.WithoutBatch(), b.RewriteBlocks(convert)); err != nil {
		return err
	}
	b.setShape(to)
	return nil
}

func DescribeShape(s disk.Shape) string {
	return fmt.Sprintf("%d receivers a call and %d returns", s.TypeRows, s.BciRows)
}

// joinRows returns the number of rows for a part of the shape on which no entry depends yet. decides is set if entries
// of the joining archive depend on it.
func joinRows(have, joins int, decides bool) int {
	if decides {
		return joins
	}
	return max(have, joins)
}

func (b Target) setShape(s disk.Shape) {
	if s.SameSettings(b.Shape) {
		return
	}
	b.Shape = s
	p := &b.Heading.Params
	p.TypeProfileWidth = uint32(s.TypeRows)
	p.BciProfileWidth = uint32(s.BciRows)
	p.ReceiverGap = uint32(s.Gap)
}

// Unmerged describes the losses of a merge in which entries of one point could not be united.
func Unmerged(asLLVM bool) string {
	if asLLVM {
		return "entries that do not go together with those of a file before (other lengths, " +
			"marks of what is hot), and values beyond the 255 of a site: the first are kept"
	}
	return "entries that do not go together with those of another file (other lengths, " +
		"marks of what is hot): the longer, and counts, are kept"
}

// archiveFormat is the format of an input that is an archive without an account. Such inputs have neither name nor
// hash, so that a merge does not depend on the names of files.
const archiveFormat = "archive"

func NoteOperation(b *profileset.Set) {
	if a := b.Account(); len(a.Inputs) > 0 {
		b.AddLoss(ledger.Loss{Operation: ledger.OperationMerge})
	}
}

// CopyAccounted copies an archive into the set with copyAll. If the archive has no account, it becomes an input of the
// set's. first is set unless the copy is one of several parts of the archive, and not the first.
func (b Target) CopyAccounted(c *copier.Copier, s *reader.Store, first bool, copyAll func() error) error {
	inputs, err := s.TableOrEmpty(disk.TableInputs)
	if err != nil {
		return err
	}
	isEmpty := s.Header().Counts == (layout.Counts{}) // and changes nothing
	if inputs.Rows > 0 || isEmpty {
		return copyAll()
	}
	c.Read = ledger.Totals{}
	if err := copyAll(); err != nil {
		return err
	}
	in := ledger.Input{Format: archiveFormat, State: ledger.Read, Totals: c.Read}
	if first {
		in.Times = 1
	}
	b.AddInput(in)
	return nil
}
