package fit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/formats/llvm/sample"
	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/internal/names/loaders"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// ErrDomain reports a domain whose profiles do not identify the profiled code.
var ErrDomain = errors.New("profiles of this domain cannot be checked: they do not identify the code that was profiled")

// Options control a check.
type Options struct {
	// Confidence is the minimum confidence for moving a point; 0 stands for DefaultConfidence.
	Confidence float64
	// Old is the profiled code, for methods that the archive does not describe. It may be nil.
	Old Code
	// Methods selects methods; nil selects all.
	Methods func(layout.Key) bool
	// Top is the maximum number of reported misfits.
	Top int
	// Each is called with every verdict unless it is nil.
	Each func(*Verdict) error
	// Into receives the profiles adapted to the code, unless it is nil. It must have the archive's domain and settings.
	// Moved profiles get new points, stale and gone ones are dropped, others are copied. Unselected methods are dropped.
	Into *builder.Builder
	// KeepNames drops renamed methods from Into, and keeps the old names of renamed classes. The report lists both.
	KeepNames bool
}

// Check compares the profiles of an archive with a program. It fails if a record or code cannot be read, or with the
// error of ctx or Each. The error matches ErrDomain if the domain cannot be checked, and builder.ErrMismatch if Into
// has other settings. Profiles of domain sampled are checked by lines and cannot be adapted.
func Check(ctx context.Context, s *reader.Store, against Code, o Options) (*Report, error) {
	if err := cmp.Or(checkOptions(s, against, o), ctx.Err()); err != nil {
		return nil, err
	}
	o.Confidence = cmp.Or(o.Confidence, DefaultConfidence)
	o.Top = max(o.Top, 0)
	c := &checker{poll: poll.New(ctx), s: s, shape: (*mapped.Mapping)(s.Mapping()).Shape(), against: against, o: o,
		gone: map[layout.Ref]bool{},
		report: Report{Profiles: map[State]int{}, Weights: map[State]float64{}, Reasons: map[string]int{},
			Lost: map[string]Loss{}, adapted: o.Into != nil && !o.KeepNames}}
	var err error
	archived, ofArchive := against.(*archivedCode)
	if ofArchive {
		archived.pairing, err = loaders.PairClasses(s, archived.s)
		if err != nil {
			return nil, err
		}
	}
	if source, ok := hasSource(s.Header(), against); ok {
		if err := c.checkByLines(ctx, source); err != nil {
			return nil, err
		}
		c.trimMisfits(o.Top)
		return &c.report, nil
	}
	c.sketches, err = openSketches(s, c.poll.Err)
	if err != nil {
		return nil, err
	}
	if list, ok := against.(methodcode.FunctionList); ok && c.ofFunctions() && (!ofArchive || archived.whole) {
		c.renames, err = findRenamedFunctions(ctx, s, against, list)
		if err != nil {
			return nil, err
		}
	}
	if inv, ok := against.(methodcode.Inventory); ok && s.Header().Domain == layout.DomainHotSpot {
		c.renames, err = findRenames(ctx, s, inv, o.Old, c.sameSketch)
		if err != nil {
			return nil, err
		}
	}
	moved, err := s.TableOrEmpty(disk.TableMoved)
	if err != nil {
		return nil, err
	}
	c.marks = disk.ParseMarks(moved.Rows, moved.Cell)
	if o.Into != nil {
		c.rewriter = newRewriter(ctx, s, o.Into, against, &c.report)
		c.rewriter.marks, c.rewriter.filterStacks = c.marks, c.filterStacks
		c.rewriter.least = o.Confidence
		if !o.KeepNames {
			c.rewriter.renames = &c.renames
		}
	}
	if err := entries.EachMethod(ctx, s, c.checkMethod); err != nil {
		return nil, err
	}
	c.trimMisfits(o.Top)
	c.report.Renames = c.renames.sortedByWeight()
	c.report.ByName = ofArchive && archived.byName
	if c.rewriter != nil {
		return &c.report, c.rewriter.copyTables()
	}
	return &c.report, nil
}

func (c *checker) sameSketch(m reader.Method, p reader.Profile, v *methodcode.Version) (bool, error) {
	points := pointsOf(p, c.shape).points
	err := c.sketches.describe(m, p, points)
	return sameNames(points, v.Points), err
}

