// Package crashmodel forgets what a file system may forget in a crash. A test notes in a Log what a program did to a
// directory, and gets every state in which a crash may leave it.
//
// The model promises as little as POSIX does. What was written is in the file only after a sync of the file, and a name
// in the directory only after a sync of the directory. Before, each block has any of the contents that it had since
// the last sync, each file any of the sizes, and each name leads to any of the files that it led to, all independently
// of each other and of the order of the calls. So a renaming may be there without the data, a size without its bytes,
// which are zeros then, and a new name beside the old one.
//
// A sync that failed settles nothing, and later ones do not either: systems drop what they could not write.
package crashmodel

// A Log is what happened to the files of one directory, in order.
type Log struct {
	// Block is how many bytes are written whole or not at all.
	Block int64
	files map[int]*file
	names map[string][]int // the files that a name may lead to, none as 0; the last is what programs see
	lost  bool             // a sync of the directory failed
	calls []func()
}

// New returns the log of a directory with files, which are durable.
func New(block int64, files map[string][]byte) *Log {
	l := &Log{Block: block, files: map[int]*file{}, names: map[string][]int{}}
	for name, data := range files {
		id := -1 - len(l.files)
		l.files[id] = newFile()
		l.files[id].write(block, 0, data)
		l.files[id].settle()
		l.names[name] = []int{id}
	}
	return l
}

// Create notes a new empty file with a number of the caller's, from 1.
func (l *Log) Create(id int, name string) {
	l.calls = append(l.calls, func() {
		l.files[id] = newFile()
		l.lead(name, id)
	})
}

// Write notes bytes that got into a file.
func (l *Log) Write(id int, at int64, data []byte) {
	data = append([]byte(nil), data...)
	l.calls = append(l.calls, func() { l.files[id].write(l.Block, at, data) })
}

// Rename notes a new name of a file, which replaces what has it.
func (l *Log) Rename(from, to string) {
	l.calls = append(l.calls, func() {
		l.lead(to, l.led(from))
		l.lead(from, 0)
	})
}

// Remove notes that a name is gone.
func (l *Log) Remove(name string) { l.calls = append(l.calls, func() { l.lead(name, 0) }) }

// SyncFile notes a sync of a file.
func (l *Log) SyncFile(id int, ok bool) {
	l.calls = append(l.calls, func() {
		l.files[id].lost = l.files[id].lost || !ok
		if !l.files[id].lost {
			l.files[id].settle()
		}
	})
}

// SyncFolder notes a sync of the directory.
func (l *Log) SyncFolder(ok bool) {
	l.calls = append(l.calls, func() {
		l.lost = l.lost || !ok
		if l.lost {
			return
		}
		for name, ids := range l.names {
			l.names[name] = ids[len(ids)-1:]
		}
	})
}

// lead lets a name lead to a file.
func (l *Log) lead(name string, id int) {
	if len(l.names[name]) == 0 {
		l.names[name] = []int{0}
	}
	l.names[name] = append(l.names[name], id)
}

// led returns the file that a name leads to.
func (l *Log) led(name string) int {
	ids := l.names[name]
	if len(ids) == 0 {
		return 0
	}
	return ids[len(ids)-1]
}
