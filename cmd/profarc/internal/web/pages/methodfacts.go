package pages

import (
	"cmp"
	"slices"

	"github.com/profarc/profarc/cmd/profarc/internal/view/listing"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type methodFacts struct {
	request *request
	method  reader.Method
	Name    analyze.MethodName
	all     []reader.Profile
	samples *listing.Samples
	sampled *listing.Sampled // nil if the method is on no stack
	// onlySamples reports whether the page shows only the lines with samples, which include the lines of the contexts.
	onlySamples bool
	asked       []reader.Profile // profiles that the query selects
	program     *program         // nil without a class path
	code        *listing.Listing // nil without a usable class path
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
	return f, cmp.Or(f.selectProfiles(), f.readCode())
}

// selectProfiles selects the profiles that the query asks for, which are one profile, one version of the code, or all.
func (f *methodFacts) selectProfiles() error {
	profile := f.request.query.valueOf("profile")
	code := f.request.query.valueOf("code")
	f.asked = slices.DeleteFunc(slices.Clone(f.all), func(q reader.Profile) bool {
		return profile != "" && profile != recordRefText(q.Ref()) || code != "" && code != display.IDText(q.Code())
	})
	if len(f.asked) == 0 && len(f.all) > 0 {
		return errNoPage
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
