package builder

// A Run is one training run of which profiles are given.
type Run struct {
	// Weight is what its counts are multiplied by, 0 for 1.
	Weight Weight
	// AsLLVM merges as llvm-profdata does where it differs: a value that the
	// builder has not seen at a site is taken without the weight.
	AsLLVM bool
}

// A Weight is a factor, held exactly in billionths.
type Weight uint64

// One is the weight that changes nothing.
const One Weight = 1e9

// NextRun says that what is given from here on is of another run: a profile
// that the builder has of the runs before is merged with the new one, where
// one run that gives it twice is refused with ErrDuplicate.
func (b *Builder) NextRun(r Run) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.run = r
}
