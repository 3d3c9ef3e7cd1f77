package live

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/profarc/profarc/internal/system/compartment"
)

// The memory of a process may be forged: a list may lead anywhere, and the same bytes may appear as any number of
// structures. But the structures of a real JVM do not overlap, so in total they are no larger than the memory that
// the process holds. Every budget is a multiple of the memory size.

// A Budget is a resource that reading a process consumes.
type Budget string

// The budgets of one reading.
const (
	BudgetRead       Budget = "bytes of memory"     // copied from the process
	BudgetStructures Budget = "bytes of structures" // VM structures reached through lists, each counted once
	BudgetNames      Budget = "bytes of names"      // names of methods and classes, counted at each use
	BudgetSteps      Budget = "steps"               // number of reads
	BudgetTime       Budget = "nanoseconds"
)

// A BudgetError reports that reading a process took more than a JVM of its size can need. It matches ErrBudget.
type BudgetError struct {
	Budget Budget
	Limit  int64 // unit: see Budget
	Held   int64 // bytes of memory that the process holds
}

func (e *BudgetError) Error() string {
	limit := fmt.Sprintf("%d %s", e.Limit, e.Budget)
	if e.Budget == BudgetTime {
		limit = time.Duration(e.Limit).String()
	}
	return fmt.Sprintf("reading it takes more than %s, and it holds no more than %d bytes of memory: %v", limit,
		e.Held, ErrBudget)
}

func (e *BudgetError) Is(target error) bool { return target == ErrBudget }

// ErrBudget is matched by every BudgetError.
var ErrBudget = errors.New("no JVM of its size needs as much")

const (
	// mappedFileBytes allows for mapped pages that the process has not touched yet, as of the JDK's own archive.
	mappedFileBytes = 16 << 20
	// maxHeld limits the memory size on which budgets are based. No VM has more profiles.
	maxHeld = 4 << 30
	// A page is read with its neighbors up to three times: while the process runs, while it is held, for names.
	readFactor  = 6
	namesFactor = 4
	stepBytes   = 8 // structures have at least one pointer per step
	// timeBase and timeSpeed limit the time, since a read may block, as for pages on a slow disk.
	timeBase  = 20 * time.Second
	timeSpeed = 64 << 20 // bytes per second
)

// A meter counts the resources of one reading. Every loop over the process's memory uses it.
type meter struct {
	ctx                context.Context
	held               int64
	read, names, steps allowance
	// end is the reason why all reading must stop: the end of the context or of a budget.
	end error
}

func newMeter(ctx context.Context, held int64) *meter {
	m := &meter{ctx: ctx, held: held}
	m.read = m.newAllowance(BudgetRead, readFactor*m.memoryBasis())
	m.names = m.newAllowance(BudgetNames, namesFactor*m.memoryBasis())
	m.steps = m.newAllowance(BudgetSteps, m.memoryBasis()/stepBytes)
	return m
}

// memoryBasis returns the maximum number of bytes of structures in the process.
func (m *meter) memoryBasis() int64 { return min(m.held, maxHeld) + mappedFileBytes }

func (m *meter) structureBudget() *allowance {
	a := m.newAllowance(BudgetStructures, m.memoryBasis())
	return &a
}

func (m *meter) newAllowance(b Budget, limit int64) allowance { return allowance{m, b, limit, limit} }

type allowance struct {
	meter       *meter
	budget      Budget
	limit, left int64
}

// Bytes that the reader keeps in addition to the structures. They count as well, so that a huge number of small
// structures cannot take much memory.
const (
	spanBytes = 32 // address and size of a structure
	keptBytes = 96 // data of a class, a class loader or a method with a profile
)

// spendUnits consumes n units. It fails once reading has ended for any reason.
func (a *allowance) spendUnits(n int) error {
	if a.left -= int64(n); a.meter.end == nil && (a.left < 0 || n < 0) {
		a.meter.end = &BudgetError{a.budget, a.limit, a.meter.held}
	}
	return a.meter.end
}

// pollSteps is the number of steps between checks of the context.
const pollSteps = 256

func (m *meter) countStep() error {
	if m.steps.left%pollSteps == 0 && m.end == nil && m.ctx.Err() != nil {
		m.end = context.Cause(m.ctx)
	}
	return m.steps.spendUnits(1)
}

// readLimited calls read with a meter for a process, in a compartment and with a time limit. doing is for errors.
func readLimited[T any](ctx context.Context, p target, doing func() string, read func(m *meter) (T, error)) (T, error) {
	held := p.heldBytes()
	limit := timeBase + time.Duration(min(held, maxHeld)/timeSpeed)*time.Second
	ctx, cancel := context.WithTimeoutCause(ctx, limit, &BudgetError{BudgetTime, int64(limit), held})
	defer cancel()
	return compartment.RunUntil(ctx, doing, func() (T, error) { return read(newMeter(ctx, held)) })
}
