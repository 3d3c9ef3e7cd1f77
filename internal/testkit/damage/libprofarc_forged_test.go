package damage

import (
	"encoding/binary"
	"hash/fnv"
	"io"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/jsondump"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// verdict returns what libprofarc makes of a forgery: whether it is sound, and the hash of
// what was printed.
func verdict(t *testing.T, c *readerProcess, edits ...edit) (sound bool, printed uint64) {
	t.Helper()
	status, printed := c.Verdict(t, edits...)
	return status == 1, printed
}

// TestForgeriesAreTheSame makes references of every specimen lead to other places of
// its file, and makes the sums right again: both libraries must refuse the same
// forgeries and print the same of all others.
func TestForgeriesAreTheSame(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program := libprofarcDump(t)
	for _, s := range specimen.All() {
		t.Run(s.Name, func(t *testing.T) {
			data := bytesOf(t, s)
			c := startProcess(t, program, data)
			var n, taken, differ int
			err := eachForgery(data, pickOneIn(200, t.Name()), func(f *forger, r reference, value uint64) {
				if differ == 20 {
					return
				}
				n++
				m, err := archive.FromBytes("forged.parc", f.Bytes(), archive.Options{})
				hash := fnv.New64a()
				if err == nil {
					err = jsondump.WriteArchive(hash, reader.New(m))
				}
				if err == nil {
					taken++
				}
				if sound, printed := verdict(t, c, f.Edits()...); sound != (err == nil) || sound && printed != hash.Sum64() {
					differ++
					t.Errorf("%s at 0x%x set to 0x%x: Go says %v, C takes it: %t; same output: %t", r.What, r.At, value, err, sound,
						printed == hash.Sum64())
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d forgeries, %d of them taken", n, taken)
		})
	}
}

// TestClassesOfUnexecutedMethodsAreTheSame gives the classes of unexecuted methods other
// numbers of rows: both libraries must refuse a class without a row, the first class too.
func TestClassesOfUnexecutedMethodsAreTheSame(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program := libprofarcDump(t)
	for _, s := range specimen.All() {
		data := bytesOf(t, s)
		c := startProcess(t, program, data)
		f, err := newForger(data)
		if err != nil {
			t.Fatal(err)
		}
		rows := open(t, data).Header().Parts[disk.PartUnexecuted]
		for at := rows.Offset; at < rows.End(); at += 4 {
			for value := range uint64(5) {
				f.Set(reference{At: at}, value)
				m, err := archive.FromBytes("forged.parc", f.Bytes(), archive.Options{})
				if err == nil {
					err = jsondump.WriteArchive(io.Discard, reader.New(m))
				}
				if sound, _ := verdict(t, c, f.Edits()...); sound != (err == nil) {
					t.Errorf("%s: word at 0x%x set to %d: Go says %v, C takes it: %t", s.Name, at, value, err, sound)
				}
			}
		}
	}
}

// TestChangedBytesAreRefused changes bytes one at a time and leaves the sums as they
// are: every change must be noticed, but of padding.
func TestChangedBytesAreRefused(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program := libprofarcDump(t)
	data := bytesOf(t, specimen.All()[0])
	h := open(t, data).Header()
	c := startProcess(t, program, data)
	_, want := verdict(t, c)
	padding := layout.Span{Offset: disk.RegionOf(h, disk.RegionEX).End() + 4096,
		Size: disk.RegionOf(h, disk.RegionRW).Offset - disk.RegionOf(h, disk.RegionEX).End() - 8192}
	unread := 0
	for at := int64(0); at+8 <= h.FileSize; at += 13 {
		if padding.Holds(at, 1) {
			continue
		}
		place := min(at, h.FileSize-8)
		word := binary.LittleEndian.Uint64(data[place:]) ^ 1<<(at%64)
		switch sound, printed := verdict(t, c, edit{At: place, New: word}); {
		case sound && printed != want:
			t.Errorf("a byte at 0x%x was changed, and the output is another", place)
		case sound && place+7 < 640:
			t.Errorf("a byte at 0x%x was changed in the header, and nothing was noticed", place)
		case sound:
			unread++
		}
	}
	t.Logf("%d changes of bytes that a dump does not read", unread)
}
