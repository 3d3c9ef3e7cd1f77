package warm

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/warm/warmup"
	"github.com/profarc/profarc/internal/cli/paired"
	"github.com/profarc/profarc/internal/system/secrets"
)

type heading struct {
	Command []string `json:"command"` // command line without secrets
	JVM     string   `json:"jvm"`
	System  string   `json:"system"`
	CPUs    int      `json:"cpus"`
	// Profiles is the number of profiles in the archive; 0 without one.
	Profiles uint64 `json:"profiles"`
}

type report struct {
	heading
	Rounds     int            `json:"rounds"`           // number of complete rounds
	Asked      int            `json:"rounds_asked"`     // requested number of rounds
	Confidence float64        `json:"confidence"`       // requested confidence
	Baseline   string         `json:"baseline"`         // name of the base line
	Contenders []contenderRow `json:"contenders"`       // contenders, sorted as in the tables
	Trained    []trained      `json:"training"`         // results of training runs
	Measures   []measure      `json:"measures"`         // one table per measure
	Verdicts   []verdict      `json:"verdicts"`         // comparisons of two contenders
	Leaders    []string       `json:"leaders"`          // fastest contender, and those not shown to be slower
	Advice     string         `json:"advice,omitempty"` // whether to use the archive
	// share of the processors used by other programs; 0 if unknown
	Others  float64  `json:"others"`
	Notes   []string `json:"notes,omitempty"` // remarks for people
	Records []record `json:"runs"`
}

type contenderRow struct {
	Name      string   `json:"name"`
	Flags     []string `json:"flags"`
	Runs      int      `json:"runs"` // number of runs in the figures
	Failed    int      `json:"failed"`
	Differing int      `json:"differing"` // number of runs with different output
	LeftOut   string   `json:"left_out,omitempty"`
}

type measure struct {
	Name string `json:"name"`
	Unit string `json:"unit"` // "ns" or "bytes"
	Rows []row  `json:"rows"`
}

type row struct {
	Contender string  `json:"contender"`
	Runs      int     `json:"runs"`
	Never     bool    `json:"never,omitempty"` // whether the figure was never reached
	Median    float64 `json:"median"`
	Least     float64 `json:"least"`
	Most      float64 `json:"most"`
	Low       float64 `json:"low"`  // interval of the median
	High      float64 `json:"high"` // the same
	// Confidence is the confidence of the interval. For too few runs it is less than the one of the report.
	Confidence float64 `json:"confidence"`
	Ratio      *ratio  `json:"ratio,omitempty"` // ratio to the base line
}

type ratio struct {
	paired.Ratio
	Method  string `json:"method"` // "signed rank"
	Verdict string `json:"verdict"`
}

// Verdicts of a ratio. Smaller figures are better.
const (
	verdictLess    = "less"
	verdictMore    = "more"
	verdictSame    = "no difference shown"
	verdictUnknown = "too few rounds to tell"
)

func verdictOf(r paired.Ratio) string {
	switch {
	case r.Confidence == 0:
		return verdictUnknown
	case !r.Differs():
		return verdictSame
	case r.High < 1:
		return verdictLess
	}
	return verdictMore
}

// A figure reads a value of a run. 0 means unknown, and infinity means never reached.
type figure struct {
	name, unit string
	of         func(*record) float64
}

var figures = []figure{
	{"wall time", "ns", func(r *record) float64 { return float64(r.WallNS) }},
	{"processor time", "ns", func(r *record) float64 { return float64(r.CPUNS) }},
	{"time to first output", "ns", func(r *record) float64 { return float64(r.FirstNS) }},
	{"largest process", "bytes", func(r *record) float64 { return float64(r.PeakBytes) }},
}

