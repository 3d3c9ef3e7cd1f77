package llvmreader

import (
	"errors"
	"fmt"
	"io"

	"github.com/profarc/profarc/internal/format/cputime"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Keys name functions, in the order in which they are looked up.
type Keys struct {
	Names  []string
	Hashes []uint64 // of the functions
	IDs    []uint64 // of the names
}

// Part returns the keys from a number up to another.
func (k *Keys) Part(from, to int) Keys {
	return Keys{k.Names[from:to], k.Hashes[from:to], k.IDs[from:to]}
}

// WriteKeys writes keys for [Program.Start]. No name may have a line feed.
func WriteKeys(w io.Writer, k *Keys) error {
	for i, name := range k.Names {
		if _, err := fmt.Fprintf(w, "%s %d\n", name, k.Hashes[i]); err != nil {
			return err
		}
	}
	return nil
}

// A Way looks up keys in an archive. It returns how many were found and the sum of their first counters.
type Way func(*reader.Store, *Keys) (found, sum uint64, err error)

// A Contest is a way and its name. LLVM's reader looks the same keys up by name and hash,
// the only way it has.
type Contest struct {
	Name    string
	Missing bool // the keys are not there
	Way     Way
}

// Contests are all ways.
var Contests = []Contest{
	{"name and hash, hit", false, ByName},
	{"name, miss", true, ByName},
	{"id and hash, hit", false, byID},
	{"id, miss", true, byID},
	{"names in batches and hash, hit", false, namesInBatches},
	{"ids in batches and hash, hit", false, idsInBatches},
}

// File returns the name of the keys for [Reader.LookUp].
func (c *Contest) File() string {
	if c.Missing {
		return "misses"
	}
	return "hits"
}

// LookUp looks keys up, so many times. Its time is the thread's, which the caller must have locked.
func (w Way) LookUp(s *reader.Store, k *Keys, times int) (a Answer, err error) {
	begin := cputime.Thread()
	for range times {
		found, sum, err := w(s, k)
		if err != nil {
			return a, err
		}
		a.Found, a.Sum = a.Found+found, a.Sum+sum
	}
	a.Nanoseconds = float64(cputime.Thread()-begin) / float64(max(1, times*len(k.Names)))
	return a, nil
}

// ByName finds functions by name, as a compiler does.
func ByName(s *reader.Store, k *Keys) (found, sum uint64, err error) {
	for i, name := range k.Names {
		p, err := s.Profile(layout.Key{Name: name}, k.Hashes[i])
		if err == reader.ErrNotFound {
			continue
		}
		if err != nil {
			return 0, 0, err
		}
		count, err := FirstCounter(p)
		if err != nil {
			return 0, 0, err
		}
		found, sum = found+1, sum+count
	}
	return found, sum, nil
}

// byID finds functions by the MD5 of their names, which it knows.
func byID(s *reader.Store, k *Keys) (found, sum uint64, err error) {
	for i, id := range k.IDs {
		p, err := s.ProfileID(id, k.Hashes[i])
		if err == reader.ErrNotFound {
			continue
		}
		if err != nil {
			return 0, 0, err
		}
		count, err := FirstCounter(p)
		if err != nil {
			return 0, 0, err
		}
		found, sum = found+1, sum+count
	}
	return found, sum, nil
}

// batchSize is the number of functions in a batch.
const batchSize = 64

// namesInBatches finds functions by name, in batches.
func namesInBatches(s *reader.Store, k *Keys) (found, sum uint64, err error) {
	var batch [batchSize]layout.Key
	return inBatches(k, func(at, end int, profiles []reader.Profile) error {
		for i, name := range k.Names[at:end] {
			batch[i].Name = name
		}
		_, err := s.ProfileBatch(batch[:end-at], k.Hashes[at:end], profiles)
		return err
	})
}

// idsInBatches finds functions by id, in batches.
func idsInBatches(s *reader.Store, k *Keys) (found, sum uint64, err error) {
	return inBatches(k, func(at, end int, profiles []reader.Profile) error {
		_, err := s.ProfileIDBatch(k.IDs[at:end], k.Hashes[at:end], profiles)
		return err
	})
}

func inBatches(k *Keys, lookup func(at, end int, profiles []reader.Profile) error) (found, sum uint64, err error) {
	var batch [batchSize]reader.Profile
	for at := 0; at < len(k.IDs); at += batchSize {
		profiles := batch[:min(batchSize, len(k.IDs)-at)]
		if err := lookup(at, at+len(profiles), profiles); err != nil {
			return 0, 0, err
		}
		for _, p := range profiles {
			if !p.Valid() {
				continue
			}
			count, err := FirstCounter(p)
			if err != nil {
				return 0, 0, err
			}
			found, sum = found+1, sum+count
		}
	}
	return found, sum, nil
}

var errNoCounters = errors.New("a profile without counters")

// FirstCounter returns the first counter, which LLVM calls the entry count.
func FirstCounter(p reader.Profile) (uint64, error) {
	e, ok := p.At(0)
	if !ok || e.Tag() != layout.TagCounters || e.Cells() == 0 {
		return 0, errNoCounters
	}
	return e.Cell(0).Load(), nil
}
