package builder_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
)

// ending is a context that ends when it was asked a number of times.
type ending struct {
	context.Context
	left atomic.Int64
}

func (c *ending) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestAnInterruptEndsACommit ends the context of a commit at every question
// whether to go on, while it sorts, plans and writes: nothing is left behind.
func TestAnInterruptEndsACommit(t *testing.T) {
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	for i := range 40_000 {
		p := b.Profile(b.Method(layout.Key{Class: "C" + strconv.Itoa(i/9), Name: "m" + strconv.Itoa(i%9), Signature: "()V"}), 0, builder.NoContext)
		p.Invocations(uint64(i))
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	commit := func(questions int64) (asked int64, err error) {
		folder := t.TempDir()
		ctx := &ending{Context: t.Context()}
		ctx.left.Store(questions)
		_, err = b.Commit(ctx, filepath.Join(folder, "a.parc"))
		if left, dirErr := os.ReadDir(folder); err != nil && (dirErr != nil || len(left) > 0) {
			t.Errorf("%d files are left, %v", len(left), dirErr)
		}
		return questions - ctx.left.Load(), err
	}
	all, err := commit(1 << 40)
	if err != nil || all < 15 {
		t.Fatalf("%d questions, %v", all, err)
	}
	for questions := range all - 4 { // goroutines need not ask equally often each time
		if _, err := commit(questions); !errors.Is(err, context.Canceled) {
			t.Errorf("ended at question %d of %d: %v", questions, all, err)
		}
	}
}
