package live

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// What a process says of itself may be forged: a list may lead anywhere, and the
// same bytes may be offered as any number of structures. But the structures of a
// JVM do not overlap, so that all of them together are no larger than the memory
// that the process holds. Every budget is a multiple of that.

// A Budget is what reading a process may use up only so much of.
type Budget string

// The budgets of each time that a process is read.
const (
	BudgetRead       Budget = "bytes of memory"     // copied out of the process
	BudgetStructures Budget = "bytes of structures" // that lists lead to, once each
	BudgetNames      Budget = "bytes of names"      // of methods and classes, as often as they are used
	BudgetSteps      Budget = "steps"               // pieces of memory that are looked at
	BudgetTime       Budget = "nanoseconds"
)

// A BudgetError says that a process asked for more than a JVM can need that
// holds as much memory. It matches ErrBudget.
type BudgetError struct {
	Budget Budget
	Limit  int64 // in the unit that Budget names
	Held   int64 // bytes of memory that the process holds
}

func (e *BudgetError) Error() string {
	limit := fmt.Sprintf("%d %s", e.Limit, e.Budget)
	if e.Budget == BudgetTime {
		limit = time.Duration(e.Limit).String()
	}
	return fmt.Sprintf("reading it takes more than %s, and it holds no more than %d bytes of memory: %v", limit, e.Held, ErrBudget)
}

func (e *BudgetError) Is(target error) bool { return target == ErrBudget }

// ErrBudget: see BudgetError.
var ErrBudget = errors.New("no JVM of its size needs as much")

const (
	// unseen is what a process may have mapped from files and not touched yet:
	// classes of the JDK's own archive.
	unseen = 16 << 20
	// maxHeld bounds what counts of a process with more memory than any VM has
	// profiles.
	maxHeld = 4 << 30
	// A page is read up to three times: while the process runs, while it is held,
	// and for names; each time with its neighbours.
	readFactor  = 6
	namesFactor = 4
	stepBytes   = 8 // of structures that a step must lead to: a pointer
	// timeBase and timeSpeed bound the time of a read that blocks, as the
	// process's pages may be on a slow disk or nowhere.
	timeBase  = 20 * time.Second
	timeSpeed = 64 << 20 // bytes a second
)

// A meter counts what one reading of a process uses up. It is the one place that
// every loop over the process's memory passes.
type meter struct {
	ctx                context.Context
	held               int64
	read, names, steps allowance
	// end is why reading must stop: the end of the context, or of a budget. What
	// is only left out, as a method without a name, must not be left out for that.
	end error
}

// newMeter returns the budgets for a process that holds that many bytes.
func newMeter(ctx context.Context, held int64) *meter {
	m := &meter{ctx: ctx, held: held}
	m.read = m.allow(BudgetRead, readFactor*m.basis())
	m.names = m.allow(BudgetNames, namesFactor*m.basis())
	m.steps = m.allow(BudgetSteps, m.basis()/stepBytes)
	return m
}

// basis returns the number of bytes that structures of the process may lie in.
func (m *meter) basis() int64 { return min(m.held, maxHeld) + unseen }

// structures returns the budget of one walk.
func (m *meter) structures() *allowance {
	a := m.allow(BudgetStructures, m.basis())
	return &a
}

func (m *meter) allow(b Budget, limit int64) allowance { return allowance{m, b, limit, limit} }

// An allowance is what is left of a budget.
type allowance struct {
	m           *meter
	budget      Budget
	limit, left int64
}

// What the reader keeps beside the bytes counts as well, so that structures of few
// bytes are no way to much memory.
const (
	spanBytes = 32 // where a structure lies
	keptBytes = 96 // what is known of a class, a class loader or a method with a profile
)

// spend uses up a part. Once anything has ended the reading, it fails.
func (a *allowance) spend(n int) error {
	if a.left -= int64(n); a.m.end == nil && (a.left < 0 || n < 0) {
		a.m.end = &BudgetError{a.budget, a.limit, a.m.held}
	}
	return a.m.end
}

// pollSteps is after how many steps the context is asked.
const pollSteps = 256

// countStep counts a step.
func (m *meter) countStep() error {
	if m.steps.left%pollSteps == 0 && m.end == nil && m.ctx.Err() != nil {
		m.end = context.Cause(m.ctx)
	}
	return m.steps.spend(1)
}

// timed limits the time of reading a process that holds that many bytes.
func timed(ctx context.Context, held int64) (context.Context, context.CancelFunc) {
	limit := timeBase + time.Duration(min(held, maxHeld)/timeSpeed)*time.Second
	return context.WithTimeoutCause(ctx, limit, &BudgetError{BudgetTime, int64(limit), held})
}
