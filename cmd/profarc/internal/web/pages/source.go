package pages

// Limits of the displayed sources.
const (
	linesOnPage = 1500
	linesAround = 2 // source lines before and after the method
	lineLength  = 400
)

// A sourceTable has source lines with their counts.
type sourceTable struct {
	File     string // empty if unknown
	Short    bool   // the file has fewer lines than the code expects, so it is another version
	WithSelf bool   // lines also have counts without callees
	Lines    []sourceLine
	More     int // number of hidden lines
}

// A sourceLine is a line of source. Unknown counts are empty.
type sourceLine struct {
	ID          string
	At          link // line number
	Self, Count string
	Heat        string
	Text        string
	After       bool     // lines before it are hidden
	Branches    []*point // conditions that begin in the line, with their outcomes

	number int
	count  uint64
}

// shortenLine truncates a text that is longer than lines of code are.
func shortenLine(text string) string {
	if letters := []rune(text); len(letters) > lineLength {
		return string(letters[:lineLength]) + " ..."
	}
	return text
}
