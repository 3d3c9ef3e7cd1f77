package mergejob

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/fleet/internal/blobs"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Options configure a plan.
type Options struct {
	Out, Work string        // URLs as in Plan
	Parts     int           // 0 means a number that follows from PartBytes
	PartBytes int64         // approximate number of bytes that a part reads
	HalfLife  time.Duration // age at which a dump counts half, 0 for no decay
	Normalize bool          // weight runs equally
	Rows      int           // as in Plan
	SkipBad   bool          // leave bad archives out if another one is good
	Expect    int           // number of archives that the runs should have left, 0 if it is not known
	Expected  []string      // their names
	Jobs      int           // number of archives to read at the same time
	Progress  func(done, total int64)
}

// A Survey describes the planned archives.
type Survey struct {
	Archives   int          `json:"archives"`
	Bytes      int64        `json:"bytes"`
	Parts      int          `json:"parts"`
	Superseded []Superseded `json:"superseded,omitempty"`
	Skipped    []Skipped    `json:"skipped,omitempty"`
}

// Skipped is an archive that cannot be merged.
type Skipped struct {
	Archive string `json:"archive"`
	Reason  string `json:"reason"`
}

// Superseded is an ignored archive. The archive By has a later dump of the same process.
type Superseded struct {
	Archive string `json:"archive"`
	By      string `json:"by"`
}

// plannedArchive is a planned archive.
type plannedArchive struct {
	object   blobs.Object
	header   layout.Header
	sum      string
	contents merging.Contents
	sizes    map[merging.Bound]int64 // bytes of profiles, only in sampled archives
	weight   layout.Weight
	err      error // why it cannot be read
}

// Make plans the merge of all archives at urls. Its errors name the archives.
func Make(ctx context.Context, s *blobs.Stores, urls []string, o Options) (*Plan, *Survey, error) {
	all, err := surveyArchives(ctx, s, urls, o)
	if err != nil {
		return nil, nil, err
	}
	p := &Plan{Version: planVersion, Out: o.Out, Work: o.Work, OneShape: true, Rows: o.Rows}
	if err := p.expectArchives(all, o); err != nil {
		return nil, nil, err
	}
	v := &Survey{}
	all, err = p.selectSound(all, v, o.SkipBad)
	if err != nil {
		return nil, nil, err
	}
	if err := setWeights(all, o); err != nil {
		return nil, nil, err
	}
	if err := checkMergeable(all); err != nil {
		return nil, nil, err
	}
	p.Domain = all[0].header.Domain
	p.Params = all[0].header.Params
	for i := range all {
		p.addInput(&all[i])
		v.Bytes += all[i].object.Size
	}
	p.Bounds = chooseBounds(all, cmp.Or(int64(o.Parts), 1+v.Bytes/max(o.PartBytes, 1)))
	v.Archives = len(all)
	v.Parts = len(p.Bounds) + 1
	p.ID, err = p.computeID()
	return p, v, err
}

// addInput adds an archive to the plan.
func (p *Plan) addInput(f *plannedArchive) {
	bucket := slices.Index(p.Buckets, f.object.Bucket)
	if bucket < 0 {
		bucket = len(p.Buckets)
		p.Buckets = append(p.Buckets, f.object.Bucket)
	}
	shape := func(q *layout.Params) [3]uint32 {
		return [3]uint32{q.TypeProfileWidth, q.BciProfileWidth, q.ReceiverGap}
	}
	p.OneShape = p.OneShape && shape(&p.Params) == shape(&f.header.Params)
	in := Input{Bucket: bucket, Key: f.object.Key, Size: f.object.Size, Sum: f.sum}
	if f.weight != layout.WeightOne {
		in.Weight = f.weight
	}
	p.Inputs = append(p.Inputs, in)
}

// mostSamples is the maximum number of archives whose profiles are read to divide the methods evenly.
const mostSamples = 48

