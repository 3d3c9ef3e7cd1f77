package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// ErrDomains: the archives are of different domains.
var ErrDomains = errors.New("profiles of different profilers cannot be compared")

// Options say what of two archives is compared.
type Options struct {
	// Top is how many of each list are kept; none if 0.
	Top int
	// Methods selects methods; nil for all. What is not selected counts nowhere.
	// It may be called by several goroutines at once.
	Methods func(layout.Key) bool
	// ContextSensitive takes LLVM's context-sensitive records alone, otherwise
	// they are left out, as llvm-profdata overlap does with and without --cs. It
	// concerns the domain llvm-ir alone.
	ContextSensitive bool
}

// Stores compares b with a, the base. The error matches ErrDomains, or is that
// of a record that cannot be read, or of ctx.
func Stores(ctx context.Context, a, b *reader.Store, o Options) (*Report, error) {
	if da, db := a.Header().Domain, b.Header().Domain; da != db {
		return nil, fmt.Errorf("%s is of domain %s, %s of %s: %w: name archives of one domain",
			a.Mapping().Name(), da, b.Mapping().Name(), db, ErrDomains)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := &comparison{ctx: ctx, o: o, a: a, b: b, report: Report{Domain: a.Header().Domain}}
	c.changed.n, c.came.n, c.went.n, c.flips.n, c.sites.n = o.Top, o.Top, o.Top, o.Top, o.Top
	c.doubts.n, c.certainties.n = o.Top, o.Top
	for _, step := range []func() error{c.addUp, c.findCounterparts, c.methodsOfA, c.methodsOfB, c.passTables} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return c.finish(), nil
}

// A comparison iterates over both archives.
type comparison struct {
	ctx          context.Context
	o            Options
	a, b         *reader.Store
	counterparts *counterparts
	sumA, sumB   perKind // of all counts
	of           [2]totals

	overlap, mismatch, onlyB perKind
	report                   Report
	changed, came, went      top[Method]
	flips                    top[Flip]
	sites                    top[SiteChange]
	doubts, certainties      top[Certainty]

	profilesA, profilesB profiles
	scratch              []pair
}

// addUp takes the sums of both archives at once, by which all counts are
// weighed, and decides what the archives are scored by.
func (c *comparison) addUp() error {
	var errA, errB error
	var leftOutA, leftOutB int
	r := &c.report
	var both sync.WaitGroup
	both.Go(func() { leftOutA, errA = c.addUpOne(c.a, &c.sumA, &c.of[0], &r.MarkedA) })
	both.Go(func() { leftOutB, errB = c.addUpOne(c.b, &c.sumB, &c.of[1], &r.MarkedB) })
	both.Wait()
	c.report.LeftOut = leftOutA + leftOutB
	c.report.Primary = c.primary()
	return errors.Join(errA, errB)
}

// addUpOne takes the sums of one archive, and says how many profiles it left
// out. A fault is an error of the goroutine
// in which it happens.
func (c *comparison) addUpOne(s *reader.Store, sum *perKind, of *totals, marked *int) (leftOut int, err error) {
	var p profiles
	p.sites.isOf(s)
	of.failures = countsFailures(s.Header().Params.VMRelease)
	err = s.Mapping().Guard(func() error {
		return c.eachMethod(s, func(m reader.Method) error {
			err := p.read(m, c)
			p.addTo(sum)
			of.add(&p)
			return err
		})
	})
	*marked = p.marked
	return p.leftOut, err
}

// knowsMarks reports whether counters of an archive can be a mark.
func knowsMarks(s *reader.Store) bool {
	h := s.Header()
	return h.Domain.LLVM() && disk.LLVMMarks(&h.Params)
}

// primary is the first kind that both archives have counts of, otherwise the
// first that one has.
func (c *comparison) primary() Kind {
	first := numKinds
	for k := numKinds; k > 0; k-- {
		if c.sumA[k-1] > 0 || c.sumB[k-1] > 0 {
			first = k - 1
		}
	}
	for k := range numKinds {
		if c.sumA[k] > 0 && c.sumB[k] > 0 {
			return k
		}
	}
	return first % numKinds // edges, if there is nothing at all
}

func (c *comparison) findCounterparts() (err error) {
	if c.counterparts, err = newCounterparts(c.ctx, c.a, c.b); err == nil {
		c.profilesA.sites.isOf(c.a)
		c.profilesB.sites.isOf(c.b)
		c.profilesA.sites.names = naming{c.counterparts.typeKey, c.counterparts.methodKey}
	}
	return err
}

// eachMethod iterates over the methods that are wanted.
func (c *comparison) eachMethod(s *reader.Store, visit func(m reader.Method) error) error {
	steps := poll.New(c.ctx)
	for m, err := range s.Methods() {
		if err = cmp.Or(err, steps.Err()); err != nil {
			return err
		}
		if c.o.Methods != nil {
			k, err := m.Key()
			if err != nil {
				return err
			}
			if !c.o.Methods(k) {
				continue
			}
		}
		if err := visit(m); err != nil {
			return err
		}
	}
	return nil
}

// finish puts together what was found.
func (c *comparison) finish() *Report {
	r := &c.report
	eachKind(&c.sumA, &c.sumB, func(k Kind) {
		r.Kinds = append(r.Kinds, Overlap{k, c.overlap[k], c.mismatch[k], c.onlyB[k], c.sumA[k], c.sumB[k], c.of[0].untyped[k], c.of[1].untyped[k]})
	})
	r.Changed, r.Came, r.Went = c.changed.ranking(), c.came.ranking(), c.went.ranking()
	r.Flips, r.Sites = c.flips.ranking(), c.sites.ranking()
	r.NoLongerCertain, r.NowCertain = c.doubts.ranking(), c.certainties.ranking()
	return r
}

// score is what a count of a and its partner in b have in common.
func score(x, y uint64, sumA, sumB float64) float64 {
	if sumA < 1 || sumB < 1 {
		return 0
	}
	return min(float64(x)/sumA, float64(y)/sumB)
}

// share is a part of a sum.
func share(part, sum float64) float64 {
	if sum < 1 {
		return 0
	}
	return part / sum
}
