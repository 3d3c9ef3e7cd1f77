package c_test

import (
	"bufio"
	"encoding/binary"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/dump"
	"github.com/profarc/profarc/internal/forgery"
	"github.com/profarc/profarc/internal/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A server is dump.c as it runs over many forgeries of one archive.
type server struct {
	to   *bufio.Writer
	from *bufio.Reader
}

func serve(t *testing.T, program string, data []byte) *server {
	t.Helper()
	cmd := exec.Command(program)
	cmd.Stderr = os.Stderr // where the sanitizers speak
	cmd.Env = append(os.Environ(), "ASAN_OPTIONS=detect_leaks=0")
	to, err1 := cmd.StdinPipe()
	from, err2 := cmd.StdoutPipe()
	if err1 != nil || err2 != nil || cmd.Start() != nil {
		t.Fatalf("%v, %v", err1, err2)
	}
	t.Cleanup(func() {
		to.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	s := &server{bufio.NewWriter(to), bufio.NewReader(from)}
	s.send(uint64(len(data)))
	s.to.Write(data)
	return s
}

func (s *server) send(numbers ...uint64) {
	for _, n := range numbers {
		s.to.Write(binary.LittleEndian.AppendUint64(nil, n))
	}
}

// verdict is what libprofarc makes of a forgery: whether it is sound, and the hash of
// what was printed.
func (s *server) verdict(t *testing.T, edits ...forgery.Edit) (sound bool, printed uint64) {
	t.Helper()
	s.send(uint64(len(edits)))
	for _, e := range edits {
		s.send(uint64(e.At), e.New)
	}
	var b [16]byte
	if err := s.to.Flush(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(s.from, b[:]); err != nil {
		t.Fatal(err)
	}
	return binary.LittleEndian.Uint64(b[:]) == 1, binary.LittleEndian.Uint64(b[8:])
}

// TestForgeriesAreTheSame makes references of every specimen lead to other places of
// its file, and makes the sums right again: both libraries must refuse the same
// forgeries and print the same of all others.
func TestForgeriesAreTheSame(t *testing.T) {
	t.Parallel()
	program := sanitized(t, "address,undefined").client(t, "tests/dump.c")
	for _, s := range specimen.All() {
		t.Run(s.Name, func(t *testing.T) {
			data := archiveOf(t, s)
			c := serve(t, program, data)
			var n, taken, differ int
			err := forgery.Each(data, forgery.OneIn(200, t.Name()), func(f *forgery.Forger, r forgery.Reference, value uint64) {
				if differ == 20 {
					return
				}
				n++
				m, err := archive.FromBytes("forged.parc", f.Bytes(), archive.Options{})
				hash := fnv.New64a()
				if err == nil {
					err = dump.JSON(hash, reader.New(m))
				}
				if err == nil {
					taken++
				}
				if sound, printed := c.verdict(t, f.Edits()...); sound != (err == nil) || sound && printed != hash.Sum64() {
					differ++
					t.Errorf("%s at 0x%x set to 0x%x: Go says %v, C takes it: %t; same output: %t", r.What, r.At, value, err, sound, printed == hash.Sum64())
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d forgeries, %d of them taken", n, taken)
		})
	}
}

// TestChangedBytesAreRefused changes bytes one at a time and leaves the sums as they
// are: every change must be noticed, but of padding.
func TestChangedBytesAreRefused(t *testing.T) {
	t.Parallel()
	program := sanitized(t, "address,undefined").client(t, "tests/dump.c")
	data := archiveOf(t, specimen.All()[0])
	h := store(t, data).Header()
	c := serve(t, program, data)
	_, want := c.verdict(t)
	padding := layout.Span{Offset: h.Region(layout.RegionEX).End() + 4096, Size: h.Region(layout.RegionRW).Offset - h.Region(layout.RegionEX).End() - 8192}
	unread := 0
	for at := int64(0); at+8 <= h.FileSize; at += 13 {
		if padding.Holds(at, 1) {
			continue
		}
		place := min(at, h.FileSize-8)
		word := binary.LittleEndian.Uint64(data[place:]) ^ 1<<(at%64)
		switch sound, printed := c.verdict(t, forgery.Edit{At: place, New: word}); {
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
