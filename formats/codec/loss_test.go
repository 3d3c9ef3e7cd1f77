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

func TestNilLossesCountNothing(t *testing.T) {
	var l *Losses
	l.Add("counts", 3)
	l.AddLoss(Loss{What: "counts", Count: 1, Line: 3})
}