func checkOptions(s *reader.Store, against Code, o Options) error {
	h := s.Header()
	if _, ok := hasSource(h, against); ok {
		if o.Into != nil {
			return fmt.Errorf("%s: profiles of domain sampled are not adapted: take new ones", s.Mapping().Name())
		}
		return nil
	}
	_, ofClasses := against.(methodcode.Inventory)
	if d := h.Domain; d != layout.DomainHotSpot && !(d == layout.DomainGraal && ofClasses) && !comparesHashes(d, against) {
		if d == layout.DomainSampled {
			return fmt.Errorf("%s: domain %s: %w: %s", s.Mapping().Name(), d, ErrDomain,
				"compare them with the source of a Go program, or with a program of clang -fpseudo-probe-for-profiling")
		}
		return fmt.Errorf("%s: domain %s: %w", s.Mapping().Name(), d, ErrDomain)
	}
	if b := o.Into; b != nil {
		params := b.Internal().Params()
		if b.Internal().Domain != h.Domain || !disk.ShapeOfParams(&params).SameSettings(disk.ShapeOfParams(&h.Params)) {
			return fmt.Errorf("%s: to be adapted: %w", s.Mapping().Name(), builder.ErrMismatch)
		}
	}
	return nil
}

// comparesHashes reports whether profiles of a domain and a program both have hashes or checksums of functions.
func comparesHashes(d layout.Domain, against Code) bool {
	_, listed := against.(methodcode.FunctionList)
	_, ofArchive := against.(*archivedCode)
	return d.LLVM() || d == layout.DomainSampled && listed && !ofArchive
}

// ofFunctions reports whether functions are compared by their hashes.
func (c *checker) ofFunctions() bool { return comparesHashes(c.s.Header().Domain, c.against) }

type checker struct {
	poll     *poll.Poll
	s        *reader.Store
	shape    disk.Shape
	against  Code
	o        Options
	report   Report
	renames  renames
	former   *formerNames // built on first use
	sketches *sketches
	marks    disk.Marks
	rewriter *rewriter // nil without Options.Into

	locations *sample.Locations            // nil if the archive has no sample profile of LLVM
	inlined   map[layout.Ref][]sampledCall // calls in contexts of LLVM's sample profiles, by caller

	gone map[layout.Ref]bool // whether methods in contexts and stacks are gone, for those that were looked up

	judgements []judgement    // judgements of the current method
	byID       map[uint64]int // versions of the current method by code id
}

func (c *checker) checkMethod(m reader.Method, k layout.Key) error {
	if c.o.Methods != nil && !c.o.Methods(k) {
		return nil
	}
	c.report.Methods++
	now, changed := c.renames.presentKey(m, k)
	a, err := c.lookUpMethod(m, now)
	if err != nil {
		return err
	}
	c.underFormerNames(a.Versions)
	c.judgements, c.byID = c.judgements[:0], indexByCode(a.Versions)
	err = poll.Each(c.poll, m.Profiles(), func(p reader.Profile) error {
		j := judgement{Verdict: Verdict{Method: m, Profile: p, Weight: weightOfProfile(p, c.shape)}}
		if err := c.judgeProfile(&j, k, a); err != nil {
			return err
		}
		c.renames.addNewNames(&j.Verdict, k)
		err := c.addVerdict(&j)
		c.judgements = append(c.judgements, j)
		return err
	})
	if err != nil {
		return err
	}
	switch {
	case c.rewriter == nil:
		return nil
	case changed && c.o.KeepNames:
		c.report.Rewritten.Dropped += len(c.judgements)
		return nil
	}
	if m.Unexecuted() && (a.Presence == methodcode.Present || a.Presence == methodcode.Unknown) {
		return c.rewriter.copyUnexecuted(m)
	}
	return c.rewriter.copyMethod(c.judgements)
}

func (c *checker) lookUpMethod(m reader.Method, k layout.Key) (methodcode.Answer, error) {
	if m.Flags()&layout.MethodNotMatchable != 0 {
		return methodcode.Answer{Presence: methodcode.Unknown, Reason: "its name is made up anew in each run"}, nil
	}
	return c.against.Method(k)
}

func (c *checker) countMarks(p reader.Profile) (points int) {
	if c.marks == nil {
		return 0
	}
	for e := range p.Entries() {
		if _, ok := c.marks.At(p.Bytes(), e.Point()); ok {
			points++
		}
	}
	return points
}

func (c *checker) addVerdict(j *judgement) error {
	c.report.addVerdict(&j.Verdict)
	if j.Method.Flags()&layout.MethodNotMatchable == 0 {
		c.report.hot.addProfile(&j.Verdict)
	}
	if n := c.countMarks(j.Profile); n > 0 {
		c.report.Guessed.Points += n
		c.report.Guessed.Profiles++
	}
	if j.isMisfit() {
		c.report.Misfits = append(c.report.Misfits, j.Verdict)
		if len(c.report.Misfits) > 2*c.o.Top+1000 {
			c.trimMisfits(c.o.Top)
		}
	}
	if c.o.Each != nil {
		return c.o.Each(&j.Verdict)
	}
	return nil
}

func (c *checker) trimMisfits(n int) {
	slices.SortStableFunc(c.report.Misfits, func(a, b Verdict) int {
		return cmp.Or(cmp.Compare(b.lostWeight(), a.lostWeight()), cmp.Compare(b.State.rankOf(), a.State.rankOf()))
	})
	c.report.Misfits = c.report.Misfits[:min(n, len(c.report.Misfits))]
}
