// Package crashmodel simulates file systems after a crash. A test records the file operations of a program in a Log,
// and gets all possible states of the directory after a crash.
//
// The model guarantees as little as POSIX. Written data are durable after a sync of the file, and a name after a sync
// of the directory. Before that, each block can have any content since the last sync, each file any size, and each name
// can refer to any file. All of this is independent of the order of the calls. So a crash can keep a rename without the
// data, a size without its bytes, which are then zero, and a new name beside the old one.
//
// After a failed sync, later syncs have no effect, because systems drop the data that they could not write.
package crashmodel

// A Log has the file operations in a directory.
type Log struct {
	Block      int64 // number of bytes that are written atomically
	files      map[int]*file
	names      map[string][]int // possible files of each name, 0 for no file; programs see the last one
	syncFailed bool             // a sync of the directory failed
	calls      []func()
}

// New returns an empty log for a directory with durable files.
func New(block int64, files map[string][]byte) *Log {
	l := &Log{Block: block, files: map[int]*file{}, names: map[string][]int{}}
	for name, data := range files {
		id := -1 - len(l.files)
		l.files[id] = newFile()
		l.files[id].writeBlocks(block, 0, data)
		l.files[id].makeDurable()
		l.names[name] = []int{id}
	}
	return l
}

// Create records the creation of an empty file. The caller chooses an id greater than 0.
func (l *Log) Create(id int, name string) {
	l.calls = append(l.calls, func() {
		l.files[id] = newFile()
		l.linkName(name, id)
	})
}

// Write records a write to a file.
func (l *Log) Write(id int, at int64, data []byte) {
	data = append([]byte(nil), data...)
	l.calls = append(l.calls, func() { l.files[id].writeBlocks(l.Block, at, data) })
}

// Rename records a rename, which replaces the file to.
func (l *Log) Rename(from, to string) {
	l.calls = append(l.calls, func() {
		l.linkName(to, l.fileOf(from))
		l.linkName(from, 0)
	})
}

// Remove records the removal of a name.
func (l *Log) Remove(name string) { l.calls = append(l.calls, func() { l.linkName(name, 0) }) }

// SyncFile records a sync of a file. ok is false if it failed.
func (l *Log) SyncFile(id int, ok bool) {
	l.calls = append(l.calls, func() {
		l.files[id].syncFailed = l.files[id].syncFailed || !ok
		if !l.files[id].syncFailed {
			l.files[id].makeDurable()
		}
	})
}

// SyncFolder records a sync of the directory. ok is false if it failed.
func (l *Log) SyncFolder(ok bool) {
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

func (l *Log) linkName(name string, id int) {
	if len(l.names[name]) == 0 {
		l.names[name] = []int{0}
	}
	l.names[name] = append(l.names[name], id)
}

// fileOf returns the id of the file that programs see under a name, or 0.
func (l *Log) fileOf(name string) int {
	ids := l.names[name]
	if len(ids) == 0 {
		return 0
	}
	return ids[len(ids)-1]
}
