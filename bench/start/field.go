package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/system/cputime"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// allFunctionsTable measures a program that opens the file and calls all functions, in processor time of all threads
// per function.
func (f *field) allFunctionsTable() table {
	n := len(f.keys)
	return table{fmt.Sprintf("all %d functions looked up, adopted and counted once, a function", n), "ns",
		f.contenderRows(n, cputime.ProcessTime, float64(n))}
}

// firstFunctionsTable measures the wall time until n functions have been called.
func (f *field) firstFunctionsTable(n int) table {
	return table{
		fmt.Sprintf("the first %d functions, time on the wall", n),
		"µs",
		f.contenderRows(n, cputime.WallTime, 1000),
	}
}

func (f *field) contenderRows(n int, clock func() int64, per float64) []row {
	timed := func(name string, start func(n int) error) row {
		return row{name, func() (float64, error) {
			begin := clock()
			err := start(n)
			return float64(clock()-begin) / per, err
		}}
	}
	decoded := func(read func() (map[string]*plain, error)) func(n int) error {
		return func(n int) error { return f.countDecoded(n, read) }
	}
	adopted := func(o reader.AdoptOptions) func(n int) error {
		return func(n int) error { return f.countAdopted(n, o) }
	}
	batches := func(o reader.AdoptOptions, look lookUp) func(n int) error {
		return func(n int) error { return f.countBatches(n, o, look) }
	}
	return []row{
		timed("flat file and map", decoded(func() (map[string]*plain, error) { return readFlat(f.paths["flat"]) })),
		timed("gob and map", decoded(func() (map[string]*plain, error) { return readCoded(f.paths["gob"], decodeGob) })),
		timed("JSON and map", decoded(func() (map[string]*plain, error) { return readCoded(f.paths["json"], decodeJSON) })),
		timed("the VM's own arrays, without profiles", f.countOwn),
		timed("archive, at the requested base", adopted(reader.AdoptOptions{})),
		timed("archive, elsewhere", adopted(reader.AdoptOptions{Anywhere: true})),
		timed("archive, eager, at the requested base", adopted(reader.AdoptOptions{Eager: true})),
		timed("archive, eager, elsewhere", adopted(reader.AdoptOptions{Anywhere: true, Eager: true})),
		timed("the same, by keys in batches, at the base", batches(reader.AdoptOptions{Eager: true}, f.byKeys)),
		timed("the same, by keys in batches, elsewhere",
			batches(reader.AdoptOptions{Anywhere: true, Eager: true}, f.byKeys)),
		timed("the same, by ids in batches, at the base", batches(reader.AdoptOptions{Eager: true}, f.byIDs)),
		timed("the same, by ids in batches, elsewhere",
			batches(reader.AdoptOptions{Anywhere: true, Eager: true}, f.byIDs)),
		timed("all pages of the profiles copied, and no more", func(int) error { return copyPages(f.paths["archive"]) }),
	}
}

// copyPages makes the system copy all pages with profiles, a lower bound for programs that count in all of them.
func copyPages(path string) error {
	m, err := mapped.Open(path, mapped.Options{Check: mapped.CheckNone})
	if err != nil {
		return err
	}
	defer m.Close()
	a, err := m.Adopt(mapped.BaseRequested, 0)
	if err != nil {
		return err
	}
	if a.Populate(a.RW) {
		return nil
	}
	for at := 0; at < len(a.RW); at += os.Getpagesize() {
		a.RW[at]++
	}
	return nil
}

func (f *field) countDecoded(n int, read func() (map[string]*plain, error)) error {
	found, err := read()
	if err != nil {
		return err
	}
	for _, key := range f.joined[:n] {
		p := found[key]
		if p == nil {
			return fmt.Errorf("%s is missing", key)
		}
		atomic.AddUint64(&p.Calls, 1)
	}
	runtime.KeepAlive(found)
	return nil
}

// countOwn counts like a VM without an archive.
func (f *field) countOwn(n int) error {
	own := make([][]uint64, n)
	for i := range own {
		own[i] = make([]uint64, 1+f.cells[i])
		atomic.AddUint64(&own[i][0], 1)
	}
	runtime.KeepAlive(own)
	return nil
}

