package warm

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/cli/paired"
	"github.com/profarc/profarc/internal/system/secrets"
)

// A heading says what was measured, and where.
type heading struct {
	Command []string `json:"command"` // without secrets
	JVM     string   `json:"jvm"`
	System  string   `json:"system"`
	CPUs    int      `json:"cpus"`
	// Profiles are those in the archive; 0 without one.
	Profiles uint64 `json:"profiles"`
}

// A report is all that was measured, and what follows from it.
type report struct {
	heading
	Rounds     int            `json:"rounds"`           // that are complete
	Asked      int            `json:"rounds_asked"`     // for
	Confidence float64        `json:"confidence"`       // asked for
	Baseline   string         `json:"baseline"`         // contender
	Contenders []contenderRow `json:"contenders"`       // in the order of tables
	Trained    []trained      `json:"training"`         // what training runs made
	Measures   []measure      `json:"measures"`         // one table each
	Verdicts   []verdict      `json:"verdicts"`         // of two contenders each
	Leaders    []string       `json:"leaders"`          // least wall time, and those that are not told apart from it
	Advice     string         `json:"advice,omitempty"` // whether to use the archive
	Curves     []namedCurve   `json:"curves"`           // of medians
	// share of the processors that other programs had in the rounds; 0: not known
	Others  float64  `json:"others"`
	Notes   []string `json:"notes,omitempty"` // for people
	Records []record `json:"runs"`
}

// A contenderRow says what became of a contender.
type contenderRow struct {
	Name      string   `json:"name"`
	Flags     []string `json:"flags"`
	Runs      int      `json:"runs"` // in the figures
	Failed    int      `json:"failed"`
	Differing int      `json:"differing"` // runs with another output
	LeftOut   string   `json:"left_out,omitempty"`
}

// A measure is one figure of all contenders.
type measure struct {
	Name string `json:"name"`
	Unit string `json:"unit"` // "ns" or "bytes"
	Rows []row  `json:"rows"`
}

// A row is a figure of a contender.
type row struct {
	Contender string  `json:"contender"`
	Runs      int     `json:"runs"`
	Never     bool    `json:"never,omitempty"` // it was not reached
	Median    float64 `json:"median"`
	Least     float64 `json:"least"`
	Most      float64 `json:"most"`
	Ratio     *ratio  `json:"ratio,omitempty"` // to the base line
}

// A ratio is one of two contenders. Method says how its interval was found.
type ratio struct {
	paired.Ratio
	Method  string `json:"method"` // "signed rank"
	Verdict string `json:"verdict"`
}

// The verdicts of a ratio, of figures that should be small.
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

// A figure is read of a run; 0 is none, and infinity one that the run did not reach.
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

// newReport sums the session up.
func (s *session) newReport() *report {
	r := &report{heading: s.head, Rounds: s.rounds, Asked: s.o.rounds, Confidence: s.o.confidence,
		Baseline: s.baseline.name,
		Trained:  s.trained, Notes: s.notes, Records: s.records, Curves: []namedCurve{}, Verdicts: []verdict{}}
	if r.Trained == nil {
		r.Trained = []trained{}
	}
	r.Others = s.othersShare()
	if r.Others > muchOthers {
		r.addNote(fmt.Sprintf("the machine was not quiet: repeat on one where other programs have less than %.0f%% of the "+
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

// muchOthers is the share of the processors from which on other programs are in all figures.
const muchOthers = 0.1

// othersShare returns the share of the processors that other programs had during the rounds.
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

func (r *report) addNote(text string) { r.Notes = append(r.Notes, text) }

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

// figureByRound returns a figure of a contender by round, NaN where there is none.
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

// addMeasure adds the table of a figure, with rows for those that have it. A ratio is one of rounds that all
// reached it.
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

// compareSeries compares two series round by round, nil if no round has both.
func (r *report) compareSeries(a, b []float64) *ratio {
	p, ok := paired.Compare(a, b, r.Confidence)
	if !ok {
		return nil
	}
	return &ratio{p, "signed rank", verdictOf(p)}
}

// failureError returns the error of a session whose runs did not all do the same.
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
