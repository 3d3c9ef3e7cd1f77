//go:build unix && !aix

package publish

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
)

// A crashState is a possible state of a directory after a crash.
type crashState struct {
	Calls int               // number of calls before the crash
	All   bool              // the crash was after the last call, so that reported success must be durable
	Names []string          // sorted names of all files
	Files map[string][]byte // content of each file
}

// Crashes calls with for each possible state after a crash, until with returns false. It returns the number of states.
// States that are equal after the same number of calls count once. Only the content of target varies, because readers
// open no other file. Other files have the last written content. Crashes must be called only once.
func (l *crashLog) Crashes(target string, with func(crashState) bool) int {
	return l.eachCrash(target, func() []string { return slices.Sorted(maps.Keys(l.names)) }, with)
}

// eachCrash is like Crashes, but considers only the files with names returned by vary.
func (l *crashLog) eachCrash(target string, vary func() []string, with func(crashState) bool) int {
	states := 0
	for n := 0; n <= len(l.calls); n++ {
		if n > 0 {
			l.calls[n-1]()
		}
		seen := map[string]bool{}
		if !l.eachState(target, vary(), func(s crashState) bool {
			key := s.hashKey()
			if seen[key] {
				return true
			}
			seen[key] = true
			states++
			s.Calls = n
			s.All = n == len(l.calls)
			return with(s)
		}) {
			break
		}
	}
	return states
}

// eachState calls with for each possible state if the crash happens now.
func (l *crashLog) eachState(target string, names []string, with func(crashState) bool) bool {
	bounds := make([]int, len(names))
	for i, name := range names {
		bounds[i] = max(1, len(l.names[name]))
	}
	return eachChoice(bounds, func(chosen []int) bool {
		s := crashState{Files: map[string][]byte{}}
		read := 0
		for i, name := range names {
			if len(l.names[name]) == 0 || l.names[name][chosen[i]] == 0 {
				continue
			}
			id := l.names[name][chosen[i]]
			s.Names = append(s.Names, name)
			s.Files[name] = l.files[id].visibleContent(l.Block)
			if name == target {
				read = id
			}
		}
		if read == 0 {
			return with(s)
		}
		return l.files[read].eachContent(l.Block, func(data []byte) bool {
			t := crashState{Names: s.Names, Files: maps.Clone(s.Files)}
			t.Files[target] = data
			return with(t)
		})
	})
}

// visibleContent returns the content that programs see without a crash.
func (f *crashFile) visibleContent(block int64) []byte {
	data := make([]byte, lastOf(f.sizes))
	for i, versions := range f.blocks {
		copy(data[min(i*block, int64(len(data))):], lastOf(versions))
	}
	return data
}

func (s crashState) hashKey() string {
	h := sha256.New()
	for _, name := range s.Names {
		fmt.Fprintf(h, "%q %d ", name, len(s.Files[name]))
		h.Write(s.Files[name])
	}
	return string(h.Sum(nil))
}

// crashedPublishing has the valid contents of a published file after a crash.
type crashedPublishing struct {
	Target    string
	Old, New  []byte // Old is nil if there was no file
	Succeeded bool   // publishing reported success
}

// Check returns an error if the target has neither the old nor the new content in a state after a crash, or the old
// content after reported success. states is the number of different contents of the target.
func (p crashedPublishing) Check(l *crashLog) (states int, err error) {
	states = l.eachCrash(p.Target, func() []string { return []string{p.Target} }, func(s crashState) bool {
		err = p.checkState(s)
		return err == nil
	})
	return states, err
}

func (p crashedPublishing) checkState(s crashState) error {
	data, exists := s.Files[p.Target]
	isOld := exists == (p.Old != nil) && bytes.Equal(data, p.Old)
	isNew := exists && bytes.Equal(data, p.New)
	switch {
	case isNew, isOld && !(s.All && p.Succeeded):
		return nil
	case isOld:
		return fmt.Errorf("after success a crash brings the old file back, or none")
	case !exists:
		return fmt.Errorf("after call %d a crash leaves neither file", s.Calls)
	}
	return fmt.Errorf("after call %d a crash leaves %d bytes of %d that are neither file's", s.Calls, len(data),
		len(p.New))
}