// openAdopted opens and adopts the archive.
func (f *field) openAdopted(o reader.AdoptOptions) (*reader.Store, error) {
	s, err := reader.Open(f.paths["archive"], archive.Options{})
	if err != nil {
		return nil, err
	}
	if err := s.Adopt(o); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (f *field) countAdopted(n int, o reader.AdoptOptions) error {
	s, err := f.openAdopted(o)
	if err != nil {
		return err
	}
	defer s.Close()
	for _, k := range f.keys[:n] {
		if err := countOnce(s, k); err != nil {
			return fmt.Errorf("%s.%s: %w", k.Class, k.Name, err)
		}
	}
	return nil
}

func countOnce(s *reader.Store, k layout.Key) error {
	p, err := s.Profile(k, layout.CodeAny)
	if err != nil {
		return err
	}
	return countIn(p)
}

// countIn adopts a profile and counts a call. It ignores the zero profile.
func countIn(p reader.Profile) error {
	if !p.Valid() {
		return nil
	}
	p, err := p.Claim()
	if err != nil {
		return err
	}
	if c, ok := p.Invocations(); ok {
		return c.Add(1)
	}
	return nil
}

// atOnce is the number of functions in a batch.
const atOnce = 1024

// A lookUp looks up the profiles of len(found) functions, beginning with number from.
type lookUp func(s *reader.Store, from int, found []reader.Profile) (hits int, err error)

// byIDs looks up functions for a VM that stores their ids.
func (f *field) byIDs(s *reader.Store, from int, found []reader.Profile) (int, error) {
	return s.ProfileIDBatch(f.ids[from:from+len(found)], nil, found)
}

func (f *field) byKeys(s *reader.Store, from int, found []reader.Profile) (int, error) {
	return s.ProfileBatch(f.keys[from:from+len(found)], nil, found)
}

// countBatches is like countAdopted, in batches.
func (f *field) countBatches(n int, o reader.AdoptOptions, look lookUp) error {
	s, err := f.openAdopted(o)
	if err != nil {
		return err
	}
	defer s.Close()
	var memory [atOnce]reader.Profile
	for from := 0; from < n; from += atOnce {
		found := memory[:min(atOnce, n-from)]
		if hits, err := look(s, from, found); err != nil || hits != len(found) {
			return fmt.Errorf("%d of %d found: %w", hits, len(found), err)
		}
		if err := s.ClaimBatch(found); err != nil {
			return err
		}
		for _, p := range found {
			c, _ := p.Invocations()
			if err := c.Add(1); err != nil {
				return err
			}
		}
	}
	return nil
}

// countingTable compares ways to increment a counter with an atomic addition to a word of the VM.
func (f *field) countingTable() (table, error) {
	s, err := reader.Open(f.paths["archive"], archive.Options{})
	if err != nil {
		return table{}, err
	}
	if err := s.Adopt(reader.AdoptOptions{}); err != nil {
		return table{}, err
	}
	p, err := s.Profile(f.keys[0], layout.CodeAny)
	if err != nil {
		return table{}, err
	}
	p, err = p.Claim()
	if err != nil {
		return table{}, err
	}
	e, r, t, err := receiversOf(p)
	if err != nil {
		return table{}, err
	}
	own := new(atomic.Uint64)
	cell := e.Cell(0)
	word, ok := cell.Word()
	if !ok {
		return table{}, os.ErrInvalid
	}
	const times = 1 << 20
	loop := func(name string, count func()) row {
		return row{name, func() (float64, error) {
			begin := cputime.ThreadTime()
			count()
			return float64(cputime.ThreadTime()-begin) / times, nil
		}}
	}
	return table{"counting, each time", "ns", []row{
		loop("atomic addition to a word of the VM's own", func() {
			for range times {
				own.Add(1)
			}
		}),
		loop("Counter.Word, kept", func() {
			for range times {
				word.Add(1)
			}
		}),
		loop("Counter.Add of an entry, kept", func() {
			for range times {
				_ = cell.Add(1)
			}
		}),
		loop("Entry.Cell and Counter.Add", func() {
			for range times {
				_ = e.Cell(0).Add(1)
			}
		}),
		loop("Receivers.Record of a type that has a row", func() {
			for range times {
				_, _ = r.Record(t)
			}
		}),
	}}, nil
}

// receiversOf returns a type profile with a type.
func receiversOf(p reader.Profile) (reader.Entry, reader.Receivers, reader.Type, error) {
	for e := range p.Entries() {
		if r, ok := e.Receivers(); ok {
			for row := range r.All() {
				return e, r, row.Type, nil
			}
		}
	}
	return reader.Entry{}, reader.Receivers{}, reader.Type{}, reader.ErrNotFound
}
