package jamaica

import (
	"github.com/profarc/profarc/internal/lost"
)

// What reading a text loses.
const (
	LossLine     lost.Kind = "lines that begin with no keyword"
	LossShare    lost.Kind = "percentages that are not the share that the numbers of the text make, rounded down"
	LossFraction lost.Kind = "fractions of a percent"
	LossWords    lost.Kind = "lines with words that mean nothing, behind the signature or in front of it"
	LossMark     lost.Kind = "marks behind signatures that are not (interpreted), or not at a count"
)

// What writing a text loses.
const (
	LossNeverRan lost.Kind = "methods that never ran"
	LossContext  lost.Kind = "profiles of one calling context, or of one version of the code: written like any other"
	LossCounter  lost.Kind = "profiles with counters of the method as a whole: the text has none"
	LossEntry    lost.Kind = "profile entries that the text has no line for"
	LossName     lost.Kind = "names that cannot be read again: they are empty, or hold blanks, signs or line breaks"
	LossProperty lost.Kind = "properties of the run that the text has no line for"
	LossFlags    lost.Kind = "(interpreted) marks of signatures that are cut short, or of calls"
)

// A Report says what was read or written.
type Report struct {
	Lines   int // that begin with a keyword
	Runs    int // 1 of an archive
	Methods int // with a profile, over all runs
	Entries int // profile entries, over all runs
	Cut     int // signatures that are cut short
	Lost    lost.List
}
