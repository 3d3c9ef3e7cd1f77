package fit

// A Loss is why the counts of a point, or some of them, are not moved to new code.
type Loss string

// The reasons.
const (
	LostUnknown     Loss = "it is not known what was tested or called"
	LostOther       Loss = "nothing in the new code tests, calls or checks the same"
	LostAmbiguous   Loss = "several points of the new code are as much like it"
	LostUnsure      Loss = "it may be another one: less confidence than asked for"
	LostAround      Loss = "a jump with other code around it"
	LostSize        Loss = "the method has too many points to match"
	LostReceivers   Loss = "receivers that the new code cannot meet there"
	LostLabels      Loss = "a switch with other cases, whose values are not known"
	LostPlaces      Loss = "it tells of other places in the old code"
	LostUnencodable Loss = "it lies too far behind for an entry"
)

// A Lost is what was lost for a reason.
type Lost struct {
	Points int     // with counts
	Counts float64 // of these
}

// and adds a point.
func (l Lost) and(counts float64) Lost { return Lost{l.Points + 1, l.Counts + counts} }
