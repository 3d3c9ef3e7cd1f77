package procfs

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
)

func TestParseMapping(t *testing.T) {
	const front = "7f00aa000000-7f00aa001000 r--p 00001000 fe:00 247026                     "
	for path, name := range map[string]string{
		"/usr/lib/libjvm.so":                     "libjvm.so",
		"/a folder  with spaces/libjvm.so":       "libjvm.so",
		"/usr/lib/libjvm.so (deleted)":           "libjvm.so",
		"/usr/lib/libjvm.so (deleted) (deleted)": "libjvm.so (deleted)", // a file that was called so
		`/usr/lib/x\012/libjvm.so`:               "libjvm.so",
		`/usr/lib/libjvm.so\012`:                 `libjvm.so\012`,
		"/libjvm.so.d/other":                     "other",
	} {
		t.Run(path, func(t *testing.T) {
			m, ok := parseMapping(front + path + "\n")
			if !ok || m.Start != 0x7f00aa000000 || m.Offset != 0x1000 || m.Path != path || m.Name() != name {
				t.Errorf("%q: %+v, name %q", path, m, m.Name())
			}
		})
	}
	for _, line := range []string{"", "\n", "x", front, front + "[heap]", front + "[anon:/libjvm.so]", "zz-1 r 0 0 0 /a",
		"1-2 r zz 0 0 /a"} {
		if m, ok := parseMapping(line); ok {
			t.Errorf("%q: %+v", line, m)
		}
	}
}

// manyLines is a maps file of millions of lines.
type manyLines struct{ left int }

func (l *manyLines) Read(b []byte) (int, error) {
	const line = "7f00aa000000-7f00aa001000 r--p 00000000 fe:00 247026 /usr/lib/libjvm.so\n"
	n := 0
	for ; l.left > 0 && len(b)-n >= len(line); l.left-- {
		n += copy(b[n:], line)
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func TestMillionsOfMappings(t *testing.T) {
	full.Only(t, "takes many inputs")
	const lines = 2_000_000
	n := 0
	if err := eachMapping(context.Background(), &manyLines{lines}, func(Mapping) bool { n++; return true }); err != nil ||
		n != lines {
		t.Errorf("%d mappings, %v", n, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	n = 0
	err := eachMapping(ctx, &manyLines{lines}, func(Mapping) bool { n++; cancel(); return true })
	if !errors.Is(err, context.Canceled) || n != 1 {
		t.Errorf("after a cancellation: %d mappings, %v", n, err)
	}
}

// A line that no system prints is skipped, and what follows is read.
func TestLongLine(t *testing.T) {
	const front = "1-2 r--p 0 fe:00 1 /"
	text := front + strings.Repeat("x", 3*maxLine) + "/libjvm.so\n" + front + "libjvm.so\n"
	var names []string
	err := eachMapping(context.Background(), strings.NewReader(text),
		func(m Mapping) bool { names = append(names, m.Path); return true })
	if err != nil || len(names) != 1 || names[0] != "/libjvm.so" {
		t.Errorf("%d mappings, %v", len(names), err)
	}
}

func TestMappings(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has /proc/PID/maps")
	}
	self, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	found := false
	for m, err := range Mappings(context.Background(), os.Getpid()) {
		if err != nil {
			t.Fatal(err)
		}
		found = found || m.Name() == filepath.Base(self) && m.Offset == 0
	}
	if !found {
		t.Errorf("no mapping of %s", self)
	}
	for m, err := range Mappings(context.Background(), -1) {
		if !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%+v, %v", m, err)
		}
	}
}
