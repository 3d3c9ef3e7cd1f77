// Package procfs reads information about processes from /proc.
package procfs

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path"
	"strconv"
	"strings"
	"time"
)

type Mapping struct {
	Start, Offset uint64
	// Path is spelled as by the system, with \012 for a line feed and " (deleted)" at the end if the file is gone.
	Path string
}

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
		ParseMappings(ctx, f)(yield)
	}
}

// ParseMappings is like Mappings, for the text of /proc/PID/maps.
func ParseMappings(ctx context.Context, text io.Reader) iter.Seq2[Mapping, error] {
	return func(yield func(Mapping, error) bool) {
		if err := eachMapping(ctx, text, func(m Mapping) bool { return yield(m, nil) }); err != nil {
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

// clockTick is the unit of /proc/stat on all processors that Linux supports.
const clockTick = 10 * time.Millisecond

// BusyTime returns the busy time of all processors since the machine was booted, 0 if the system does not provide it.
func BusyTime() time.Duration {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	return parseBusyTime(text)
}

// parseBusyTime parses the first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal, and
// guests, which the first two include.
func parseBusyTime(text []byte) (busy time.Duration) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	fields := bytes.Fields(line)
	if len(fields) < 8 || string(fields[0]) != "cpu" {
		return 0
	}
	for i, field := range fields[1:min(9, len(fields))] {
		ticks, err := strconv.ParseInt(string(field), 10, 64)
		if err != nil || ticks < 0 || ticks > 1<<53 {
			return 0
		}
		if i != 3 && i != 4 { // idle and iowait
			busy += time.Duration(ticks) * clockTick
		}
	}
	return busy
}

type Identity struct {
	Boot      [16]byte // boot id of the machine
	Namespace uint64   // PID namespace
	PID       uint64   // process id in that namespace
	Start     uint64   // start time in clock ticks since the machine was booted
}

// StatFields returns the fields of a file such as /proc/PID/stat after the program name, which can have any bytes.
func StatFields(file string) ([]string, error) {
	text, err := os.ReadFile(file)
	return strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])), err
}

// StartField is the index in StatFields of the start time.
const StartField = 19

// Identify returns the identity of a process; ok is false if the system does not provide it.
func Identify(pid int) (id Identity, ok bool) {
	boot, err1 := os.ReadFile("/proc/sys/kernel/random/boot_id")
	bytes, err2 := hex.DecodeString(strings.ReplaceAll(strings.TrimSpace(string(boot)), "-", ""))
	fields, err3 := StatFields(fmt.Sprintf("/proc/%d/stat", pid))
	if err1 != nil || err2 != nil || err3 != nil || len(bytes) != len(id.Boot) || len(fields) <= StartField {
		return Identity{}, false
	}
	id.Boot = [16]byte(bytes)
	id.PID = uint64(pid)
	if numbers := strings.Fields(StatusField(pid, "NSpid")); len(numbers) > 0 {
		id.PID, _ = strconv.ParseUint(numbers[len(numbers)-1], 10, 64)
	}
	namespace, _ := os.Readlink(fmt.Sprintf("/proc/%d/ns/pid", pid))
	id.Namespace, _ = strconv.ParseUint(strings.Trim(strings.TrimPrefix(namespace, "pid:"), "[]"), 10, 64)
	id.Start, err1 = strconv.ParseUint(fields[StartField], 10, 64)
	return id, err1 == nil
}
