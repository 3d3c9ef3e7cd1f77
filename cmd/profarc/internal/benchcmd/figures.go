package benchcmd

import "slices"

// samples are times in nanoseconds, or ratios of times, one per round.
type samples []float64

// quantile returns the value below which a share of the samples falls, or 0 without samples.
func (s samples) quantile(share float64) float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}

// parts is the number of parts of a run whose medians show how steady it was.
const parts = 9

// quartiles returns the median of all samples, and the quartiles of the medians of parts of the run. They show how far
// chance and a changing machine move the median.
func (s samples) quartiles() ratio {
	of := s
	if len(s) >= 3*parts {
		of = nil
		for i := range parts {
			of = append(of, s[i*len(s)/parts:(i+1)*len(s)/parts].quantile(0.5))
		}
	}
	return ratio{s.quantile(0.5), of.quantile(0.25), of.quantile(0.75)}
}

// A figure summarizes the times of one contender. The percentiles describe groups of lookups.
type figure struct {
	MedianNS float64 `json:"median_ns"`
	Q1NS     float64 `json:"q1_ns"`
	Q3NS     float64 `json:"q3_ns"`
	P99NS    float64 `json:"p99_ns,omitempty"`
	P999NS   float64 `json:"p999_ns,omitempty"`
}

// A ratio divides the archive's time by the map's, over the rounds.
type ratio struct {
	Median float64 `json:"median"`
	Q1     float64 `json:"q1"`
	Q3     float64 `json:"q3"`
}

type row struct {
	Name       string  `json:"name"`
	Goroutines int     `json:"goroutines,omitempty"`
	Rounds     int     `json:"rounds"`
	Archive    figure  `json:"archive"`
	Map        *figure `json:"map,omitempty"`
	Ratio      *ratio  `json:"ratio,omitempty"`
	Histogram  []bin   `json:"histogram,omitempty"`
}

type series struct {
	rounds, groups samples
}

func (s *series) addRound(ns float64) { s.rounds = append(s.rounds, ns) }

func (s *series) summary() figure {
	r := s.rounds.quartiles()
	return figure{r.Median, r.Q1, r.Q3, s.groups.quantile(0.99), s.groups.quantile(0.999)}
}

// addRow adds a row, unless archive has no rounds. peer may be nil.
func (r *report) addRow(name string, goroutines int, archive, peer *series) {
	if len(archive.rounds) == 0 {
		return
	}
	x := row{Name: name, Goroutines: goroutines, Rounds: len(archive.rounds), Archive: archive.summary()}
	if peer != nil {
		other := peer.summary()
		x.Map, x.Ratio, x.Histogram = &other, ratioToMap(archive.rounds, peer.rounds), histogram(archive.groups, peer.groups)
	}
	r.Rows = append(r.Rows, x)
}

func ratioToMap(archive, peer samples) *ratio {
	var s samples
	for i := range min(len(archive), len(peer)) {
		if peer[i] > 0 {
			s = append(s, archive[i]/peer[i])
		}
	}
	r := s.quartiles()
	return &r
}
