package main

import (
	"errors"
	"strconv"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// sums are what all methods of an archive have together, and at most.
type sums struct{ total, highest uint64 }

// add adds the values of a method, and gives their sum.
func (t *sums) add(values []uint64) (sum uint64) {
	for _, n := range values {
		sum = disk.SaturatingAdd(sum, n)
		t.highest = max(t.highest, n)
	}
	t.total = disk.SaturatingAdd(t.total, sum)
	return sum
}

// A shareOf says which total shares are of.
type shareOf string

// The totals.
const (
	ofSum     shareOf = "sum"     // of the methods of the archive
	ofRun     shareOf = "run"     // recorded for the run, some methods of which are not in the archive
	ofThreads shareOf = "threads" // the cycles of all threads
	ofHighest shareOf = "highest" // the highest, as these cannot be added up
)

// addsUp reports whether shares of several methods can be added up.
func (o shareOf) addsUp() bool { return o == ofSum || o == ofRun }

// total is what shares are of.
func (by *measure) total(s *reader.Store, sum sums) (uint64, shareOf, error) {
	if by.inclusive() {
		cycles, err := threadCycles(s)
		if err == nil && cycles >= sum.highest && cycles > 0 {
			return cycles, ofThreads, nil
		}
		return sum.highest, ofHighest, err
	}
	if by.recorded == "" {
		return sum.total, ofSum, nil
	}
	recorded, err := numberProperty(s, by.recorded)
	if recorded > sum.total {
		return recorded, ofRun, err
	}
	return sum.total, ofSum, err
}

// threadCycles is the sum of the cycles of all threads of a JamaicaVM.
func threadCycles(s *reader.Store) (sum uint64, err error) {
	t, err := s.Table(layout.TableThreads)
	if errors.Is(err, reader.ErrNotFound) {
		return 0, nil
	}
	for row := range t.Rows {
		sum = disk.SaturatingAdd(sum, t.Cell(1, row))
	}
	return sum, err
}

// numberProperty is the sum of the properties with a key that are numbers.
func numberProperty(s *reader.Store, key string) (sum uint64, err error) {
	t, err := s.Table(layout.TableProperties)
	if errors.Is(err, reader.ErrNotFound) {
		return 0, nil
	}
	for row := range t.Rows {
		name, nameErr := symbolText(s, t.Cell(0, row))
		value, valueErr := symbolText(s, t.Cell(1, row))
		if err = errors.Join(nameErr, valueErr); err != nil {
			return 0, err
		}
		if n, notNumber := strconv.ParseUint(value, 10, 64); name == key && notNumber == nil {
			sum = disk.SaturatingAdd(sum, n)
		}
	}
	return sum, err
}
