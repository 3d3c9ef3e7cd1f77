package live

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// A reading that makes no progress is canceled. One that ends is not.
func TestStalledReadingsAreCanceled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	newMeter(ctx, 1<<20).cancelStalled(time.Millisecond, cancel)
	if err := context.Cause(ctx); !errors.Is(err, ErrBudget) || !strings.Contains(err.Error(), "1ms without progress") {
		t.Error(err)
	}
	ended, end := context.WithCancelCause(t.Context())
	end(nil)
	newMeter(ended, 1<<20).cancelStalled(time.Hour, end)
	if err := context.Cause(ended); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Each poll of a reading is progress.
func TestPollsAreProgress(t *testing.T) {
	m := newMeter(t.Context(), 1<<20)
	for range 2 * pollSteps {
		if err := m.countStep(); err != nil {
			t.Fatal(err)
		}
	}
	if n := m.progress.Load(); n < 2 {
		t.Errorf("%d polls", n)
	}
}
