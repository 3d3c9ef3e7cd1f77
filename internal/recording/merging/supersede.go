package merging

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/recording/copier"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// ErrSameProcess means that two archives hold dumps of one process. The later dump includes the counts of the earlier
// one.
var ErrSameProcess = errors.New("two dumps of one process count the same twice")

type Contents struct {
	name   string
	header *layout.Header
	shapes []layout.EntryShape
	Dumps  []profileset.Dump
	base   *layout.BaseArchive // base of the layer; nil if the archive is no layer

	sampleTypes disk.SampleTypes // of a sampled archive

	ids    map[[16]byte]bool
	runs   map[profileset.RunKey]runDump // last dump of each run
	runOf  map[[16]byte]profileset.RunKey
	timeOf map[[16]byte]time.Time
}

type runDump struct {
	id        [16]byte
	at        time.Time
	selection string
}

func ContentsOf(s *reader.Store) (Contents, error) {
	c := Contents{name: s.Mapping().Name(), header: s.Header(),
		shapes: (*mapped.Mapping)(s.Mapping()).Shape().Declared.Shapes(),
		ids:    map[[16]byte]bool{}, runs: map[profileset.RunKey]runDump{}, runOf: map[[16]byte]profileset.RunKey{},
		timeOf: map[[16]byte]time.Time{}}
	dumps, err := copier.Dumps(s)
	if err != nil {
		return c, err
	}
	c.Dumps = dumps
	c.base, err = baseOf(s)
	if err == nil {
		c.sampleTypes, err = sampleTypesOf(s)
	}
	if err != nil {
		return c, err
	}
	for _, d := range dumps {
		c.ids[d.ID] = true
	}
	runs, err := s.Runs()
	for _, r := range runs { // sorted by time
		if r.DumpID == ([16]byte{}) {
			continue // its dump is unknown
		}
		c.ids[r.DumpID] = true
		if !r.Process.Known() {
			continue
		}
		key := profileset.RunKeyOf(r)
		c.runOf[r.DumpID], c.timeOf[r.DumpID] = key, r.Time
		c.runs[key] = runDump{r.DumpID, r.Time, r.Selection}
	}
	return c, err
}

// Superseded finds archives that must not be merged because another one has each of their dumps or a later one of the
// same process, and at least one later dump. It returns for each archive the index of the other one, or -1. The result
// does not depend on the order of archives. The error matches ErrSameProcess if two of the remaining archives hold
// dumps of one process.
func Superseded(archives []Contents) ([]int, error) {
	latest := map[profileset.RunKey][]int{} // holders of the last dump of each run
	for i, c := range archives {
		for key, d := range c.runs {
			if held := latest[key]; len(held) > 0 {
				if order := d.at.Compare(archives[held[0]].runs[key].at); order > 0 {
					held = nil
				} else if order < 0 {
					continue
				}
				latest[key] = append(held, i)
				continue
			}
			latest[key] = []int{i}
		}
	}
	by := make([]int, len(archives))
	for i := range archives {
		by[i] = supersededBy(archives, i, latest)
	}
	return by, heldTwice(archives, by)
}

// supersededBy returns the index of the archive that supersedes archive i, or -1. It tries the archives with the last
// dump of a run for which archive i has an earlier dump. If none of them supersedes i, two archives with dumps of that
// run remain, and heldTwice reports them.
func supersededBy(archives []Contents, i int, latest map[profileset.RunKey][]int) int {
	c := &archives[i]
	for key, d := range c.runs {
		holders := latest[key]
		if !archives[holders[0]].runs[key].at.After(d.at) {
			continue
		}
		for _, h := range holders {
			if archives[h].supersedes(c) {
				return h
			}
		}
		return -1
	}
	return -1
}

// supersedes reports whether c has each dump of earlier or a later dump of the same run, and at least one later dump. A
// later dump with another selection of profiles does not count.
func (c *Contents) supersedes(earlier *Contents) bool {
	later := false
	for id := range earlier.ids {
		if c.ids[id] {
			continue
		}
		key, ok := earlier.runOf[id]
		if !ok {
			return false
		}
		d, ok := c.runs[key]
		if !ok || !d.at.After(earlier.timeOf[id]) || d.selection != "" && d.selection != earlier.runs[key].selection {
			return false
		}
		later = true
	}
	return later
}

// heldTwice returns an error if two of the remaining archives hold different dumps of one run. Equal dumps are left to
// merge.Into, which refuses them.
func heldTwice(archives []Contents, by []int) error {
	first := map[profileset.RunKey]int{}
	for i := range archives {
		if by[i] >= 0 {
			continue
		}
		for _, key := range slices.SortedFunc(maps.Keys(archives[i].runs), compareRunKeys) {
			j, ok := first[key]
			if !ok {
				first[key] = i
			} else if archives[i].runs[key].id != archives[j].runs[key].id {
				return sameProcess(&archives[j], &archives[i], key)
			}
		}
	}
	return nil
}

func compareRunKeys(x, y profileset.RunKey) int { return slices.Compare(wordsOfRun(x), wordsOfRun(y)) }

func wordsOfRun(k profileset.RunKey) []uint64 {
	p := k.Process
	return []uint64{binary.LittleEndian.Uint64(p.Boot[:]), p.Namespace, p.PID, p.Start,
		binary.LittleEndian.Uint64(k.Since[:]), binary.LittleEndian.Uint64(p.Boot[8:]),
		binary.LittleEndian.Uint64(k.Since[8:])}
}

// sameProcess returns an error that matches ErrSameProcess. It says why two archives of one process cannot be merged,
// and what to do instead.
func sameProcess(x, y *Contents, key profileset.RunKey) error {
	earlier, later := x, y
	if later.runs[key].at.Before(earlier.runs[key].at) {
		earlier, later = later, earlier
	}
	was := earlier.runs[key]
	is := later.runs[key]
	if was.selection != is.selection && is.selection != "" {
		return fmt.Errorf("%w: %s holds profiles of process %d that were chosen by %q, and %s those chosen by %q: merge "+
			"one of them, or dump the process without filters",
			ErrSameProcess, earlier.name, key.Process.PID, was.selection, later.name, is.selection)
	}
	return fmt.Errorf("%w: %s holds, with other dumps, what process %d had counted at %s, and %s what it had counted "+
		"at %s: "+
		"name the archives that %s was merged from in its place, or leave one of the two out",
		ErrSameProcess, earlier.name, key.Process.PID, was.at.UTC().Format(time.RFC3339), later.name,
		is.at.UTC().Format(time.RFC3339), earlier.name)
}
