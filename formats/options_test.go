package formats

import (
	"errors"
	"testing"

	"github.com/profarc/profarc/formats/codec"
)

func TestCheckOptions(t *testing.T) {
	t.Parallel()
	bad := errors.New("use 1 to 3")
	n := 4
	limited := codec.NewOption("n", &n, "")
	limited.Check = func() error {
		if n > 3 {
			return bad
		}
		return nil
	}
	options := []codec.Option{codec.NewOption("on", new(bool), ""), limited}
	err := checkOptions(options)
	if !errors.Is(err, bad) || err.Error() != "n 4: use 1 to 3" {
		t.Errorf("of 4: %v", err)
	}
	n = 3
	if err := checkOptions(options); err != nil {
		t.Errorf("of 3: %v", err)
	}
}
