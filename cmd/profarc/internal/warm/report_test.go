package warm

import (
	"runtime"
	"strings"
	"testing"

	"github.com/profarc/profarc/cmd/profarc/internal/warm/warmup"
)

// sessionOf makes a session whose contenders took so many milliseconds each round.
func sessionOf(times map[string][]float64, names ...string) *session {
	s := &session{o: &options{confidence: 0.95}}
	for _, name := range names {
		c := &contender{name: name}
		s.chosen = append(s.chosen, c)
		for round, ms := range times[name] {
			s.records = append(s.records, record{Round: round + 1, Contender: name,
				Run: warmup.Run{WallNS: int64(ms * 1e6), CPUNS: int64(2e6 * ms)}})
			s.rounds = max(s.rounds, round+1)
		}
	}
	s.o.rounds, s.baseline = s.rounds, s.chosen[0]
	return s
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	base := []float64{100, 140, 90, 130, 110, 120, 180, 100}
	scaled := func(by float64) (x []float64) {
		for i, v := range base {
			x = append(x, v*(by+0.001*float64(i)))
		}
		return x
	}
	r := sessionOf(map[string][]float64{"appcds": base, "flag": scaled(0.9), "archive": scaled(0.8),
		"same": {101, 139, 91, 129, 111, 119, 181, 99}, "slow": scaled(1.2)},
		"appcds", "flag", "archive", "same", "slow").newReport()
	verdicts := map[string]string{}
	for _, v := range r.Verdicts {
		verdicts[v.Contender+" "+v.Against] = v.Wall.Verdict
	}
	for pair, want := range map[string]string{"flag appcds": verdictLess, "archive appcds": verdictLess,
		"same appcds": verdictSame, "slow appcds": verdictMore, "archive flag": verdictLess} {
		t.Run(pair, func(t *testing.T) {
			if verdicts[pair] != want {
				t.Errorf("%s: %s, want %s", pair, verdicts[pair], want)
			}
		})
	}
	if len(r.Verdicts) != 5 || strings.Join(r.Leaders, " ") != "archive" {
		t.Errorf("%d verdicts, leaders %v", len(r.Verdicts), r.Leaders)
	}
	if text := r.Verdicts[1].Text(); !strings.HasPrefix(text,
		"archive against appcds: faster, 0.80 of the wall time, 0.80 to 0.81 with 96.1% confidence, p = 0.0078; 0.80 of "+
			"the processor time") {
		t.Error(text)
	}
}

// TestAdvice checks that the archive is advised only where it is shown to be faster than
// whatever does without it.
func TestAdvice(t *testing.T) {
	t.Parallel()
	scaled := func(by float64) (x []float64) {
		for i, v := range []float64{100, 140, 90, 130, 110, 120, 180, 100} {
			x = append(x, v*(by+0.001*float64(i)))
		}
		return x
	}
	same := []float64{81, 109, 74, 101, 91, 93, 147, 78}
	for _, c := range []struct {
		c1   []float64
		want string
	}{
		{scaled(0.7), "do without the archive: archive takes 1.14 of the wall time with c1; runs that are longer, "},
		{scaled(0.9), "use archive: 0.89 of the wall time with c1, "},
		{same, "do without the archive, or measure more rounds: archive is not shown to be faster than c1; "},
		{nil, "use archive: 0.80 of the wall time with appcds, "},
	} {
		times, names := map[string][]float64{"appcds": scaled(1), "archive": scaled(0.8)}, []string{"appcds", "archive"}
		if c.c1 != nil {
			times["c1"], names = c.c1, append(names, "c1")
		}
		if got := sessionOf(times, names...).newReport().Advice; !strings.HasPrefix(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	for _, names := range [][]string{{"appcds", "c1"}, {"archive"}} {
		if got := sessionOf(map[string][]float64{"appcds": same, "c1": same, "archive": same},
			names...).newReport().Advice; got != "" {
			t.Errorf("%v: %q", names, got)
		}
	}
	if got := sessionOf(map[string][]float64{"appcds": {1, 2}, "archive": {1, 1}}, "appcds",
		"archive").newReport().Advice; got != "" {
		t.Errorf("two rounds say %q", got)
	}
}

// TestRatiosAreOfTheSameRound checks that a failed run takes its partner of the round out of the
// ratio, and no other.
func TestRatiosAreOfTheSameRound(t *testing.T) {
	t.Parallel()
	s := sessionOf(map[string][]float64{"plain": {100, 200, 400, 800, 1600, 3200, 6400},
		"half": {50, 100, 200, 400, 800, 1600, 3200}}, "plain", "half")
	s.records[2].Failure = "it failed"
	r := s.newReport()
	x := r.Measures[0].Rows[1]
	if x.Ratio.Pairs != 6 || x.Ratio.Low < 0.4999 || x.Ratio.High > 0.5001 || x.Runs != 7 ||
		r.Measures[0].Rows[0].Runs != 6 {
		t.Errorf("%+v, %+v", x, x.Ratio)
	}
	if len(r.Leaders) != 1 || r.Leaders[0] != "half" {
		t.Errorf("leaders %v", r.Leaders)
	}
}

// TestOtherPrograms checks that what the machine did besides is told: of processors that have
// 10 s together, the runs took 4 s, and profarc itself 1 s.
func TestOtherPrograms(t *testing.T) {
	t.Parallel()
	s := sessionOf(map[string][]float64{"plain": {1000, 1000}}, "plain")
	s.wallNS, s.ownNS = 10e9/int64(runtime.NumCPU()), 1e9
	for busy, want := range map[int64]float64{5e9: 0, 7e9: 0.2, 20e9: 1, 0: 0, 3e9: 0} {
		s.busyNS = busy
		r := s.newReport()
		if d := r.Others - want; d < -1e-6 || d > 1e-6 || (len(r.Notes) > 0) != (want > 0) {
			t.Errorf("busy for %d ns: others %v, want %v; notes %q", busy, r.Others, want, r.Notes)
		}
	}
}
