package fit

// A Loss is why counts of a profile point are not moved to new code.
type Loss string

// The reasons.
const (
	LostUnknown     Loss = "it is not known what was tested or called"
	LostOther       Loss = "nothing in the new code tests, calls or checks the same"
	LostAmbiguous   Loss = "several points of the new code resemble it equally"
	LostUnsure      Loss = "the confidence of its match is below the limit"
	LostAround      Loss = "a jump whose surrounding code has changed"
	LostSize        Loss = "the method has too many profile points to match"
	LostReceivers   Loss = "receiver types that the new code cannot have there"
	LostLabels      Loss = "a switch whose cases differ, and whose values are unknown"
	LostPlaces      Loss = "an entry that refers to other bytecodes of the old code"
	LostUnencodable Loss = "its bytecode index is too high for an entry"
)

// A Lost counts what was lost for one reason.
type Lost struct {
	Points int     // those with counts
	Counts float64 // sum of their counts
}

// and adds a point.
func (l Lost) and(counts float64) Lost { return Lost{l.Points + 1, l.Counts + counts} }
