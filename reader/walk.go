package reader

import (
	"iter"

	"github.com/profarc/profarc/layout"
)

// walkBatch is how many records are read at once, so that a batch shares the
// cost of the fault guard.
const walkBatch = 64

// Methods goes through all methods, in the order of their keys. An error ends
// it.
func (s *Store) Methods() iter.Seq2[Method, error] {
	return func(yield func(Method, error) bool) {
		section := s.h.Sections[layout.SectionMethods]
		var batch [walkBatch]Method
		for at := section.Offset; at < section.End(); {
			n, next, err := s.readMethods(at, batch[:])
			for _, m := range batch[:n] {
				if !yield(m, nil) {
					return
				}
			}
			if err != nil {
				yield(Method{}, err)
				return
			}
			at = next
		}
	}
}

// readMethods reads the methods from the one at on, until the batch is full or
// the section ends.
func (s *Store) readMethods(at int64, batch []Method) (n int, next int64, err error) {
	end := s.h.Sections[layout.SectionMethods].End()
	err = s.m.Guard(func() error {
		for ; n < len(batch) && at < end; n++ {
			m, err := s.method(layout.NarrowOf(at))
			if err != nil {
				return err
			}
			batch[n] = m
			at += m.head.Size()
		}
		return nil
	})
	return n, at, err
}

// Types goes through all types of the archive, in the order of their names. An
// error ends it.
func (s *Store) Types() iter.Seq2[Type, error] {
	return func(yield func(Type, error) bool) {
		for i := range uint32(s.h.Counts.Types) {
			var t Type
			err := s.m.Guard(func() (err error) {
				t, err = s.Type(i)
				return err
			})
			if !yield(t, err) || err != nil {
				return
			}
		}
	}
}
