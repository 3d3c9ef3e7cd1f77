package damage

import (
	"encoding/binary"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// sampler picks one change in 250.
func sampler(name string) func() bool { return oneIn(250, name) }

// oneIn picks one change in so many, a tenth of these in a short run.
func oneIn(n int, name string) func() bool {
	if testing.Short() {
		n *= 10
	}
	return pickOneIn(n, name)
}

// A subject is a sound archive with its answers.
type subject struct {
	data      []byte
	header    *layout.Header
	questions questions
	want      map[bool][]answer // by adopted
}

func eachSubject(t *testing.T, test func(t *testing.T, s *subject)) {
	for _, sp := range specimen.All() {
		t.Run(sp.Name, func(t *testing.T) {
			test(t, newSubject(t, bytesOf(t, sp)))
		})
	}
}

func newSubject(t testing.TB, data []byte) *subject {
	s := &subject{data: data, want: map[bool][]answer{}}
	store := open(t, data)
	var err error
	if s.questions, err = questionsOf(store); err != nil {
		t.Fatal(err)
	}
	h := *store.Header()
	s.header = &h
	for _, adopted := range []bool{false, true} {
		s.want[adopted], err = s.ask(data, adopted)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range s.want[adopted] {
			if a.err != nil {
				t.Fatalf("sound archive: %s: %v", a.question, a.err)
			}
		}
	}
	return s
}

func bytesOf(t testing.TB, s specimen.Specimen) []byte {
	t.Helper()
	data, err := s.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func open(t testing.TB, data []byte) *reader.Store {
	t.Helper()
	m, err := archive.FromBytes("damaged.parc", data, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return reader.New(m)
}

// ask opens the bytes and asks all questions. The error comes from opening.
func (s *subject) ask(data []byte, adopted bool) ([]answer, error) {
	m, err := archive.FromBytes("damaged.parc", data, archive.Options{})
	if err != nil {
		return nil, err
	}
	store := reader.New(m)
	defer store.Close()
	if adopted {
		if err := store.Adopt(reader.AdoptOptions{Anywhere: true}); err != nil {
			return nil, err
		}
	}
	return ask(store, s.questions, adopted), nil
}

// typed reports whether err is an error that a damaged archive may return.
func typed(err error) bool {
	var e *layout.Error
	for _, sentinel := range []error{layout.ErrCorrupt, layout.ErrFormat, layout.ErrVersion} {
		if errors.Is(err, sentinel) {
			return errors.As(err, &e) && e.File == "damaged.parc" && e.Offset >= 0
		}
	}
	return false
}

// hold compares the answers of a damaged archive with the sound one's.
func (s *subject) hold(t *testing.T, what string, at int, data []byte) {
	t.Helper()
	for _, adopted := range []bool{false, true} {
		got, err := s.ask(data, adopted)
		if err != nil {
			if !typed(err) {
				t.Fatalf("%s at 0x%x: opening: %v", what, at, err)
			}
			continue
		}
		for i, want := range s.want[adopted] {
			switch a := got[i]; {
			case a.err == nil && a.text != want.text:
				t.Fatalf("%s at 0x%x, adopted %v: %s: another answer:\n%s\nwant\n%s", what, at, adopted, a.question,
					a.text, want.text)
			case a.err != nil && !typed(a.err):
				t.Fatalf("%s at 0x%x, adopted %v: %s: %v", what, at, adopted, a.question, a.err)
			case a.err != nil && !strings.HasPrefix(want.text, a.text):
				t.Fatalf("%s at 0x%x, adopted %v: %s: another answer before the error", what, at, adopted, a.question)
			}
		}
	}
}

// used reports whether the byte at offset is in a region or the header.
func (s *subject) used(offset int) bool {
	for r := disk.RegionHeader; r <= disk.RegionRW; r++ {
		if disk.RegionOf(s.header, r).Holds(int64(offset), 1) {
			return true
		}
	}
	return false
}

// dense reports whether every value of the byte at offset is tried.
func (s *subject) dense(offset int) bool {
	for _, r := range []layout.Region{disk.RegionHeader, disk.RegionPS, disk.RegionIX, disk.RegionBM} {
		if disk.RegionOf(s.header, r).Holds(int64(offset), 1) {
			return true
		}
	}
	return false
}

// eachChange yields the changes of single bytes: all 255 other values in
// header, ps, ix and bm, every bit elsewhere, and a sample of the padding.
func (s *subject) eachChange(name string, yield func(at int, mask byte)) {
	pick := sampler(name)
	for at := range s.data {
		switch {
		case s.dense(at):
			for mask := 1; mask < 256; mask++ {
				if pick() {
					yield(at, byte(mask))
				}
			}
		case s.used(at) || at%997 == 0:
			for bit := range 8 {
				if pick() {
					yield(at, 1<<bit)
				}
			}
		}
	}
}

func TestEveryChangedByteIsDetected(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	eachSubject(t, func(t *testing.T, s *subject) {
		n := 0
		s.eachChange(t.Name(), func(at int, mask byte) {
			n++
			s.data[at] ^= mask
			s.hold(t, "changed byte", at, s.data)
			s.data[at] ^= mask
		})
		t.Logf("%d changes", n)
	})
}

func TestEveryTruncationIsDetected(t *testing.T) {
	eachSubject(t, func(t *testing.T, s *subject) {
		pick := sampler(t.Name())
		for n := range s.data {
			if n < 2*disk.HeaderSize || pick() {
				s.hold(t, "cut off", n, append(words.AlignedBytes(n)[:0], s.data[:n]...))
			}
		}
	})
}

// maxAlloc is the number of bytes that all questions to one small archive may allocate,
// however it is damaged: many times what a sound one needs.
const maxAlloc = 64 << 20

// survive asks all questions to an archive with correct sums and invalid content. Any
// answer is fine, but no fault, endless loop, unbounded allocation or untyped error.
func (s *subject) survive(t *testing.T, what string, at int, data []byte) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, adopted := range []bool{false, true} {
		answers, err := s.ask(data, adopted)
		if err != nil && !typed(err) {
			t.Fatalf("%s at 0x%x: opening: %v", what, at, err)
		}
		for _, a := range answers {
			if a.err != nil && !typed(a.err) {
				t.Fatalf("%s at 0x%x, adopted %v: %s: %v", what, at, adopted, a.question, a.err)
			}
		}
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > maxAlloc {
		t.Fatalf("%s at 0x%x: allocated %d bytes", what, at, n)
	}
}

func TestDamageWithCorrectSumsIsHarmless(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	eachSubject(t, func(t *testing.T, s *subject) {
		s.eachChange(t.Name(), func(at int, mask byte) {
			data := append(words.AlignedBytes(len(s.data))[:0], s.data...)
			data[at] ^= mask
			updateAllChecksums(data, s.header)
			s.survive(t, "changed byte, sums right", at, data)
		})
	})
}

// FuzzForged changes many bytes of a specimen at once, with correct sums: the
// input is a list of (offset, value) pairs.
func FuzzForged(f *testing.F) {
	var subjects []*subject
	for _, sp := range specimen.All() {
		subjects = append(subjects, newSubject(f, bytesOf(f, sp)))
	}
	f.Add(uint8(0), []byte{0x90, 0x02, 0xff})
	f.Add(uint8(4), []byte{0x00, 0x03, 0x01, 0x10, 0x04, 0x80})
	f.Fuzz(func(t *testing.T, which uint8, changes []byte) {
		s := subjects[int(which)%len(subjects)]
		data := append(words.AlignedBytes(len(s.data))[:0], s.data...)
		var live []int
		for at := range data {
			if s.used(at) {
				live = append(live, at)
			}
		}
		for ; len(changes) >= 3; changes = changes[3:] {
			data[live[int(binary.LittleEndian.Uint16(changes))%len(live)]] = changes[2]
		}
		updateAllChecksums(data, s.header)
		s.survive(t, "fuzzed", 0, data)
	})
}
