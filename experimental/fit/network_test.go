package fit

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Flows that are hidden are found again, if the others leave no choice; and none is found
// that may be another.
func TestHiddenFlowsFollow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := newNetwork(rapid.IntRange(1, 8).Draw(t, "nodes"))
		var truth []float64
		node := rapid.IntRange(0, n.nodes-1)
		for range rapid.IntRange(1, 8).Draw(t, "walks") { // each conserves flow
			from, times := node.Draw(t, "from"), float64(rapid.IntRange(1, 1000).Draw(t, "times"))
			at := from
			for range rapid.IntRange(0, 5).Draw(t, "steps") {
				to := node.Draw(t, "to")
				n.addLink(at, to)
				truth, at = append(truth, times), to
			}
			n.addLink(at, from)
			truth = append(truth, times)
		}
		hidden := 0
		for e := range n.edges {
			if rapid.Bool().Draw(t, "known") {
				n.setFlow(e, truth[e])
			} else {
				hidden++
			}
		}
		found := 0
		n.deriveFlows(func(e int) {
			found++
			if math.Abs(n.flow[e]-truth[e]) > 1e-6 {
				t.Fatalf("edge %d has %v, not %v", e, n.flow[e], truth[e])
			}
		})
		if hidden == 1 && found == 0 {
			for e, l := range n.edges {
				if !n.known[e] && l.from != l.to {
					t.Fatal("the only flow that was hidden is not found")
				}
			}
		}
	})
}
