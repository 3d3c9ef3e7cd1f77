package warm

import "slices"

type verdict struct {
	Contender string `json:"contender"`
	Against   string `json:"against"`
	Wall      *ratio `json:"wall"`
	CPU       *ratio `json:"cpu,omitempty"`
}

// rivals lists the pairs to compare in addition to the base line.
var rivals = [][2]string{
	{"archive", "flag"}, {"archive+flag", "flag"}, {"archive", "aot"}, {"aot+archive", "aot"}, {"archive", "c1"},
}

// judgeContenders compares the contenders, and finds the fastest ones.
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

// leadingContenders returns the contender with the least wall time, followed by those not shown to be slower.
func (r *report) leadingContenders() []string {
	if len(r.Measures) == 0 || len(r.Measures[0].Rows) == 0 {
		return []string{}
	}
	rows := slices.Clone(r.Measures[0].Rows)
	slices.SortStableFunc(rows, func(a, b row) int {
		switch {
		case a.Median < b.Median:
			return -1
		case a.Median > b.Median:
			return 1
		}
		return 0
	})
	leaders := []string{rows[0].Contender}
	for _, x := range rows[1:] {
		if p := r.compareFigure(figures[0], x.Contender, leaders[0]); p == nil || p.Verdict != verdictMore {
			leaders = append(leaders, x.Contender)
		}
	}
	return leaders
}
