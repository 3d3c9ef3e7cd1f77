package reader

import (
	"iter"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/words"
)

// ChangedWords returns the pages with a claimed profile that differ from the pages of before, or from the file where
// before has none. Its cost depends on the number of claimed profiles, not on the size of the archive. The error is
// ErrNotAdopted if the store is not adopted.
func (s *Store) ChangedWords(before disk.LivePages) (now disk.LivePages, err error) {
	a := s.adoption.Load()
	if a == nil {
		return now, ErrNotAdopted
	}
	if err := s.checkOpen(); err != nil {
		return now, err
	}
	now = disk.LivePages{Start: int64(a.start), Words: map[int64][]uint64{}}
	compared := int64(-1)
	return now, s.m.Guard(func() error {
		for slot := range a.states.All(done) {
			first, last := s.pagesOf(a, slot)
			for page := max(first, compared+1); page <= last; page++ {
				if a.differsFrom(before.Words[page], page) {
					now.Words[page] = a.readPage(page)
				}
				compared = page
			}
		}
		return nil
	})
}

// ClaimedOn iterates over the claimed profiles with a word on the pages of w, in the order of the file. If it is called
// after ChangedWords, it finds every profile whose counts are on these pages.
func (s *Store) ClaimedOn(w disk.LivePages) iter.Seq2[Profile, error] {
	return func(yield func(Profile, error) bool) {
		a := s.adoption.Load()
		if a == nil || len(w.Words) == 0 {
			return
		}
		known := int64(-1) // the last page that was looked up
		isOn := false
		for slot := range a.states.All(done) {
			first, last := s.pagesOf(a, slot)
			for page := first; page <= last && (page != known || !isOn); page++ {
				known, isOn = page, w.Words[page] != nil
			}
			if !isOn {
				continue
			}
			p, err := s.ProfileAt(disk.RefOf(int64(a.start) + slot*disk.Unit))
			if err == nil {
				p, err = p.Claim()
			}
			if !yield(p, err) {
				return
			}
		}
	}
}

// pagesOf returns the first and last page of the block at a slot. The file can have changed since the block's check.
func (s *Store) pagesOf(a *adoption, slot int64) (first, last int64) {
	at := slot * disk.Unit
	end := min(at+max(disk.BlockSize(s.data[int64(a.start)+at:]), disk.Unit), int64(len(a.rw)))
	return at / disk.PageSize, (end - 1) / disk.PageSize
}

// differsFrom reports whether a page has other words than were, or than the file if were is nil.
func (a *adoption) differsFrom(were []uint64, page int64) bool {
	from := page * disk.PageSize
	view := words.ViewOf(a.move.Old[from:])
	if were != nil {
		view = words.ViewOf(words.LittleEndianBytes(were))
	}
	size := a.pageSize(page)
	live := a.view.From(uint64(from))
	differs := uint64(0)
	for at := uint64(0); at < size && differs == 0; at += disk.CellSize {
		differs = live.Word(at).Load() ^ view.Uint64(at)
	}
	return differs != 0
}

func (a *adoption) readPage(page int64) []uint64 {
	read := make([]uint64, a.pageSize(page)/disk.CellSize)
	for i := range read {
		read[i] = a.view.Word(uint64(page*disk.PageSize + int64(i)*disk.CellSize)).Load()
	}
	return read
}

func (a *adoption) pageSize(page int64) uint64 {
	return uint64(min(disk.PageSize, int64(len(a.rw))-page*disk.PageSize))
}
