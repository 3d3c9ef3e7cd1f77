package live

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/profarc/profarc/internal/system/compartment"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
)

// A smaller process holds a part of the memory that it has.
type smaller struct {
	*process
	part int64
}

func (s smaller) heldBytes() int64 { return s.process.heldBytes() / s.part }

// What a real JVM needs is far from its budgets.
func TestBudgetsAreWide(t *testing.T) {
	full.Only(t, "starts JVMs")
	testjvm.EachInLongForm(t, func(t *testing.T, home string) {
		const part = 4
		p, err := openProcess(compiling(t, home, profiling).pid())
		if err != nil {
			t.Fatal(err)
		}
		vm, err := attachTarget(context.Background(), smaller{p, part})
		if err != nil {
			t.Fatal(err)
		}
		if _, r, err := vm.Dump(context.Background(), Options{Stop: true}); err != nil || r.Methods < 100 {
			t.Error(err)
		}
		if err := vm.Methods(context.Background(), func(MethodCode) error { return nil }); err != nil {
			t.Error(err)
		}
	})
}

// Every budget ends the reading with an error that names it, and nothing that
// could be left out is left out for it.
func TestBudgetErrors(t *testing.T) {
	i := newImage(syntheticBase, synthetic())
	for _, c := range []struct {
		budget Budget
		spend  func(m *meter)
	}{
		{BudgetRead, func(m *meter) { m.read.left = pageSize }},
		{BudgetNames, func(m *meter) { m.names.left = 20 }},
		{BudgetSteps, func(m *meter) { m.steps.left = 100 }},
		{BudgetStructures, func(m *meter) { m.held = 300 - mappedFileBytes }},
	} {
		vm, err := attachTarget(context.Background(), i)
		if err != nil {
			t.Fatal(err)
		}
		m := newMeter(context.Background(), i.heldBytes())
		c.spend(m)
		b := &build{vm: vm, meter: m, report: &Report{}}
		err = b.readDump(Options{})
		var e *BudgetError
		if !errors.Is(err, ErrBudget) || !errors.As(err, &e) || e.Budget != c.budget {
			t.Errorf("%s: %v", c.budget, err)
		}
	}
}

// broken is memory whose reader has a defect.
type broken struct{ *image }

func (broken) readAt(b []byte, _ uint64) error {
	b[len(b)] = 0
	return nil
}

// A defect of the reader is an error that says so, with its place.
func TestDefectIsAnError(t *testing.T) {
	whole := newImage(syntheticBase, synthetic())
	_, attached := attachTarget(context.Background(), broken{whole})
	vm, err := attachTarget(context.Background(), whole)
	if err != nil {
		t.Fatal(err)
	}
	vm.p = broken{whole}
	_, _, dumped := vm.Dump(context.Background(), Options{})
	listed := vm.Methods(context.Background(), func(MethodCode) error { return nil })
	for how, err := range map[string]error{"attach": attached, "dump": dumped, "methods": listed} {
		t.Run(how, func(t *testing.T) {
			var d *compartment.Defect
			if !errors.As(err, &d) || !strings.HasPrefix(d.Place, "budget_linux_test.go:") ||
				!strings.Contains(err.Error(), "of a JVM (") {
				t.Errorf("%s: %v", how, err)
			}
		})
	}
}

// stuck is memory whose reads never return.
type stuck struct {
	*image
	asked chan struct{}
	end   chan struct{}
}

func (s stuck) readAt([]byte, uint64) error {
	s.asked <- struct{}{}
	<-s.end
	return errFault
}

// A read may block, for instance of a page that its process serves itself. It does not
// delay a caller whose context has ended.
func TestBlockedRead(t *testing.T) {
	s := stuck{newImage(syntheticBase, synthetic()), make(chan struct{}), make(chan struct{})}
	defer close(s.end)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-s.asked
		cancel()
	}()
	if _, err := attachTarget(ctx, s); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	late, stop := context.WithDeadlineCause(context.Background(), time.Now(), &BudgetError{Budget: BudgetTime, Limit: 1})
	defer stop()
	if _, err := attachTarget(late, s.image); !errors.Is(err, ErrBudget) {
		t.Error(err)
	}
}
