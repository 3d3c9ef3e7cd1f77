//go:build linux

package main

import (
	"os"
	"runtime"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/format/cputime"
	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/reader"
)

// adoption compares, per profile, the adoption of all profiles with one store into each
// page of their region in a private mapping.
func adoption(path string) (table, error) {
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		return table{}, err
	}
	n := s.Header().Counts.Profiles
	per := func(f func(string) (int64, error)) func() (float64, error) {
		return func() (float64, error) {
			took, err := f(path)
			return float64(took) / float64(n), err
		}
	}
	on := func(cores int, f func(string) (int64, error)) func() (float64, error) {
		return func() (float64, error) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
			return per(f)()
		}
	}
	return table{"adoption of all, a profile", "ns", []row{
		{"one store a page", per(storeEachPage)},
		{"Profile.Claim at the base", per(adoptAll(archive.BaseRequested))},
		{"Profile.Claim elsewhere", per(adoptAll(archive.BaseAnywhere))},
		{"looked up, adopted, counted once, at the base", per(countAll(archive.BaseRequested))},
		{"looked up, adopted, counted once, elsewhere", per(countAll(archive.BaseAnywhere))},
		{"all at once, one core", on(1, eager)},
		{"all at once, one core, time", on(1, eagerTime)},
		{"all at once, all cores, time", on(runtime.NumCPU(), eagerTime)},
	}}, s.Close()
}

// storeEachPage maps the writable region privately, and stores one word in each page.
func storeEachPage(path string) (took int64, err error) {
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		return 0, err
	}
	defer s.Close()
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	rw := s.Header().Region(disk.RegionRW)
	memory, err := unix.Mmap(int(f.Fd()), rw.Offset, int(rw.Size), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return 0, err
	}
	start := cputime.Thread()
	for at := 0; at < len(memory); at += os.Getpagesize() {
		memory[at] = 1
	}
	took = cputime.Thread() - start
	return took, unix.Munmap(memory)
}

// adoptAll adopts all profiles, which were checked before.
func adoptAll(base archive.Base) func(path string) (int64, error) {
	return func(path string) (took int64, err error) {
		s, err := openAdopted(path, base)
		if err != nil {
			return 0, err
		}
		defer s.Close()
		profiles, err := profilesOf(s)
		if err != nil {
			return 0, err
		}
		settle()
		start := cputime.Thread()
		for i := range profiles {
			if _, err := profiles[i].Claim(); err != nil {
				return 0, err
			}
		}
		return cputime.Thread() - start, nil
	}
}

// lookedUpAtOnce is how many methods a batch looks up.
const lookedUpAtOnce = 1024

// countAll does all that a VM does at its start: it looks the methods up, which were not
// checked before, adopts their profiles and counts once in each.
func countAll(base archive.Base) func(path string) (int64, error) {
	return func(path string) (took int64, err error) {
		ids, err := idsOf(path)
		if err != nil {
			return 0, err
		}
		s, err := openAdopted(path, base)
		if err != nil {
			return 0, err
		}
		defer s.Close()
		found := make([]reader.Profile, lookedUpAtOnce)
		settle()
		start := cputime.Thread()
		for batch := range slices.Chunk(ids, lookedUpAtOnce) {
			if _, err := s.ProfileIDBatch(batch, nil, found[:len(batch)]); err != nil {
				return 0, err
			}
			for _, p := range found[:len(batch)] {
				if err := countIn(p); err != nil {
					return 0, err
				}
			}
		}
		return cputime.Thread() - start, nil
	}
}

func openAdopted(path string, base archive.Base) (*reader.Store, error) {
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		return nil, err
	}
	if err := s.Adopt(reader.AdoptOptions{Base: base}); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// idsOf returns the ids of the methods of an archive.
func idsOf(path string) (ids []uint64, err error) {
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	for m, err := range s.Methods() {
		if err != nil {
			return nil, err
		}
		ids = append(ids, m.ID())
	}
	return ids, nil
}

func profilesOf(s *reader.Store) (profiles []reader.Profile, err error) {
	for m, err := range s.Methods() {
		if err != nil {
			return nil, err
		}
		for p, err := range m.Profiles() {
			if err != nil {
				return nil, err
			}
			profiles = append(profiles, p)
		}
	}
	return profiles, nil
}

// eager relocates all profiles at once.
func eager(path string) (int64, error) { return adoptEagerly(path, cputime.Process) }

// eagerTime returns what eager does, by the clock on the wall.
func eagerTime(path string) (int64, error) { return adoptEagerly(path, cputime.Wall) }

func adoptEagerly(path string, clock func() int64) (took int64, err error) {
	s, err := reader.Open(path, archive.Options{Check: archive.CheckNone})
	if err != nil {
		return 0, err
	}
	defer s.Close()
	start := clock()
	err = s.Adopt(reader.AdoptOptions{Base: archive.BaseAnywhere, Eager: true})
	return clock() - start, err
}
