package llvm

import "github.com/profarc/profarc/layout"

// A Loss is something that did not get from one side to the other.
type Loss string

// Dropped begins a Loss of whole functions; the reason follows.
const Dropped = "functions dropped because "

// What reading a file loses.
const (
	LossUnnamed Loss = Dropped + "the file does not have their name"
	LossMemProf Loss = "sections of memory profiles (memprof): an archive keeps counts and values"
	LossUniform Loss = "uniform counters of a GPU"
)

// A Lost is how often something was lost.
type Lost struct {
	What  Loss
	Count int
}

// A Report says what was read.
type Report struct {
	Kind    Kind
	Version int // of the file, 0 of text
	// Params are the settings of the file, united with those of what the
	// builder had before.
	Params    layout.Params
	Modules   int // raw: programs and libraries; else 1
	Functions int // records: a name with a FuncHash
	Entries   int // profile entries
	Traces    int // temporal traces
	Lost      []Lost

	known known
}

// lose counts n losses.
func (r *Report) lose(what Loss, n int) {
	for i := range r.Lost {
		if r.Lost[i].What == what {
			r.Lost[i].Count += n
			return
		}
	}
	r.Lost = append(r.Lost, Lost{what, n})
}

// Losses is how often something of that kind was lost.
func (r *Report) Losses(what Loss) int {
	for _, l := range r.Lost {
		if l.What == what {
			return l.Count
		}
	}
	return 0
}
