package main

import (
	"context"
	"errors"
	"os"
	"testing"
)

// Sizes and bounds of the tests. Work is bytes allocated and steps counted: the
// same on every machine, but for what the runtime does beside.
const (
	smallest     = 1000
	smallPrinted = 125     // prints of deep contexts grow with the square
	freeWork     = 2 << 20 // what any operation may cost, whatever the size
	mostExponent = 1.15
	mostOfOutput = 8 // times as much work as is printed, and the archive is long
)

func TestMain(m *testing.M) {
	sharedText = 4 << 20 // enough to tell, and less to wait for
	os.Exit(m.Run())
}

// TestEveryOperationGrowsNearlyLinearly: a shape that one operation takes twice as
// much as twice as long for would show as an exponent of 2.
func TestEveryOperationGrowsNearlyLinearly(t *testing.T) {
	for _, sh := range shapes {
		pairs, printed := grown(t, sh, smallest), grown(t, sh, smallPrinted)
		for _, op := range operations {
			if op.prints {
				checkPrinted(t, sh, op, printed)
				continue
			}
			if !op.applies(pairs[0].domain) {
				continue
			}
			costs := costsOf(t, sh, op, pairs)
			if e := exponent(costs, func(c cost) float64 { return freeWork + c.work() }); e > mostExponent {
				t.Errorf("%s, %s: the work grows with exponent %.2f: %+v", sh.name, op.name, e, costs)
			}
		}
	}
}

// checkPrinted holds the work of what prints against what it prints: that is
// bounded by a limit of its own.
func checkPrinted(t *testing.T, sh shape, op operation, pairs []pair) {
	for _, c := range costsOf(t, sh, op, pairs) {
		if c.work() > freeWork+mostOfOutput*(float64(c.printed)+float64(c.bytes)) {
			t.Errorf("%s, %s: %.0f of work for %d bytes of %d", sh.name, op.name, c.work(), c.printed, c.bytes)
		}
	}
}

// grown are archives of a shape, of doubling sizes.
func grown(t *testing.T, sh shape, n int) (pairs []pair) {
	t.Helper()
	for i := range doublings + 1 {
		p, err := makePair(sh, n<<i)
		if err != nil {
			t.Fatalf("%s: %v", sh.name, err)
		}
		pairs = append(pairs, p)
	}
	return pairs
}

func costsOf(t *testing.T, sh shape, op operation, pairs []pair) (costs []cost) {
	t.Helper()
	for _, p := range pairs {
		c, err := p.run(op)
		if err != nil {
			t.Fatalf("%s, %s: %v", sh.name, op.name, err)
		}
		costs = append(costs, c)
	}
	return costs
}

// TestAnInterruptEndsEveryOperation ends the context of every operation at many
// points of its way: it must end with the context's error, and soon, which is
// after a few more questions whether to go on.
func TestAnInterruptEndsEveryOperation(t *testing.T) {
	const points, soon = 6, 40
	for _, sh := range shapes {
		p, err := makePair(sh, 2*smallest)
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range operations {
			if op.prints || !op.applies(p.domain) {
				continue // what prints is ended by its writer
			}
			whole, err := p.run(op)
			if err != nil {
				t.Fatal(err)
			}
			for i := range min(points, whole.steps) {
				s, err := open(p.one)
				if err != nil {
					t.Fatal(err)
				}
				other, err := open(p.other)
				if err != nil {
					t.Fatal(err)
				}
				ctx := &counting{Context: context.Background(), most: 1 + i*whole.steps/points}
				if err := op.run(ctx, s, other, nil); !errors.Is(err, context.Canceled) {
					t.Errorf("%s, %s: ended at question %d of %d: %v", sh.name, op.name, ctx.most, whole.steps, err)
				}
				if after := ctx.asked.Load() - ctx.most; after > soon {
					t.Errorf("%s, %s: ended at question %d of %d, and went on for %d more", sh.name, op.name, ctx.most, whole.steps, after)
				}
			}
		}
	}
}
