package ledger

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExpectedInputs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		given, names []string
		number       int
		want         []Input
	}{
		{given: []string{"a/1", "2"}},
		{given: []string{"a/1", "2"}, number: 2},
		{given: []string{"a/1", "2"}, names: []string{"1", "b/2"}},
		{given: []string{"a/1"}, number: 3, want: []Input{{State: Missing, Times: 2}}},
		{given: []string{"a/1"}, names: []string{"1", "b/2"}, want: []Input{{Name: "2", State: Missing, Times: 1}}},
		{given: []string{"a/1"}, names: []string{"1", "2"}, number: 4,
			want: []Input{{Name: "2", State: Missing, Times: 1}, {State: Missing, Times: 2}}},
	} {
		e := Expect(test.given, test.number, test.names)
		if d := cmp.Diff(test.want, e.MissingInputs()); d != "" {
			t.Errorf("%+v: %s", test, d)
		}
		if got := errors.Is(e.Refused(), ErrMissing); got != (test.want != nil) {
			t.Errorf("%+v: %v", test, e.Refused())
		}
	}
}