func (s *session) newReport() *report {
	r := &report{heading: s.head, Rounds: s.rounds, Asked: s.o.rounds, Confidence: s.o.confidence,
		Baseline: s.baseline.name,
		Trained:  s.trained, Notes: s.notes, Records: s.records, Verdicts: []verdict{}}
	if r.Trained == nil {
		r.Trained = []trained{}
	}
	r.Others = s.othersShare()
	if r.Others > muchOthers {
		r.Notes = append(r.Notes, fmt.Sprintf("the machine was not quiet: repeat on one where other programs have less than %.0f%% of the "+
			"processors", 100*muchOthers))
	}
	for _, c := range s.chosen {
		r.Contenders = append(r.Contenders, s.contenderRow(c))
	}
	for _, f := range figures {
		r.addMeasure(f)
	}
	r.addCurves()
	r.judgeContenders()
	return r
}

// muchOthers is the share of the processors at which other programs distort all figures.
const muchOthers = 0.1

func (s *session) othersShare() float64 {
	own := s.ownNS
	for _, x := range s.records {
		own += x.CPUNS
	}
	all := s.wallNS * int64(runtime.NumCPU())
	if s.busyNS == 0 || all == 0 {
		return 0
	}
	return min(1, max(0, float64(s.busyNS-own)/float64(all)))
}

func (s *session) contenderRow(c *contender) contenderRow {
	row := contenderRow{Name: c.name, Flags: secrets.MaskOptions(c.flags), LeftOut: c.leftOut}
	for _, r := range s.records {
		switch {
		case r.Contender != c.name:
		case r.Failure != "":
			row.Failed++
		default:
			row.Runs++
			if r.Differs != "" {
				row.Differing++
			}
		}
	}
	return row
}

func (r *report) figureByRound(contender string, of func(*record) float64) []float64 {
	series := make([]float64, r.lastRound())
	for i := range series {
		series[i] = math.NaN()
	}
	for i := range r.Records {
		if x := &r.Records[i]; x.Contender == contender && x.Failure == "" {
			if v := of(x); v > 0 {
				series[x.Round-1] = v
			}
		}
	}
	return series
}

func (r *report) lastRound() (last int) {
	for _, x := range r.Records {
		last = max(last, x.Round)
	}
	return last
}

// addMeasure adds the table of a figure. A row has a ratio only if all runs reached the figure.
func (r *report) addMeasure(f figure) {
	m := measure{Name: f.name, Unit: f.unit}
	base := r.figureByRound(r.Baseline, f.of)
	for _, c := range r.Contenders {
		series := r.figureByRound(c.Name, f.of)
		there := slices.DeleteFunc(slices.Clone(series), math.IsNaN)
		reached := slices.DeleteFunc(slices.Clone(there), isInfinite)
		switch x := (row{Contender: c.Name, Runs: len(there), Median: paired.Median(there)}); {
		case len(there) == 0:
		case isInfinite(x.Median):
			m.Rows = append(m.Rows, row{Contender: x.Contender, Runs: x.Runs, Never: true})
		default:
			x.Least, x.Most = slices.Min(reached), slices.Max(reached)
			x.Low, x.High, x.Confidence = paired.MedianInterval(there, r.Confidence)
			x.High = min(x.High, math.MaxFloat64) // of runs that never reached the figure
			if c.Name != r.Baseline && len(reached) == len(there) && !slices.ContainsFunc(base, isInfinite) {
				x.Ratio = r.compareSeries(series, base)
			}
			m.Rows = append(m.Rows, x)
		}
	}
	if len(m.Rows) > 0 {
		r.Measures = append(r.Measures, m)
	}
}

func isInfinite(v float64) bool { return math.IsInf(v, 0) }

func (r *report) compareSeries(a, b []float64) *ratio {
	p, ok := paired.Compare(a, b, r.Confidence)
	if !ok {
		return nil
	}
	return &ratio{p, "signed rank", verdictOf(p)}
}

