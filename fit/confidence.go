package fit

// DefaultConfidence is how confident one must be of a point that has moved.
const DefaultConfidence = 0.95

// Confidences of pairs: the shares of pairs like them that were right in the
// experiment of program.TestEditsOfRealSources.
const (
	// sure: the operands are the same, and so is most of what is around.
	sure = 0.99
	// likely: a call or type check of the same operands, that stands elsewhere.
	likely = 0.97
	// possible: a branch on the same operands, and other conditions decide whether it
	// is reached. A condition behind another one may hold as often as before, or not.
	possible = 0.8
	// guessed: the same is done with operands that may be others: with a variable
	// that is set to something else, or with another variable. Nothing tells the two
	// apart.
	guessed = 0.5
)

// leastAround is how much of the ways to and from a point must agree.
const leastAround = 1.0

// confidence is how likely it is that a pair is right.
func (l resemblance) confidence() float64 {
	switch {
	case !l.same && !l.relabelled:
		return guessed
	case l.in+l.out >= leastAround:
		return sure
	case l.tests:
		return possible
	}
	return likely
}
