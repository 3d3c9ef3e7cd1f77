package llvm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/testkit/full"
)

// intact returns files of all forms, small ones first.
func intact(t testing.TB) map[string][]byte {
	files := map[string][]byte{"text": []byte(smallText)}
	for version := RawOldest; version <= RawNewest; version++ {
		s := fullSpec(version, VariantIR|VariantTemporal, version%2 == 0, 4+version%2*4)
		s.before = 16
		files[fmt.Sprintf("raw %d", version)] = s.encode(t)
	}
	for version := IndexedOldest; version <= IndexedNewest; version++ {
		files[fmt.Sprintf("indexed %d", version)] = smallIndexed(version)
	}
	return files
}

// readOnce reads a file twice: both must return the same error.
func readOnce(t testing.TB, file []byte) error {
	t.Helper()
	_, _, err := Read(bytes.NewReader(file), ReadOptions{Name: "damaged"})
	_, checked := readAndDrop(bytes.NewReader(file), ReadOptions{Name: "damaged"})
	if fmt.Sprint(err) != fmt.Sprint(checked) && !errors.Is(err, builder.ErrDuplicate) {
		t.Fatalf("read: %v\nchecked: %v", err, checked)
	}
	var typed *Error
	if err != nil && !errors.As(err, &typed) && !errors.Is(err, builder.ErrMismatch) &&
		!errors.Is(err, builder.ErrDuplicate) {
		t.Fatalf("an error without a place: %v", err)
	}
	if typed != nil && (typed.Offset < 0 || typed.Offset > int64(len(file))) {
		t.Fatalf("offset %d of %d: %v", typed.Offset, len(file), err)
	}
	return err
}

func TestCutAtEveryLength(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	for name, file := range intact(t) {
		if err := readOnce(t, file); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for n := range file {
			err := readOnce(t, file[:n])
			if err == nil && name != "text" {
				t.Fatalf("%s: cut at %d of %d, and accepted", name, n, len(file))
			}
			if n >= 8 && name != "text" && !errors.Is(err, ErrCut) {
				t.Fatalf("%s: cut at %d of %d: %v", name, n, len(file), err)
			}
		}
	}
}

// TestCutSays: the error of a file that is cut off names the place, and the last function that is whole.
func TestCutSays(t *testing.T) {
	file := smallIndexed(13)
	err := readOnce(t, file[:len(file)-1])
	want := fmt.Sprintf("damaged: byte %d: %v: it ends within a temporal trace (last whole function: main)",
		len(file)-1, ErrCut)
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	raw := fullSpec(10, VariantIR, false, 8).encode(t)
	err = readOnce(t, raw[:len(raw)-1])
	want = fmt.Sprintf("damaged: byte %d: %v: it ends within the values of a function (last whole function: "+
		"a.cpp;_ZL3addll)", len(raw)-1, ErrCut)
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestSamplesCut(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	rng := rand.New(rand.NewPCG(1, 1))
	for _, s := range samples(t) {
		for _, file := range append([][]byte{s.profdata}, s.raws...) {
			for range 20 {
				n := rng.IntN(len(file))
				if err := readOnce(t, file[:n]); err == nil && n%8 != 0 {
					t.Fatalf("%s: cut at %d of %d, and accepted", s.dir, n, len(file))
				}
			}
		}
	}
}

func TestChangedBytes(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	rng := rand.New(rand.NewPCG(2, 2))
	for _, file := range intact(t) {
		for range 1000 {
			changed := bytes.Clone(file)
			for range 1 + rng.IntN(3) {
				changed[rng.IntN(len(changed))] = byte(rng.Uint32()) >> rng.IntN(8)
			}
			_ = readOnce(t, changed)
		}
	}
}

// TestWildWords: sizes and offsets that are much too large, everywhere, give an error and take no memory.
func TestWildWords(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	for name, file := range intact(t) {
		for at := 0; at+8 <= len(file) && name != "text"; at += 8 {
			for _, v := range []uint64{1 << 62, 1 << 40, 1<<64 - 1, 1<<63 - 1, 1<<32 - 1} {
				changed := bytes.Clone(file)
				binary.LittleEndian.PutUint64(changed[at:], v)
				_ = readOnce(t, changed)
			}
		}
	}
}

// TestCrashers are files that make llvm-profdata 19 and 22 crash.
func TestCrashers(t *testing.T) {
	short := binary.LittleEndian.AppendUint64(nil, indexedMagic)
	for _, v := range []uint64{5, 0, 0, 40} {
		short = binary.LittleEndian.AppendUint64(short, v)
	}
	if err := readOnce(t, short); len(short) != 40 || !errors.Is(err, ErrCut) {
		t.Errorf("40 bytes: %v", err)
	}
	for _, table := range []uint64{0, 8, 41, 1 << 20, 1 << 39, 1 << 41, 1 << 63, 1<<64 - 8} {
		wild := smallIndexed(13)
		binary.LittleEndian.PutUint64(wild[32:], table)
		if err := readOnce(t, wild); !errors.Is(err, ErrMalformed) && !errors.Is(err, ErrCut) {
			t.Errorf("a table at 0x%x: %v", table, err)
		}
	}
}

// TestReaders: the sizes of reads do not matter, and a reader's errors are given on.
func TestReaders(t *testing.T) {
	full.Only(t, "takes many inputs")
	for name, file := range intact(t) {
		whole, err := readAndDrop(bytes.NewReader(file), ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := readAndDrop(iotest.OneByteReader(bytes.NewReader(file)), ReadOptions{})
		if err != nil || r.Methods != whole.Methods || r.Entries != whole.Entries || r.Traces != whole.Traces {
			t.Errorf("%s, byte by byte: %+v, %v", name, r, err)
		}
		boom := errors.New("boom")
		for n := range file {
			_, err := readAndDrop(io.MultiReader(bytes.NewReader(file[:n]), iotest.ErrReader(boom)), ReadOptions{})
			if !errors.Is(err, boom) {
				t.Fatalf("%s: a reader that fails at %d: %v", name, n, err)
			}
		}
	}
}