func (r *report) failureError() error {
	var failed, differing []string
	for _, c := range r.Contenders {
		if c.Failed > 0 {
			failed = append(failed, fmt.Sprintf("%d of %s", c.Failed, c.Name))
		}
		if c.Differing > 0 {
			differing = append(differing, fmt.Sprintf("%d of %s", c.Differing, c.Name))
		}
	}
	var err error
	if len(failed) > 0 {
		err = fmt.Errorf("runs failed: %s", strings.Join(failed, ", "))
	}
	if len(differing) > 0 {
		err = errors.Join(err,
			fmt.Errorf("runs printed something else than the first one: %s: if their lines differ from run to run, leave "+
				"these out with --ignore REGEXP", strings.Join(differing, ", ")))
	}
	return err
}

type verdict struct {
	Contender string `json:"contender"`
	Against   string `json:"against"`
	Wall      *ratio `json:"wall"`
	CPU       *ratio `json:"cpu,omitempty"`
}

var rivals = [][2]string{
	{"archive", "flag"}, {"archive+flag", "flag"}, {"archive", "aot"}, {"aot+archive", "aot"}, {"archive", "c1"},
}

func (r *report) judgeContenders() {
	var names []string
	for _, c := range r.Contenders {
		if c.Runs > 0 {
			names = append(names, c.Name)
		}
	}
	for _, name := range names {
		if name != r.Baseline {
			r.addVerdict(name, r.Baseline)
		}
	}
	for _, pair := range rivals {
		if slices.Contains(names, pair[0]) && slices.Contains(names, pair[1]) && pair[1] != r.Baseline &&
			pair[0] != r.Baseline {
			r.addVerdict(pair[0], pair[1])
		}
	}
	r.Leaders = r.leadingContenders()
	r.Advice = r.adviceText()
}

func (r *report) addVerdict(name, against string) {
	v := verdict{Contender: name, Against: against, Wall: r.compareFigure(figures[0], name, against),
		CPU: r.compareFigure(figures[1], name, against)}
	if v.Wall != nil {
		r.Verdicts = append(r.Verdicts, v)
	}
}

func (r *report) compareFigure(f figure, a, b string) *ratio {
	return r.compareSeries(r.figureByRound(a, f.of), r.figureByRound(b, f.of))
}

func (r *report) leadingContenders() []string {
	if len(r.Measures) == 0 || len(r.Measures[0].Rows) == 0 {
		return []string{}
	}
	rows := slices.Clone(r.Measures[0].Rows)
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.Median, b.Median) })
	leaders := []string{rows[0].Contender}
	for _, x := range rows[1:] {
		if p := r.compareFigure(figures[0], x.Contender, leaders[0]); p == nil || p.Verdict != verdictMore {
			leaders = append(leaders, x.Contender)
		}
	}
	return leaders
}

// addCurves adds the figures of the units. A curve has as many units as the shortest run.
func (r *report) addCurves() {
	length := r.shortestRun()
	ofCurve := func(name string, of func(warmup.Curve) float64) figure {
		return figure{name, "ns", func(x *record) float64 { return of(x.Units[:min(length, len(x.Units))]) }}
	}
	atPeak := ofCurve("unit at the peak", warmup.Curve.PeakNS)
	peak := paired.Median(slices.DeleteFunc(r.figureByRound(r.Baseline, atPeak.of), math.IsNaN))
	if length < 2 || math.IsNaN(peak) { // units that take no time have no peak
		return
	}
	r.addMeasure(atPeak)
	r.addMeasure(ofCurve("time to 90% of the base line's peak",
		func(c warmup.Curve) float64 { return c.ReachedNS(peak / warmup.NearPeak) }))
	for _, share := range percentiles {
		if float64(length)*(1-share) >= 1 { // otherwise no unit takes longer
			r.addMeasure(ofCurve(fmt.Sprintf("p%g of the units", 100*share),
				func(c warmup.Curve) float64 { return float64(c.Percentile(share)) }))
		}
	}
	r.addMeasure(ofCurve("unit of the last tenth", warmup.Curve.LastNS))
}

var percentiles = []float64{0.5, 0.99, 0.999}

func (r *report) shortestRun() (length int) {
	for _, x := range r.Records {
		if n := len(x.Units); x.Failure == "" && n > 0 && (length == 0 || n < length) {
			length = n
		}
	}
	return length
}