// surveyArchives reads the archives at urls. It reads the profiles of a sample only.
func surveyArchives(ctx context.Context, s *blobs.Stores, urls []string, o Options) ([]plannedArchive, error) {
	objects, err := listArchives(ctx, s, urls, o)
	if err != nil {
		return nil, err
	}
	all := make([]plannedArchive, len(objects))
	done := atomic.Int64{}
	every := max(1, (len(objects)+mostSamples-1)/mostSamples)
	jobs, ctx := errgroup.WithContext(ctx)
	jobs.SetLimit(max(o.Jobs, 1))
	for i, object := range objects {
		if ctx.Err() != nil {
			break
		}
		jobs.Go(func() (err error) {
			all[i], err = readArchive(ctx, s, object, i%every == 0)
			all[i].object = object
			all[i].err = err
			if o.Progress != nil {
				o.Progress(done.Add(1), int64(len(objects)))
			}
			return ctx.Err()
		})
	}
	return all, jobs.Wait()
}

// expectArchives finds the expected archives that are missing. Without SkipBad a missing archive is an error.
func (p *Plan) expectArchives(all []plannedArchive, o Options) error {
	var names []string
	for i := range all {
		names = append(names, all[i].object.Key)
	}
	expected := ledger.Expect(names, o.Expect, o.Expected)
	for _, in := range expected.MissingInputs() {
		p.leaveOut(in)
	}
	if o.SkipBad {
		return nil
	}
	return expected.Refused()
}

// listArchives returns the archives at urls except the result and the parts of the merge.
func listArchives(ctx context.Context, s *blobs.Stores, urls []string, o Options) (all []blobs.Object, err error) {
	out, err1 := blobs.Parse(o.Out)
	work, err2 := blobs.Parse(o.Work)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	for _, u := range urls {
		l, err := blobs.Parse(u)
		if err != nil {
			return nil, err
		}
		here, err := s.List(ctx, l, ".parc")
		if err != nil {
			return nil, err
		}
		here = slices.DeleteFunc(here, func(o blobs.Object) bool { return o.Within(out) || o.Within(work) })
		if len(here) == 0 {
			return nil, fmt.Errorf("%s: no archives (*.parc) are there: check the URL", l)
		}
		all = append(all, here...)
	}
	return all, nil
}

// headerSum returns the checksum of an archive's header, which covers all bytes of the archive.
func headerSum(m *archive.Mapping) string {
	return fmt.Sprintf("%x", (*mapped.Mapping)(m).Unchecked()[32:40])
}

// openRemote opens an archive in a store without downloading it.
func openRemote(ctx context.Context, s *blobs.Stores, object blobs.Object) (*reader.Store, error) {
	m, err := archive.OpenRanges(object.String(), s.Ranges(ctx, object), object.Size, archive.Options{})
	if err != nil {
		return nil, err
	}
	return reader.New(m), nil
}

// readArchive reads the header and the contents of an archive, and the sizes of its profiles if sample is set.
func readArchive(
	ctx context.Context,
	stores *blobs.Stores,
	object blobs.Object,
	sample bool,
) (f plannedArchive, err error) {
	s, err := openRemote(ctx, stores, object)
	if err != nil {
		return f, err
	}
	defer s.Close()
	f = plannedArchive{object: object, header: *s.Header(), sum: headerSum(s.Mapping()), weight: layout.WeightOne}
	if part, is, err := merging.PartOf(s); err != nil || is {
		return f, cmp.Or(err, fmt.Errorf("%s is a part of a merge (%s): leave it out", object, part))
	}
	f.contents, err = merging.ContentsOf(s)
	if err == nil && sample {
		f.sizes, err = profileSizes(s)
	}
	return f, err
}

// profileSizes returns the number of bytes of profiles at each possible bound.
func profileSizes(s *reader.Store) (map[merging.Bound]int64, error) {
	const alone = 64 // approximate size of a method without profiles
	all := map[merging.Bound]int64{}
	for m, err := range s.Methods() {
		if err != nil {
			return nil, err
		}
		k, err := m.Key()
		if err != nil {
			return nil, err
		}
		size := int64(alone)
		for p, err := range m.Profiles() {
			if err != nil {
				return nil, err
			}
			size += int64(len(p.Bytes()))
		}
		all[merging.Bound{Class: k.Class, Name: k.Name}] += size
	}
	return all, nil
}

