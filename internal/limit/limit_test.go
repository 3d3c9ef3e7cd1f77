package limit

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
)

func TestLinesAreReadInAnyPieces(t *testing.T) {
	long := strings.Repeat("x", 1<<17)
	text := "one\ntwo\r\n\n" + long + "\r\n\r\nlast"
	for name, r := range map[string]io.Reader{
		"whole": strings.NewReader(text), "byte by byte": iotest.OneByteReader(strings.NewReader(text)), "with EOF": iotest.DataErrReader(strings.NewReader(text)),
	} {
		lines, offset := NewLineReader(r), int64(0)
		for i, want := range []string{"one", "two", "", long, "", "last"} {
			got, err := lines.Read()
			if string(got) != want || err != nil || lines.Number != i+1 || lines.Whole != (want != "last") {
				t.Fatalf("%s: line %d is %.20q, %v, number %d", name, i+1, got, err, lines.Number)
			}
			if at := text[lines.Offset:]; lines.Offset < offset || !strings.HasPrefix(at, want) {
				t.Errorf("%s: line %d is at %d", name, i+1, lines.Offset)
			}
			offset = lines.Offset
		}
		if got, err := lines.Read(); err != io.EOF {
			t.Errorf("%s: after the last line %q, %v", name, got, err)
		}
	}
	failed := errors.New("failed")
	lines := NewLineReader(iotest.ErrReader(failed))
	if _, err := lines.Read(); err != failed {
		t.Error(err)
	}
}

func TestLongLinesAreRefused(t *testing.T) {
	for _, size := range []int{Line, Line + 1} {
		lines := NewLineReader(bufio.NewReader(io.MultiReader(strings.NewReader("first\n"), bytes.NewReader(make([]byte, size)), strings.NewReader("\nlast"))))
		if _, err := lines.Read(); err != nil {
			t.Fatal(err)
		}
		line, err := lines.Read()
		if refused := errors.Is(err, Err); refused != (size > Line) || !refused && (err != nil || len(line) != size) || lines.Number != 2 || lines.Offset != 6 {
			t.Errorf("%d bytes: %d, %v, line %d at %d", size, len(line), err, lines.Number, lines.Offset)
		}
	}
}

// The page on the design states the limits.
func TestLimitsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/design.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{
		fmt.Sprintf("| %d times its size, once it is longer than %d MiB;", Expansion, Expanded>>20), fmt.Sprintf("at once | %d MiB |", Window>>20),
		fmt.Sprintf("of a replay file | %d MiB |", Line>>20), fmt.Sprintf("a line of a JamaicaVM's profile | %d MiB |", JamaicaLine>>20),
		fmt.Sprintf("under a key that means nothing | %d MiB |", Item>>20), fmt.Sprintf("| nesting of JSON | %d |", Nesting),
		fmt.Sprintf("| keys of an iprof file that mean nothing | %d |", Keys), fmt.Sprintf("| items of fewer than %d bytes", SmallItem), fmt.Sprintf("| %d |", SmallItems),
		fmt.Sprintf("in a function of LLVM's | %d |", ValueSites), fmt.Sprintf("one for each byte, and %d |", FewNames),
	} {
		if !bytes.Contains(page, []byte(row)) {
			t.Errorf("docs/design.md does not say %q", row)
		}
	}
}
