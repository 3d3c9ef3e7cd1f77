package publish

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

var errFault = errors.New("an error of the disk")

// A fault is what goes wrong in one call of a storage, or in that and all later ones.
type fault struct {
	name string
	call func(s *faulty, b []byte, at int64) (int, error) // of WriteAt
	sync error
	read error
}

// faulty is a storage in which a call goes wrong: that with a number, from 1, or also all later ones.
type faulty struct {
	*os.File
	fault  *fault
	number int
	always bool
	calls  int
	wrong  int
}

func (f *faulty) now() bool {
	f.calls++
	if f.calls == f.number || f.always && f.calls > f.number {
		f.wrong++
		return true
	}
	return false
}

func (f *faulty) WriteAt(b []byte, at int64) (int, error) {
	if f.fault.call != nil && f.now() {
		return f.fault.call(f, b, at)
	}
	return f.File.WriteAt(b, at)
}

func (f *faulty) ReadAt(b []byte, at int64) (int, error) {
	if f.fault.read != nil && f.now() {
		return len(b) / 2, f.fault.read
	}
	return f.File.ReadAt(b, at)
}

func (f *faulty) Sync() error {
	if f.fault.sync != nil && f.now() {
		return f.fault.sync
	}
	return f.File.Sync()
}

// faults are all that can go wrong in a storage. Some report success.
var faults = []fault{
	{name: "failing write", call: func(*faulty, []byte, int64) (int, error) { return 0, errFault }},
	{name: "short write", call: func(f *faulty, b []byte, at int64) (int, error) {
		n, _ := f.File.WriteAt(b[:len(b)/2], at)
		return n, io.ErrShortWrite
	}},
	{name: "write that is dropped", call: func(_ *faulty, b []byte, _ int64) (int, error) { return len(b), nil }},
	{name: "write of half", call: func(f *faulty, b []byte, at int64) (int, error) {
		_, err := f.File.WriteAt(b[:len(b)/2], at)
		return len(b), err
	}},
	{name: "write elsewhere", call: func(f *faulty, b []byte, at int64) (int, error) { return f.File.WriteAt(b, at+1) }},
	{name: "write with a changed bit", call: func(f *faulty, b []byte, at int64) (int, error) {
		b = bytes.Clone(b)
		b[len(b)/2] ^= 4
		return f.File.WriteAt(b, at)
	}},
	{name: "failing sync", sync: errFault},
	{name: "failing read", read: errFault},
}

// Every call that stores the file goes wrong once, and from then on: the old file stays, and the error says so. A
// file is published only if it holds what was written.
func TestFaultsLeaveTheOldFile(t *testing.T) {
	blocks := [][]byte{bytes.Repeat([]byte("profile"), writeBlock/4), []byte("header"), bytes.Repeat([]byte{1}, 5000)}
	write := func(f *File) error {
		at := int64(0)
		for _, b := range blocks {
			if _, err := f.WriteAt(b, at); err != nil {
				return err
			}
			at += int64(len(b))
		}
		return nil
	}
	cases := 0
	for i := range faults {
		for _, always := range []bool{false, true} {
			for number := 1; ; number++ {
				folder := t.TempDir()
				path := filepath.Join(folder, "app.parc")
				if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
					t.Fatal(err)
				}
				var s *faulty
				err := publishOn(t.Context(), path, func(f *os.File) storage {
					s = &faulty{File: f, fault: &faults[i], number: number, always: always}
					return s
				}, write)
				if s.wrong == 0 {
					break // fewer calls than that
				}
				what := fmt.Sprintf("%s %d, later ones too: %v", faults[i].name, number, always)
				if err == nil || !errors.Is(err, errFault) && !errors.Is(err, io.ErrShortWrite) && !errors.Is(err, ErrNotStored) {
					t.Errorf("%s: %v", what, err)
				}
				if kept, err := os.ReadFile(path); err != nil || string(kept) != "old" {
					t.Fatalf("%s: the old file is gone: %v", what, err)
				}
				if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
					t.Errorf("%s: %d files are left, %v", what, len(left), err)
				}
				cases++
			}
		}
	}
	t.Logf("%d faults", cases)
	if cases < 40 {
		t.Errorf("only %d faults", cases)
	}
}
