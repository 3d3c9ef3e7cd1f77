//go:build unix && !aix

package publish

import (
	"bytes"
	"strings"
	"testing"
)

const blockSize = 16

var (
	before = bytes.Repeat([]byte("o"), 30)
	after  = bytes.Repeat([]byte("n"), 40) // three blocks
)

// The steps of publishers, in one letter each.
var steps = map[byte]func(l *crashLog){
	'c': func(l *crashLog) { l.Create(1, "temporary") },
	'w': func(l *crashLog) { l.Write(1, 0, after) },
	'1': func(l *crashLog) { l.Write(1, 20, after[20:]) },
	'2': func(l *crashLog) { l.Write(1, 0, after[:20]) },
	's': func(l *crashLog) { l.SyncFile(1, true) },
	'f': func(l *crashLog) { l.SyncFile(1, false) },
	'r': func(l *crashLog) { l.Rename("temporary", "target") },
	'd': func(l *crashLog) { l.SyncFolder(true) },
	'e': func(l *crashLog) { l.SyncFolder(false) },
	'x': func(l *crashLog) { l.Remove("target") },
	't': func(l *crashLog) { l.Create(1, "target") },
}

func published(of string, old []byte) (int, error) {
	files := map[string][]byte{}
	if old != nil {
		files["target"] = old
	}
	l := newCrashLog(blockSize, files)
	for i := range len(of) {
		steps[of[i]](l)
	}
	return crashedPublishing{Target: "target", Old: old, New: after, Succeeded: true}.Check(l)
}

// Publishers that do it right, and the faults of others.
func TestBrokenPublishersAreCaught(t *testing.T) {
	const gone, mixed, neither = "brings the old file back", "neither file's", "neither file"
	for _, test := range []struct{ name, steps, wrong string }{
		{"right", "cwsrd", ""},
		{"right, in two writes", "c12srd", ""},
		{"right, with more syncs", "cd1s2sdrsd", ""},
		{"no sync before the renaming", "cwrd", mixed},
		{"no sync of the last write", "c1s2rd", mixed},
		{"a sync after the renaming", "cwrsd", mixed},
		{"renamed first", "crdws", mixed},
		{"written in place", "tws", mixed},
		{"no sync of the directory", "cwsr", gone},
		{"a sync of the directory before the renaming", "cwsdr", gone},
		{"the old file is removed first", "cwsxrd", neither},
		{"nothing is done", "", gone},
		{"a failed sync", "cwfrd", mixed},
		{"a failed sync, and another", "cwfsrd", mixed},
		{"a failed sync of the directory, and another", "cwsred", gone},
	} {
		t.Run(test.name, func(t *testing.T) {
			states, err := published(test.steps, before)
			if test.wrong == "" && (err != nil || states <= len(test.steps)) ||
				test.wrong != "" && (err == nil || !strings.Contains(err.Error(), test.wrong)) {
				t.Errorf("%s: %d states, %v", test.name, states, err)
			}
			// Where no file was before, none is fine until success is reported.
			_, err = published(test.steps, nil)
			if (err == nil) != (test.wrong == "" || test.wrong == neither) {
				t.Errorf("%s, without an old file: %v", test.name, err)
			}
		})
	}
}

// Every state is there, and once.
func TestStatesAreCounted(t *testing.T) {
	l := newCrashLog(blockSize, nil)
	l.Create(1, "a")         // there or not
	l.Write(1, 0, after)     // or empty, or one of 3 sizes, each block written or not: 2 + 4 + 8 more
	l.SyncFolder(true)       // the same, but it is there
	l.SyncFile(1, true)      // all of it
	l.Rename("a", "b")       // both names or one of them, or none
	l.Write(1, 0, []byte{1}) // the same, and a with the write or without
	l.SyncFolder(true)       // b alone, which no reader opens here
	counts := map[int]int{}
	total := l.Crashes("a", func(s crashState) bool { counts[s.Calls]++; return true })
	want := []int{1, 2, 16, 15, 1, 4, 6, 1}
	for i, n := range want {
		if counts[i] != n {
			t.Errorf("%d states after %d calls, want %d", counts[i], i, n)
		}
		total -= n
	}
	if total != 0 {
		t.Errorf("%d states too many", total)
	}
}
