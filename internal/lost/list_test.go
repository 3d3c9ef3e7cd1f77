package lost

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestListIsSortedAndSums(t *testing.T) {
	var l List
	l.At("names", 7)
	l.Add("counts", 3)
	l.At("names", 2)
	l.Add("types", 0)
	l.Add("counts", 2)
	if diff := cmp.Diff(List{{"counts", 5, 0}, {"names", 2, 7}}, l); diff != "" {
		t.Error(diff)
	}
	if l.Of("counts") != 5 || l.Of("names") != 2 || l.Of("types") != 0 {
		t.Errorf("of %v: %d counts, %d names, %d types", l, l.Of("counts"), l.Of("names"), l.Of("types"))
	}
}

func TestNilListCountsNothing(t *testing.T) {
	var l *List
	l.Add("counts", 3)
	l.At("counts", 3)
}
