package main

import (
	"errors"
	"time"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A way is one way of looking keys up in an archive: it gives how many were
// found and the sum of their first counters.
type way func(*reader.Store, *keys) (found, sum uint64, err error)

// timed gives a way's answer.
func (w way) timed(s *reader.Store, k *keys) (a answer, err error) {
	begin := time.Now()
	a.found, a.sum, err = w(s, k)
	a.nanoseconds = float64(time.Since(begin).Nanoseconds()) / float64(len(k.names))
	return a, err
}

// byName finds functions by name, as a compiler does.
func byName(s *reader.Store, k *keys) (found, sum uint64, err error) {
	for i, name := range k.names {
		m, err := s.Find(layout.Key{Name: name})
		if err == reader.ErrNotFound {
			continue
		}
		if err != nil {
			return 0, 0, err
		}
		count, err := firstCounter(m, k.hashes[i])
		if err != nil {
			return 0, 0, err
		}
		found, sum = found+1, sum+count
	}
	return found, sum, nil
}

// byID finds functions by the MD5 of their names, which is known.
func byID(s *reader.Store, k *keys) (found, sum uint64, err error) {
	for i, id := range k.ids {
		m, err := s.Lookup(id)
		if err == reader.ErrNotFound {
			continue
		}
		if err != nil {
			return 0, 0, err
		}
		count, err := firstCounter(m, k.hashes[i])
		if err != nil {
			return 0, 0, err
		}
		found, sum = found+1, sum+count
	}
	return found, sum, nil
}

// batchSize is how many functions are looked up at once.
const batchSize = 64

// namesInBatches finds functions by name, many at once.
func namesInBatches(s *reader.Store, k *keys) (found, sum uint64, err error) {
	var batch [batchSize]layout.Key
	return inBatches(k, func(at, end int, methods []reader.Method) error {
		for i, name := range k.names[at:end] {
			batch[i].Name = name
		}
		_, err := s.FindBatch(batch[:end-at], methods)
		return err
	})
}

// idsInBatches finds functions by id, many at once.
func idsInBatches(s *reader.Store, k *keys) (found, sum uint64, err error) {
	return inBatches(k, func(at, end int, methods []reader.Method) error {
		_, err := s.LookupBatch(k.ids[at:end], methods)
		return err
	})
}

func inBatches(k *keys, lookup func(at, end int, methods []reader.Method) error) (found, sum uint64, err error) {
	var batch [batchSize]reader.Method
	for at := 0; at < len(k.ids); at += batchSize {
		methods := batch[:min(batchSize, len(k.ids)-at)]
		if err := lookup(at, at+len(methods), methods); err != nil {
			return 0, 0, err
		}
		for i, m := range methods {
			if !m.Valid() {
				continue
			}
			count, err := firstCounter(m, k.hashes[at+i])
			if err != nil {
				return 0, 0, err
			}
			found, sum = found+1, sum+count
		}
	}
	return found, sum, nil
}

var errNoCounters = errors.New("a profile without counters")

// firstCounter is what LLVM calls the function's entry count, of the version of
// the code that the hash tells.
func firstCounter(m reader.Method, hash uint64) (uint64, error) {
	p, _, err := m.Profile(hash)
	if err != nil {
		return 0, err
	}
	e, ok := p.At(0)
	if !ok || e.Tag() != layout.TagCounters || e.Cells() == 0 {
		return 0, errNoCounters
	}
	return e.Cell(0).Load(), nil
}
