// Package procfs reads information about processes from /proc.
package procfs

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path"
	"strconv"
	"strings"
)

// A Mapping is a line of /proc/PID/maps with a file.
type Mapping struct {
	Start, Offset uint64
	// Path is spelled as by the system, with \012 for a line feed and " (deleted)" at the end if the file is gone.
	Path string
}

// Name returns the base name of the file, which may be deleted.
func (m Mapping) Name() string { return path.Base(strings.TrimSuffix(m.Path, " (deleted)")) }

// maxLine limits a line of /proc/PID/maps. A path has at most 4096 bytes, and each may be printed as four.
const maxLine = 1 << 15

// Mappings iterates over the files that a process has mapped. A process may have millions. It stops after an error.
func Mappings(ctx context.Context, pid int) iter.Seq2[Mapping, error] {
	return func(yield func(Mapping, error) bool) {
		f, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
		if err != nil {
			yield(Mapping{}, err)
			return
		}
		defer f.Close()
		if err := eachMapping(ctx, f, func(m Mapping) bool { return yield(m, nil) }); err != nil {
			yield(Mapping{}, err)
		}
	}
}

// eachMapping reads lines until yield returns false. It skips overlong lines.
func eachMapping(ctx context.Context, from io.Reader, yield func(Mapping) bool) error {
	lines := bufio.NewReaderSize(from, maxLine)
	for whole := true; ; {
		line, err := lines.ReadSlice('\n')
		cut := errors.Is(err, bufio.ErrBufferFull)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !cut:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		if m, ok := parseMapping(string(line)); ok && whole && !cut && !yield(m) {
			return nil
		}
		whole = !cut
	}
}

// parseMapping parses a line; ok is false if it has no file:
//
//	START-END PERMISSIONS OFFSET DEVICE INODE      PATH
func parseMapping(line string) (m Mapping, ok bool) {
	var fields [5]string
	for i := range fields {
		fields[i], line, _ = strings.Cut(strings.TrimLeft(line, " "), " ")
	}
	m.Path = strings.TrimSuffix(strings.TrimLeft(line, " "), "\n")
	start, _, _ := strings.Cut(fields[0], "-")
	var err1, err2 error
	m.Start, err1 = strconv.ParseUint(start, 16, 64)
	m.Offset, err2 = strconv.ParseUint(fields[2], 16, 64)
	return m, err1 == nil && err2 == nil && strings.HasPrefix(m.Path, "/")
}

// StatusField returns a field of /proc/PID/status of a process or thread, "" if it does not exist.
func StatusField(pid int, field string) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(text)) {
		if name, value, _ := strings.Cut(line, ":"); name == field {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
