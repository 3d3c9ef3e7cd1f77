package growth

import (
	"context"
	"errors"
	"os"
	"testing"
)

// Sizes and bounds of the tests. Work is bytes allocated and steps counted. It is
// the same on every machine, except for what the runtime allocates meanwhile.
const (
	smallest     = 1000
	smallPrinted = 125     // output of deep contexts grows with the square
	freeWork     = 2 << 20 // work that any operation may do, whatever the size
	mostExponent = 1.15
	mostOfOutput = 8 // work for each byte of the output and of the archive
)

func TestMain(m *testing.M) {
	sharedText = 4 << 20 // enough to see the exponent, and faster
	os.Exit(m.Run())
}

// TestEveryOperationGrowsNearlyLinearly fits the exponent of each operation on
// each shape. Quadratic work has exponent 2.
func TestEveryOperationGrowsNearlyLinearly(t *testing.T) {
	for _, sh := range shapes {
		pairs, printed := pairsOf(t, sh, smallest), pairsOf(t, sh, smallPrinted)
		for _, op := range operations {
			if !op.applies(pairs[0].domain) {
				continue
			}
			if op.prints {
				checkPrinted(t, sh, op, printed)
				continue
			}
			costs := costsOf(t, sh, op, pairs)
			if e := exponent(costs, func(c cost) float64 { return freeWork + c.work() }); e > mostExponent {
				t.Errorf("%s, %s: the work grows with exponent %.2f: %+v", sh.name, op.name, e, costs)
			}
		}
	}
}

// checkPrinted compares the work of an operation that prints with the length of
// its output, which has a limit of its own.
func checkPrinted(t *testing.T, sh shape, op operation, pairs []pair) {
	for _, c := range costsOf(t, sh, op, pairs) {
		if c.work() > freeWork+mostOfOutput*(float64(c.printed)+float64(c.bytes)) {
			t.Errorf("%s, %s: %.0f of work for %d bytes of %d", sh.name, op.name, c.work(), c.printed, c.bytes)
		}
	}
}

// pairsOf returns archives of a shape, of doubling sizes.
func pairsOf(t *testing.T, sh shape, n int) (pairs []pair) {
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

// TestAnInterruptEndsEveryOperation cancels the context of every operation at several points. The operation
// must return the context's error soon: after a few more checks of the context.
func TestAnInterruptEndsEveryOperation(t *testing.T) {
	const points, soon = 6, 40
	for _, sh := range shapes {
		p, err := makePair(sh, 2*smallest)
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range operations {
			if op.prints || !op.applies(p.domain) {
				continue // the writer ends what prints
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
					t.Errorf("%s, %s: canceled at check %d of %d: %v", sh.name, op.name, ctx.most, whole.steps, err)
				}
				if after := ctx.asked.Load() - ctx.most; after > soon {
					t.Errorf("%s, %s: canceled at check %d of %d, and went on for %d more", sh.name, op.name, ctx.most,
						whole.steps, after)
				}
			}
		}
	}
}
