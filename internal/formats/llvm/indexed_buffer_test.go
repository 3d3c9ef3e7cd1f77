package llvm

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/internal/testkit/memstore"
)

// wideProgram returns a text of functions that fill the buffer of a source several times when they are
// indexed, some of them with values or several hashes, and one of them longer than the buffer.
func wideProgram() []byte {
	var b bytes.Buffer
	b.WriteString(":ir\n")
	for i := range 2500 {
		for hash := range 1 + i%40/39 {
			counters := 1 + i%17
			if i == 1200 {
				counters = 3 * bufferSize / 8
			}
			fmt.Fprintf(&b, "function%d\n%d\n%d\n", i, 100+hash, counters)
			for c := range counters {
				fmt.Fprintln(&b, i*c)
			}
			if i%13 == 5 {
				fmt.Fprintf(&b, "1\n0\n1\n1\nfunction%d:%d\n", i-1, i)
			}
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

// indexedOf returns the indexed file of a text.
func indexedOf(t testing.TB, text []byte) []byte {
	b, _ := readInto(t, ReadOptions{}, text)
	var out bytes.Buffer
	if _, err := WriteIndexed(&out, memstore.Open(t, b), WriteOptions{Version: 12}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Functions are added from where they lie in the buffer, which moves below them.
func TestFunctionsOutlastTheBuffer(t *testing.T) {
	t.Parallel()
	text := wideProgram()
	file := indexedOf(t, text)
	if len(file) < 4*bufferSize {
		t.Fatalf("a file of %d bytes tests nothing", len(file))
	}
	want := contentOf(t, text, text)
	b, _, err := Read(iotest.HalfReader(bytes.NewReader(file)), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err = Read(iotest.OneByteReader(bytes.NewReader(file)), ReadOptions{Into: b}); err != nil {
		t.Fatal(err)
	}
	got := contentOfBuilder(t, b)
	if diff := cmp.Diff(want.Functions, got.Functions); diff != "" {
		t.Error(diff)
	}
}

// An error names the last function before it, which may have left the buffer.
func TestAnErrorNamesTheFunctionBefore(t *testing.T) {
	t.Parallel()
	file := indexedOf(t, wideProgram())
	for n := 2 * bufferSize / 3; n < len(file)*3/4; n += 997 {
		_, _, err := Read(bytes.NewReader(file[:n]), ReadOptions{})
		var cut *Error
		if !errors.As(err, &cut) {
			t.Fatalf("cut at %d: %v", n, err)
		}
		at := bytes.LastIndex(file[:n], []byte(cut.After))
		if cut.After == "" || at < 0 || n-at > 4*bufferSize {
			t.Fatalf("cut at %d: after %q at %d", n, cut.After, at)
		}
	}
}