// selectSound drops archives that another one supersedes, and the bad ones. Its error names all bad ones, unless they
// may be left out.
func (p *Plan) selectSound(all []plannedArchive, v *Survey, skipBad bool) (kept []plannedArchive, err error) {
	var bad ledger.BadInputs
	leaveOut := func(f *plannedArchive, why error) {
		bad = append(bad, why)
		v.Skipped = append(v.Skipped, Skipped{f.object.String(), why.Error()})
		p.leaveOut(ledger.LeftOut(f.object.String(), why, errors.Is(why, merging.ErrCounted)))
	}
	var sound []plannedArchive
	var contents []merging.Contents
	for i := range all {
		if all[i].err != nil {
			leaveOut(&all[i], all[i].err)
			continue
		}
		sound = append(sound, all[i])
		contents = append(contents, all[i].contents)
	}
	by, err := merging.Superseded(contents)
	if err != nil {
		return nil, err
	}
	var errs []error
	if len(sound) > 0 {
		probe := builder.New(sound[0].header.Domain, builder.Config{Params: sound[0].header.Params})
		errs = merging.NoteAll(probe.Internal(), contents, by)
	}
	for i, other := range by {
		switch {
		case other >= 0:
			v.Superseded = append(v.Superseded, Superseded{sound[i].object.String(), sound[other].object.String()})
		case errs[i] != nil:
			leaveOut(&sound[i], errs[i])
		default:
			kept = append(kept, sound[i])
		}
	}
	if len(bad) > 0 && (!skipBad || len(kept) == 0) {
		return nil, bad
	}
	return kept, nil
}

// checkMergeable returns an error with the name of the first archive that cannot be merged with the previous ones.
func checkMergeable(all []plannedArchive) error {
	b := builder.New(all[0].header.Domain, builder.Config{Params: all[0].header.Params})
	for i := range all {
		if err := merging.Note(b.Internal(), all[i].contents, profileset.RunRules{Weight: all[i].weight}); err != nil {
			return err
		}
	}
	return nil
}

// setWeights sets the weights of the archives.
func setWeights(all []plannedArchive, o Options) error {
	if o.Normalize {
		totals := make([]uint64, len(all))
		for i := range all {
			totals[i] = cmp.Or(all[i].header.Summary.TotalCount, all[i].header.Summary.TotalInvocations)
		}
		for i, w := range merging.Equalize(totals) {
			all[i].weight = w
		}
	}
	if o.HalfLife <= 0 {
		return nil
	}
	newest := time.Time{}
	for i := range all {
		at := all[i].header.Time()
		if at.IsZero() {
			return fmt.Errorf("%s does not say when it was dumped, and has no age: leave it out, or merge without a half-life",
				all[i].object)
		}
		if at.After(newest) {
			newest = at
		}
	}
	for i := range all {
		all[i].weight = disk.MultiplyWeights(all[i].weight, merging.HalfLife(newest.Sub(all[i].header.Time()), o.HalfLife))
	}
	return nil
}

// chooseBounds returns bounds between at most n parts that have about the same number of bytes in the sampled archives.
func chooseBounds(all []plannedArchive, n int64) []merging.Bound {
	sizes := map[merging.Bound]int64{}
	total := int64(0)
	for i := range all {
		for at, size := range all[i].sizes {
			sizes[at] += size
			total += size
		}
	}
	places := make([]merging.Bound, 0, len(sizes))
	for at := range sizes {
		places = append(places, at)
	}
	slices.SortFunc(places, merging.Bound.Compare)
	bounds := []merging.Bound{}
	before := int64(0)
	for _, at := range places {
		if share := total * int64(len(bounds)+1) / max(n, 1); int64(len(bounds)) < n-1 && before >= share &&
			at != (merging.Bound{}) {
			bounds = append(bounds, at)
		}
		before += sizes[at]
	}
	return bounds
}
