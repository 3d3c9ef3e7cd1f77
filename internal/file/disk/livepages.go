package disk

// LivePages are the words of an adopted archive at one moment, on some pages of rw. The zero value has no page.
type LivePages struct {
	Start int64              // file offset of rw
	Words map[int64][]uint64 // by the number of the page in rw
}

// Word returns the word at a file offset; ok is false if its page is missing.
func (p LivePages) Word(offset int64) (n uint64, ok bool) {
	at := offset - p.Start
	page := p.Words[at/PageSize]
	if page == nil {
		return 0, false
	}
	return page[at%PageSize/CellSize], true
}
