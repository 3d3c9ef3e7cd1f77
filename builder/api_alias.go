package builder

import "github.com/profarc/profarc/layout"

// A Weight is a factor for counts.
type Weight = layout.Weight

// One is the weight that changes nothing.
const One = layout.WeightOne
