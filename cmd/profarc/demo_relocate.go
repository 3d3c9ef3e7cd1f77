package main

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// errOtherAnswers cannot be seen unless relocation is wrong.
var errOtherAnswers = errors.New("the relocated profiles give other answers than the file: report this, with the output of profarc --version")

// demoRelocate maps the archive once more while its base is taken, claims every
// profile there, and compares all answers with those of the file.
func demoRelocate(a *app.App, first *reader.Store) error {
	s, err := reader.Open(first.Mapping().Name(), archive.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	all, err := allProfiles(s)
	if err != nil {
		return err
	}
	want, err := answersOf(s, all)
	if err != nil {
		return err
	}
	begin := time.Now()
	if err := s.Adopt(reader.AdoptOptions{Base: archive.Requested}); err != nil {
		return err
	}
	adopted := time.Since(begin)
	begin = time.Now()
	for i := range all {
		if all[i], err = all[i].Adopt(); err != nil {
			return err
		}
	}
	claimed := time.Since(begin)
	state, _ := s.Adoption()
	step(a, "again", "a second adoption finds that base taken, and lies at 0x%x: %s", state.Base, app.FormatDuration(adopted))
	step(a, "", "%d profiles claimed, %d pointers relocated: %s", state.Claimed, state.Relocated, app.FormatDuration(claimed))
	got, err := answersOf(s, all)
	if err != nil {
		return err
	}
	if got != want {
		return errOtherAnswers
	}
	step(a, "", "every count, type and method in them is the same as in the file")
	return nil
}

// answersOf hashes what the entries of profiles say: their cells, and what their
// pointers lead to, by whatever address.
func answersOf(s *reader.Store, all []reader.Profile) (uint64, error) {
	h := hasher{shape: disk.ShapeOf(&s.Header().Params)}
	h.sum.Reset()
	for _, p := range all {
		for section := layout.SectionData; section < layout.SectionDirectory; section++ {
			for e := range p.Section(section) {
				if err := h.entry(e); err != nil {
					return 0, err
				}
			}
		}
	}
	return h.sum.Sum64(), nil
}

type hasher struct {
	shape disk.Shape
	sum   xxhash.Digest
}

func (h *hasher) add(v uint64) {
	_, _ = h.sum.Write(binary.LittleEndian.AppendUint64(nil, v))
}

func (h *hasher) entry(e reader.Entry) error {
	pointers := map[int]bool{}
	for cell := range h.shape.Pointers(e.Raw()) {
		pointers[cell] = true
	}
	h.add(uint64(e.Tag())<<32 | uint64(uint32(e.Point())))
	for i := range e.Cells() {
		if !pointers[i] {
			h.add(e.Cell(i).Load())
		}
	}
	if receivers, ok := e.Receivers(); ok {
		for row := range receivers.All() {
			h.add(uint64(row.Type.Ordinal()))
		}
	}
	if types, ok := e.Types(); ok {
		for i := range types.Args() {
			_, word := types.Arg(i)
			h.add(uint64(word.Type.Ordinal()))
		}
		if word, ok := types.Return(); ok {
			h.add(uint64(word.Type.Ordinal()))
		}
	}
	if e.Tag() != layout.TagSpeculativeTrap {
		return nil
	}
	m, err := e.Trap()
	h.add(uint64(m.Ref()))
	return err
}
