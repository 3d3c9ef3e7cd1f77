//go:build unix && !aix

package publish

import (
	"bytes"
	"maps"
	"slices"
)

// A crashLog has the file operations in a directory, and simulates the file system after a crash. Its Crashes are all
// possible states of the directory.
//
// The model guarantees as little as POSIX. Written data are durable after a sync of the file, and a name after a sync
// of the directory. Before that, each block can have any content since the last sync, each file any size, and each name
// can refer to any file. All of this is independent of the order of the calls. So a crash can keep a rename without the
// data, a size without its bytes, which are then zero, and a new name beside the old one.
//
// After a failed sync, later syncs have no effect, because systems drop the data that they could not write.
type crashLog struct {
	Block      int64 // number of bytes that are written atomically
	files      map[int]*crashFile
	names      map[string][]int // possible files of each name, 0 for no file; programs see the last one
	syncFailed bool             // a sync of the directory failed
	calls      []func()
}

// newCrashLog returns an empty log for a directory with durable files.
func newCrashLog(block int64, files map[string][]byte) *crashLog {
	l := &crashLog{Block: block, files: map[int]*crashFile{}, names: map[string][]int{}}
	for name, data := range files {
		id := -1 - len(l.files)
		l.files[id] = newCrashFile()
		l.files[id].writeBlocks(block, 0, data)
		l.files[id].makeDurable()
		l.names[name] = []int{id}
	}
	return l
}

// Create records the creation of an empty file. The caller chooses an id greater than 0.
func (l *crashLog) Create(id int, name string) {
	l.calls = append(l.calls, func() {
		l.files[id] = newCrashFile()
		l.linkName(name, id)
	})
}

// Write records a write to a file.
func (l *crashLog) Write(id int, at int64, data []byte) {
	data = append([]byte(nil), data...)
	l.calls = append(l.calls, func() { l.files[id].writeBlocks(l.Block, at, data) })
}

// Rename records a rename, which replaces the file to.
func (l *crashLog) Rename(from, to string) {
	l.calls = append(l.calls, func() {
		l.linkName(to, l.fileOf(from))
		l.linkName(from, 0)
	})
}

// Remove records the removal of a name.
func (l *crashLog) Remove(name string) { l.calls = append(l.calls, func() { l.linkName(name, 0) }) }

// SyncFile records a sync of a file. ok is false if it failed.
func (l *crashLog) SyncFile(id int, ok bool) {
	l.calls = append(l.calls, func() {
		l.files[id].syncFailed = l.files[id].syncFailed || !ok
		if !l.files[id].syncFailed {
			l.files[id].makeDurable()
		}
	})
}

// SyncFolder records a sync of the directory. ok is false if it failed.
func (l *crashLog) SyncFolder(ok bool) {
	l.calls = append(l.calls, func() {
		l.syncFailed = l.syncFailed || !ok
		if l.syncFailed {
			return
		}
		for name, ids := range l.names {
			l.names[name] = ids[len(ids)-1:]
		}
	})
}

func (l *crashLog) linkName(name string, id int) {
	if len(l.names[name]) == 0 {
		l.names[name] = []int{0}
	}
	l.names[name] = append(l.names[name], id)
}

// fileOf returns the id of the file that programs see under a name, or 0.
func (l *crashLog) fileOf(name string) int {
	ids := l.names[name]
	if len(ids) == 0 {
		return 0
	}
	return ids[len(ids)-1]
}

// A crashFile has all possible contents and sizes after a crash. Programs see the last ones.
type crashFile struct {
	blocks     map[int64][][]byte // versions of each block
	sizes      []int64
	syncFailed bool // a sync failed
}

func newCrashFile() *crashFile { return &crashFile{blocks: map[int64][][]byte{}, sizes: []int64{0}} }

func lastOf[T any](all []T) T { return all[len(all)-1] }

func (f *crashFile) writeBlocks(block, at int64, data []byte) {
	for len(data) > 0 {
		n := min(int64(len(data)), block-at%block)
		if len(f.blocks[at/block]) == 0 {
			f.blocks[at/block] = [][]byte{make([]byte, block)}
		}
		now := bytes.Clone(lastOf(f.blocks[at/block]))
		copy(now[at%block:], data[:n])
		f.blocks[at/block] = append(f.blocks[at/block], now)
		at += n
		data = data[n:]
		f.sizes = append(f.sizes, max(lastOf(f.sizes), at))
	}
}

func (f *crashFile) makeDurable() {
	for i, versions := range f.blocks {
		f.blocks[i] = versions[len(versions)-1:]
	}
	f.sizes = f.sizes[len(f.sizes)-1:]
}

// eachContent calls with for each possible content, until with returns false. Contents can repeat.
func (f *crashFile) eachContent(block int64, with func([]byte) bool) bool {
	sizes := slices.Clone(f.sizes)
	slices.Sort(sizes)
	numbers := slices.Sorted(maps.Keys(f.blocks))
	for _, size := range slices.Compact(sizes) {
		choices := []int{}
		for _, i := range numbers {
			if i*block < size { // bytes after the end are not visible
				choices = append(choices, len(f.blocks[i]))
			}
		}
		data := make([]byte, size)
		if !eachChoice(choices, func(chosen []int) bool {
			for k, version := range chosen {
				copy(data[numbers[k]*block:], f.blocks[numbers[k]][version])
			}
			return with(bytes.Clone(data))
		}) {
			return false
		}
	}
	return true
}

// maxChoices is the maximum number of states after a call.
const maxChoices = 1 << 20

// eachChoice calls with for all combinations of a number below each bound, until with returns false. It returns false
// in this case.
func eachChoice(bounds []int, with func(chosen []int) bool) bool {
	all := 1
	for _, bound := range bounds {
		all = min(all*bound, maxChoices+1)
	}
	for n := range all {
		if n == maxChoices {
			panic("too many states: write less, or in larger blocks")
		}
		chosen := make([]int, len(bounds))
		for i, bound := range bounds {
			chosen[i] = n % bound
			n /= bound
		}
		if !with(chosen) {
			return false
		}
	}
	return true
}
