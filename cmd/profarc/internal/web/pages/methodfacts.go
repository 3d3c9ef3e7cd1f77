package pages

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/cmd/profarc/internal/view/listing"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/formats/llvm/coverage"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type methodFacts struct {
	request  *request
	method   reader.Method
	Name     analyze.MethodName
	all      []reader.Profile
	function *functionFacts // nil in other domains than LLVM's
	samples  *listing.Samples
	sampled  *listing.Sampled // nil if the method is on no stack
	contexts *methodContexts  // nil with onlySamples
	// onlySamples reports whether the page shows only the lines with samples, which include the lines of the contexts.
	onlySamples bool
	asked       []reader.Profile // profiles that the query selects
	profiles    []profileFacts   // the first of them
	program     *program         // nil without a class path
	code        *listing.Listing // nil without a usable class path
}

type functionFacts struct {
	allocations []listing.Allocation
	lines       *coverage.Function // nil if reason is set
	reason      error              // why there are no lines
}

type profileFacts struct {
	reader.Profile
	frames   []reader.Frame // callers in its context, the direct one first
	sections map[schema.BlockSection][]analyze.Point
	traps    []facts.Deoptimised
}

func readMethodFacts(r *request) (*methodFacts, error) {
	m, err := r.askedMethod()
	if err != nil {
		return nil, err
	}
	f := &methodFacts{request: r, method: m}
	f.Name, err = analyze.NameOf(m.Store(), m)
	if err != nil {
		return nil, err
	}
	f.all, err = profilesOf(m)
	if err != nil {
		return nil, err
	}
	if m.Store().Header().Domain.LLVM() {
		f.function, err = readFunctionFacts(r, m, f.all)
		if err != nil {
			return nil, err
		}
	}
	f.samples, err = samplesOf(r)
	if err == nil {
		f.sampled, err = f.samples.OfMethod(m)
	}
	if err != nil {
		return nil, err
	}
	if f.sampled.Total == 0 {
		f.sampled = nil
	}
	asked := r.query.valueOf("contexts") + r.query.valueOf("profile") + r.query.valueOf("code")
	f.onlySamples = f.sampled != nil && asked == "" && m.Store().Header().Domain == layout.DomainSampled
	if f.onlySamples {
		return f, nil
	}
	f.contexts, err = readContexts(m, f.all, f.samples.Unit)
	return f, cmp.Or(err, f.readAskedProfiles(), f.readCode())
}

// readFunctionFacts reads the data of an LLVM function. Damage of the archive is an error, and other reasons why there
// are no lines are facts.
func readFunctionFacts(r *request, m reader.Method, all []reader.Profile) (*functionFacts, error) {
	read := func(_ context.Context, s *Site, _ *Progress) (*listing.Allocations, error) {
		return listing.ReadAllocations(s.Archive)
	}
	heap, err := resultOf(r, "the memory profiles", read)
	if err != nil {
		return nil, err
	}
	f := &functionFacts{}
	f.allocations, err = heap.OfFunction(m)
	if err != nil || r.site.Binary == "" {
		return f, err
	}
	c, err := coverageOf(r)
	if err != nil {
		return nil, err
	}
	if c.reason != nil {
		f.reason = c.reason
		return f, nil
	}
	f.lines, f.reason = c.Function(m)
	if f.reason == nil && !hasCode(all, f.lines.Hash) {
		f.reason = coverage.ErrMismatch
	}
	if f.reason != nil && !errors.Is(f.reason, coverage.ErrNotMapped) && !errors.Is(f.reason, coverage.ErrMismatch) {
		return nil, f.reason
	}
	return f, nil
}

// readAskedProfiles reads the profiles that the query asks for, which are one profile, one version of the code, or all.
func (f *methodFacts) readAskedProfiles() (err error) {
	profile := f.request.query.valueOf("profile")
	code := f.request.query.valueOf("code")
	f.asked = slices.DeleteFunc(slices.Clone(f.all), func(q reader.Profile) bool {
		return profile != "" && profile != recordRefText(q.Ref()) || code != "" && code != display.IDText(q.Code())
	})
	if len(f.asked) == 0 && len(f.all) > 0 {
		return errNoPage
	}
	var points analyze.PointReader
	for _, q := range f.asked[:min(len(f.asked), profilesOnPage)] {
		read := profileFacts{Profile: q, sections: map[schema.BlockSection][]analyze.Point{}}
		read.frames, err = framesOf(q)
		for s := schema.SectionData; s < schema.SectionDirectory && err == nil; s++ {
			read.sections[s], err = points.Section(q, s)
		}
		if err != nil {
			return err
		}
		read.traps, err = facts.DeoptimisedIn(q, &points)
		if err != nil {
			return err
		}
		f.profiles = append(f.profiles, read)
	}
	return nil
}

func (f *methodFacts) readCode() (err error) {
	if !listing.SupportsDomain(f.method.Store().Header().Domain) {
		return nil
	}
	f.program, err = programOf(f.request)
	if err == nil && f.program != nil && f.program.err == nil {
		f.code, err = f.program.classes.ListMethod(f.method, ofOneVersion(f.asked)...)
	}
	return err
}

func (f *methodFacts) showsPoints() bool {
	return len(f.asked) == 1 && f.code != nil && f.code.HasCounts() && len(f.code.Instructions) > 0 &&
		len(f.code.Instructions) <= instructionsOnPage
}

func profilesOf(m reader.Method) (all []reader.Profile, err error) {
	for q, err := range m.Profiles() {
		if err != nil {
			return nil, err
		}
		all = append(all, q)
	}
	return all, nil
}

func hasCode(all []reader.Profile, code uint64) bool {
	return slices.ContainsFunc(all, func(q reader.Profile) bool { return q.Code() == code })
}

func framesOf(q reader.Profile) ([]reader.Frame, error) {
	c, ok, err := q.Context()
	if err != nil || !ok {
		return nil, err
	}
	return c.Frames()
}

func ofOneVersion(profiles []reader.Profile) []reader.Profile {
	return slices.DeleteFunc(slices.Clone(profiles), func(q reader.Profile) bool { return q.Code() != profiles[0].Code() })
}
