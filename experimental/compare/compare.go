package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// ErrDomains reports archives of different domains, of different producers, or of samples of different types.
var ErrDomains = errors.New("profiles that count different things cannot be compared")

// Options select the compared profiles and the length of lists.
type Options struct {
	// Top is the maximum length of each list; 0 lists nothing and still counts.
	Top int
	// Methods selects methods; nil selects all. Others do not count anywhere. Several goroutines may call it.
	Methods func(layout.Key) bool
	// Except has methods that are not compared. Only Report.ComparedA and ComparedB count them.
	Except map[layout.Key]bool
	// ContextSensitive compares LLVM's context-sensitive records instead of the others, like the --cs flag of
	// llvm-profdata overlap. Only the domain llvm-ir has such records.
	ContextSensitive bool
}

// Stores compares b with the base a. It fails with ErrDomains, an error of a damaged record, or the error of ctx.
func Stores(ctx context.Context, a, b *reader.Store, o Options) (*Report, error) {
	if da, db := a.Header().Domain, b.Header().Domain; da != db {
		return nil, fmt.Errorf("%s is of domain %s, %s of %s: %w", a.Mapping().Name(), da, b.Mapping().Name(), db, ErrDomains)
	}
	if x, y := a.Header().ProducerID, b.Header().ProducerID; x != y {
		return nil, fmt.Errorf("%s is of the producer %x, %s of %x, whose points and entries mean something else: %w",
			a.Mapping().Name(), x, b.Mapping().Name(), y, ErrDomains)
	}
	if err := entries.CheckSampleTypes(a, b); err != nil {
		return nil, fmt.Errorf("%w: %w", err, ErrDomains)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := &comparison{ctx: ctx, o: o, a: a, b: b, report: Report{Kinds: []Overlap{}, NotCompared: []Uncompared{}}}
	for _, n := range []*int{&c.changed.n, &c.came.n, &c.went.n, &c.renumbered.n, &c.flips.n, &c.sites.n, &c.doubts.n,
		&c.certainties.n} {
		*n = max(o.Top, 0)
	}
	err := lists.Run(c.compareAllocations, c.addUpCounts, c.countSamples, c.findCounterparts, c.compareMethodsOfA,
		c.countMethodsOfB, c.addHiddenFromA, c.listUncomparedTables)
	if err != nil {
		return nil, err
	}
	return c.finishReport()
}

type comparison struct {
	ctx          context.Context
	o            Options
	a, b         *reader.Store
	counterparts *counterparts
	sumA, sumB   kindAmounts // totals of all counts
	of           [2]archiveTotals
	primary      kind         // kind of counts that the score refers to
	sampled      *sampledPair // nil unless both archives are samples

	overlap, mismatch, onlyB kindAmounts
	report                   Report
	changed, came, went      topList[Method]
	renumbered               topList[Method]
	hidden                   renumbering
	flips                    topList[Flip]
	sites                    topList[SiteChange]
	doubts, certainties      topList[Certainty]

	profilesA, profilesB profiles
	matching             profileMatching // its memory is reused for the next method
}

// addUpCounts adds up the counts of both archives in parallel, and chooses the kind for the score.
func (c *comparison) addUpCounts() error {
	var errA, errB error
	var leftOutA, leftOutB int
	r := &c.report
	var both sync.WaitGroup
	var panics [2]any
	both.Go(func() {
		defer savePanic(&panics[0])
		leftOutA, errA = c.addUpArchive(c.a, &c.sumA, &c.of[0], &r.MarkedA)
	})
	both.Go(func() {
		defer savePanic(&panics[1])
		leftOutB, errB = c.addUpArchive(c.b, &c.sumB, &c.of[1], &r.MarkedB)
	})
	both.Wait()
	if p := cmp.Or(panics[0], panics[1]); p != nil {
		panic(p)
	}
	r.ContextSensitive = c.o.ContextSensitive
	r.LeftOut, c.primary = leftOutA+leftOutB, c.primaryKind()
	return errors.Join(errA, errB)
}

// savePanic is deferred in a goroutine and saves its panic, which would end the program, for the caller.
func savePanic(p *any) { *p = recover() }

// addUpArchive adds up the counts of one archive and returns the number of excluded profiles. It guards the mapping
// itself, since a memory fault must be caught in the goroutine that causes it.
func (c *comparison) addUpArchive(s *reader.Store, sum *kindAmounts, of *archiveTotals,
	marked *int) (leftOut int, err error) {
	var p profiles
	p.sites.openArchive(s)
	release := s.Header().Params.VMRelease
	of.failures = release > 0 && release <= lastCountsFailures // 0 is unknown
	err = s.Mapping().Guard(func() error {
		return c.eachMethod(s, func(m reader.Method) error {
			err := p.readMethod(m, c)
			p.addCountsTo(sum)
			of.addProfiles(&p)
			return err
		}, func(m reader.Method) error {
			err := p.readMethod(m, c)
			p.addCountsTo(&of.except)
			return err
		})
	})
	*marked = p.marked
	return p.leftOut, err
}

// primaryKind returns the first kind that both archives count, else the first that either counts, else edges. Samples
// come before the edges that sampled archives have of some calls.
func (c *comparison) primaryKind() kind {
	var any []kind
	first := kindEdges
	if c.a.Header().Domain == layout.DomainSampled {
		first = kindNanoseconds
	}
	for k := first; k < numKinds; k++ {
		if c.sumA[k] > 0 && c.sumB[k] > 0 {
			return k
		}
		if c.sumA[k] > 0 || c.sumB[k] > 0 {
			any = append(any, k)
		}
	}
	return append(any, kindEdges)[0]
}

func (c *comparison) findCounterparts() (err error) {
	c.counterparts, err = newCounterparts(c.ctx, c.a, c.b)
	if err == nil {
		c.profilesA.sites.openArchive(c.a)
		c.profilesB.sites.openArchive(c.b)
		c.profilesA.sites.names = keyFuncs{c.counterparts.typeKeyInB, c.counterparts.methodKeyInB}
	}
	return err
}

// eachMethod visits the compared methods of an archive, and calls except, if any, with those of Options.Except.
func (c *comparison) eachMethod(s *reader.Store, visit func(reader.Method) error,
	except ...func(reader.Method) error) error {
	return poll.Each(poll.New(c.ctx), s.Methods(), func(m reader.Method) error {
		if c.o.Methods == nil && len(c.o.Except) == 0 {
			return visit(m)
		}
		switch k, err := m.Key(); {
		case err != nil || c.o.Methods != nil && !c.o.Methods(k):
			return err
		case !c.o.Except[k]:
			return visit(m)
		case len(except) > 0:
			return except[0](m)
		}
		return nil
	})
}

func countOverlap(x, y uint64, sumA, sumB float64) float64 {
	if sumA < 1 || sumB < 1 {
		return 0
	}
	return min(float64(x)/sumA, float64(y)/sumB)
}

func shareOfSum(part, sum float64) float64 {
	if sum < 1 {
		return 0
	}
	return part / sum
}

// descriptiveTables lists tables that describe an archive and its origin and measure nothing.
var descriptiveTables = map[disk.TableKind]bool{
	disk.TableOrder: true, disk.TableOrderRuns: true, disk.TableProperties: true, disk.TableDumps: true,
	disk.TableBinaryIDs: true, disk.TableVTables: true,
	disk.TableRuns: true, disk.TableClassPath: true, disk.TableCode: true, disk.TableShapes: true,
	disk.TableCompilations: true, disk.TableInlining: true, disk.TableFunctions: true, disk.TableBase: true,
	disk.TableMoved:   true,
	disk.TableCertain: true, disk.TableAllocations: true, disk.TableAllocationCalls: true,
	disk.TableObjects: true, disk.TableInputs: true, disk.TableLosses: true, disk.TableVersions: true,
	disk.TableAdvice: true, disk.TableHot: true, disk.TableCrowded: true,
}

func (c *comparison) listUncomparedTables() (err error) {
	found := map[disk.TableKind]*Uncompared{}
	for i, s := range []*reader.Store{c.a, c.b} {
		for t := range poll.Values(s.Tables(), &err) {
			if descriptiveTables[t.Kind] || t.Rows == 0 {
				continue
			}
			if found[t.Kind] == nil {
				found[t.Kind] = &Uncompared{What: "rows of " + display.TableTitle(t.Kind), Table: t.Kind}
			}
			u := found[t.Kind]
			*[]*uint64{&u.A, &u.B}[i] = uint64(t.Rows)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(found)) {
		c.report.NotCompared = append(c.report.NotCompared, *found[kind])
	}
	return err
}

type kind uint8

// The kinds. The first kind that both archives count decides the score.
const (
	kindEdges          kind = iota // LLVM's counters; calls of methods, branches and calls elsewhere
	kindBytecodes                  // bytecodes executed by a JamaicaVM
	kindNanoseconds                // processor time of samples
	kindSamples                    // samples taken
	kindCalls                      // calls by callee
	kindCycles                     // processor cycles
	kindReceivers                  // receiver types of calls
	kindTypeChecks                 // types at type checks
	kindIndirectCalls              // targets of LLVM's indirect calls
	kindMemOps                     // sizes of LLVM's memory operations
	kindVTables                    // vtables at LLVM's virtual calls
	kindNativeCalls                // calls of native methods of a JamaicaVM
	kindArrays                     // arrays that a JamaicaVM created
	kindAllocatedBytes             // allocated bytes by stack, of LLVM's memory profiles
	numKinds
)

var kindNames = [numKinds]string{"edges", "bytecodes", "nanoseconds", "samples", "calls", "cycles", "receivers",
	"type_checks", "indirect_calls", "mem_ops", "vtables", "native_calls", "new_arrays", "allocated_bytes"}

func (k kind) String() string { return kindNames[k] }

// unitKinds maps units to kinds, for counts about which nothing else is known.
var unitKinds = [disk.NumCountUnits]kind{
	disk.UnitExecutions: kindEdges, disk.UnitBytecodes: kindBytecodes, disk.UnitCycles: kindCycles,
	disk.UnitNativeCalls: kindNativeCalls, disk.UnitArrays: kindArrays, disk.UnitPointSamples: kindSamples,
	disk.UnitNanoseconds: kindNanoseconds,
}

// valueKinds maps the sub of ValueSite entries to kinds.
var valueKinds = map[layout.Sub]kind{
	layout.SubIndirectCall: kindIndirectCalls, layout.SubMemOpSize: kindMemOps, layout.SubVTable: kindVTables,
}

type kindAmounts [numKinds]float64

func (p *kindAmounts) addShares(part, sum *kindAmounts) {
	for k := range numKinds {
		p[k] += shareOfSum(part[k], sum[k])
	}
}
