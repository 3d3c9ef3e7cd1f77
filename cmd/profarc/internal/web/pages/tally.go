package pages

import (
	"cmp"
	"context"
	"slices"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type tally struct {
	store    *reader.Store
	methods  []layout.Ref
	measures []*measured // the default measure first
	levels   []int8      // HotSpot's compilation level of each method, -1 if unknown; nil if all are unknown
}

type measured struct {
	Name    string // name in queries
	Title   string // heading
	Noun    string // noun after numbers
	About   string // description, a sentence without its full stop
	values  []uint64
	total   uint64
	highest uint64
	ranked  []int32 // indexes of methods with nonzero values, the highest value first
}

func newMeasured(d layout.Domain, name, noun, about string) *measured {
	return &measured{Name: name, Title: capitalized(name), Noun: cmp.Or(noun, name), About: measureAbout(d, name, about)}
}

func (m *measured) valueText(n uint64) string {
	if c := amountCell(n, m.Noun); m.Noun == nanosecond+"s" {
		return c.Link.Text
	}
	return cli.Grouped(n) + " " + m.Noun
}

var shareColumn = numberColumn("share", "Share")

// shareCellOf returns a method's share of all values. Its bar is relative to the highest value.
func (m *measured) shareCellOf(method int32) cell {
	c := shareCell(cli.Share(m.values[method], m.total))
	*c.Bar = cli.Share(m.values[method], m.highest)
	return c
}

func tallyOf(r *request) (*tally, error) { return resultOf(r, "the counts of all methods", newTally) }

func newTally(ctx context.Context, s *Site, p *Progress) (*tally, error) {
	t := &tally{store: s.Archive}
	h := t.store.Header()
	measures := measuresOf(h)
	for _, by := range measures {
		t.measures = append(t.measures, newMeasured(h.Domain, by.Name, by.Noun, by.About))
	}
	err := eachMethod(ctx, t.store, p, func(m reader.Method) error { return t.addMethod(m, measures) })
	if err = cmp.Or(err, t.addSamples()); err != nil {
		return nil, err
	}
	t.measures = slices.DeleteFunc(t.measures, func(m *measured) bool { return m.total == 0 })
	if !slices.ContainsFunc(t.levels, func(level int8) bool { return level >= 0 }) {
		t.levels = nil
	}
	return t, t.rankMethods(ctx)
}

func measuresOf(h *layout.Header) (list []*analyze.Measure) {
	usual := analyze.UsualMeasure(h)
	if h.Domain != layout.DomainSampled {
		list = append(list, usual)
	}
	for i := range analyze.Measures {
		if by := &analyze.Measures[i]; by != usual && by.MayHave(h.Domain) &&
			by.Name != "function-count" && (by.Name != "weight" || h.Summary.TotalInvocations > 0) {
			list = append(list, by)
		}
	}
	return list
}

func (t *tally) addMethod(m reader.Method, measures []*analyze.Measure) error {
	t.methods = append(t.methods, m.Ref())
	sums, err := analyze.Sums(measures, t.store, m)
	if err != nil {
		return err
	}
	for i, sum := range sums {
		t.measures[i].appendValue(sum)
	}
	if t.store.Header().Domain != layout.DomainHotSpot {
		return nil
	}
	level, err := analyze.CompileLevel(m)
	if level == nil {
		t.levels = append(t.levels, -1)
		return err
	}
	t.levels = append(t.levels, int8(min(*level, 127)))
	return nil
}

var levelColumn = numberColumn("level", "Level")

func withLevel[T any](t *tally, list []T, level T) []T {
	if t.levels == nil {
		return list
	}
	return append(list, level)
}

func (t *tally) levelCell(i int32) cell {
	if t.levels == nil || t.levels[i] < 0 {
		return noNumber
	}
	return countCell(t.levels[i])
}

func (m *measured) appendValue(value uint64) {
	m.values = append(m.values, value)
	m.total = schema.AddCounts(m.total, value)
	m.highest = max(m.highest, value)
}

func (t *tally) addSamples() error {
	unit, err := facts.UnitOfSamples(t.store)
	if err != nil {
		return err
	}
	samples, err := facts.TallySamples(t.store, unit)
	if err != nil || samples.Stacks == 0 {
		return err
	}
	d := t.store.Header().Domain
	of := map[facts.SampleUnit]string{facts.Samples: "samples taken", facts.Nanoseconds: "processor time"}[unit]
	self := newMeasured(d, "self", string(unit), of+" in the method itself")
	total := newMeasured(d, "total", string(unit), of+" in the method and in what it called")
	t.measures = slices.DeleteFunc(t.measures, func(m *measured) bool { return m.Name == string(facts.Nanoseconds) })
	for _, n := range t.methods {
		m, err := t.store.MethodAt(n)
		if err != nil {
			return err
		}
		found := samples.OfMethod(m)
		self.appendValue(found.Self)
		total.appendValue(found.Total)
	}
	total.total = samples.Sum
	at := len(t.measures)
	if facts.SamplesOnly(t.store) {
		at = 0
	}
	t.measures = slices.Insert(t.measures, at, self, total)
	return nil
}

func (t *tally) rankMethods(ctx context.Context) error {
	return lists.Each(t.measures, func(m *measured) error { return m.rankByValue(ctx) })
}

func (m *measured) rankByValue(ctx context.Context) error {
	for i, n := range m.values {
		if n > 0 {
			m.ranked = append(m.ranked, int32(i))
		}
	}
	return poll.SortStable(ctx, m.ranked, func(a, b int32) int { return cmp.Compare(m.values[b], m.values[a]) })
}

func (t *tally) measureNamed(name string) *measured {
	if len(t.measures) == 0 {
		return nil
	}
	return t.measures[max(0, slices.IndexFunc(t.measures, func(m *measured) bool { return m.Name == name }))]
}
