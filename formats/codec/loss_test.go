package codec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLossesAreSortedAndSums(t *testing.T) {
	var l Losses
	l.AddLoss(Loss{What: "names", Count: 1, Line: 7})
	l.Add("counts", 3)
	l.AddLoss(Loss{What: "names", Count: 1, Line: 2})
	l.Add("types", 0)
	l.Add("counts", 2)
	if diff := cmp.Diff(Losses{{What: "counts", Count: 5}, {What: "names", Count: 2, Line: 7}}, l); diff != "" {
		t.Error(diff)
	}
	if l.Count("counts") != 5 || l.Count("names") != 2 || l.Count("types") != 0 {
		t.Errorf("of %v: %d counts, %d names, %d types", l, l.Count("counts"), l.Count("names"), l.Count("types"))
	}
}

// TestLossesNameDifferentThings: the first things of a loss are different ones.
func TestLossesNameDifferentThings(t *testing.T) {
	t.Parallel()
	var l Losses
	for _, first := range [][]string{{"bytes", "bytes"}, {"bytes"}, {"thread"}, {"thread", "goroutine", "host"}} {
		l.AddLoss(Loss{What: "labels", Count: len(first), First: first})
	}
	want := Losses{{What: "labels", Count: 7, First: []string{"bytes", "thread", "goroutine"}}}
	if diff := cmp.Diff(want, l); diff != "" {
		t.Error(diff)
	}
}

func TestNilLossesCountNothing(t *testing.T) {
	var l *Losses
	l.Add("counts", 3)
	l.AddLoss(Loss{What: "counts", Count: 1, Line: 3})
}
