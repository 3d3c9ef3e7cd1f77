package parse

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/profarc/profarc/internal/testkit/full"
)

func TestLinesAreReadInAnyPieces(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<17)
	text := "one\ntwo\r\n\n" + long + "\r\n\r\nlast"
	for name, r := range map[string]io.Reader{
		"whole": strings.NewReader(text), "byte by byte": iotest.OneByteReader(strings.NewReader(text)),
		"with EOF": iotest.DataErrReader(strings.NewReader(text)),
	} {
		lines, offset := NewLines(r, name), int64(0)
		for i, want := range []string{"one", "two", "", long, "", "last"} {
			got, err := lines.Next()
			if err != nil {
				t.Fatal(name, err)
			}
			if string(got) != want || lines.Line != i+1 {
				t.Errorf("%s: line %d is %.20q, number %d", name, i+1, got, lines.Line)
			}
			if lines.Whole != (want != "last") {
				t.Errorf("%s: line %d is whole: %v", name, i+1, lines.Whole)
			}
			if at := text[lines.Offset:]; lines.Offset < offset || !strings.HasPrefix(at, want) {
				t.Errorf("%s: line %d is at %d", name, i+1, lines.Offset)
			}
			offset = lines.Offset
		}
		if got, err := lines.Next(); err != io.EOF {
			t.Errorf("%s: after the last line %q, %v", name, got, err)
		}
	}
	failed := errors.New("failed")
	if _, err := NewLines(iotest.ErrReader(failed), "").Next(); err != failed {
		t.Error(err)
	}
}

func TestLongLinesAreRefused(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	t.Parallel()
	for _, size := range []int{MaxLine, MaxLine + 1} {
		lines := NewLines(bufio.NewReader(io.MultiReader(strings.NewReader("first\n"), bytes.NewReader(make([]byte, size)),
			strings.NewReader("\nlast"))), "")
		if _, err := lines.Next(); err != nil {
			t.Fatal(err)
		}
		line, err := lines.Next()
		if refused := errors.Is(err, ErrLimit); refused != (size > MaxLine) {
			t.Errorf("%d bytes: refused: %v", size, refused)
		} else if !refused && (err != nil || len(line) != size) {
			t.Errorf("%d bytes: %d, %v", size, len(line), err)
		}
		if lines.Line != 2 || lines.Offset != 6 {
			t.Errorf("%d bytes: line %d at %d", size, lines.Line, lines.Offset)
		}
	}
}

func TestOneEndOfALongLineIsKept(t *testing.T) {
	t.Parallel()
	const limit = 1 << 17
	for _, size := range []int{limit - 1, limit, limit + 1, 2 * limit, 2*limit + 1, 10 * limit} {
		line := "start" + strings.Repeat("x", size-8) + "end"
		for overlong, end := range map[Overlong]string{OverlongKeepStart: "\n", OverlongKeepEnd: ""} {
			lines := NewLinesLimited(strings.NewReader(line+end), "", limit, overlong)
			got, err := lines.Next()
			if err != nil {
				t.Fatal(err)
			}
			if overlong == OverlongKeepStart && (string(got) != line[:min(size, limit)] || lines.Cut != (size > limit)) {
				t.Errorf("start of %d bytes: %d bytes, cut: %v", size, len(got), lines.Cut)
			}
			if overlong == OverlongKeepEnd && (!strings.HasSuffix(line, string(got)) || len(got) < min(size, limit) ||
				len(got) > 2*limit || lines.Cut != (len(got) < size)) {
				t.Errorf("end of %d bytes: %d bytes, cut: %v", size, len(got), lines.Cut)
			}
			if _, err := lines.Next(); err != io.EOF {
				t.Errorf("%d bytes: after the line: %v", size, err)
			}
		}
	}
}
