//go:build !386 && !arm && !mips && !mipsle

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/profarc/profarc/internal/system/procfs"
	"github.com/profarc/profarc/internal/testkit/full"
)

// memoryPerByte is the most memory that an import takes for each byte of its
// input, decompressed, in addition to baseMemory. docs/design.md states it.
var memoryPerByte = map[string]int64{"methoddata": 24, "replay": 40, "iprof": 40, "jamaica": 40, "text": 24,
	"pprof": 64, "llvm": 64,
	"llvm packed names": 128}

const baseMemory = 64 << 20

// builtCommand builds the command and returns its path, to measure the memory that users see. The other tests run their
// own test binary as the command, which collects garbage before the command begins and so can touch its heap floor.
func builtCommand(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "profarc")
	out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

// importPeak imports what write writes by a program, and returns the most memory that the program had, in bytes, and
// its output.
func importPeak(t *testing.T, program string, write func(w io.Writer), args ...string) (peak int64, said string) {
	t.Helper()
	cmd := exec.Command(program, append([]string{"import", "-", "-o", filepath.Join(t.TempDir(), "out.parc")},
		args...)...)
	r, w := io.Pipe()
	cmd.Stdin = r
	go func() {
		write(w)
		w.Close()
	}()
	defer r.Close()
	return peakOf(t, cmd)
}

// peakOf runs a command, which can fail, and returns the most memory that it had, in bytes, and its output.
func peakOf(t *testing.T, cmd *exec.Cmd) (peak int64, said string) {
	t.Helper()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Start()
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err = <-ended:
			var failed *exec.ExitError
			if err != nil && !errors.As(err, &failed) {
				t.Fatal(err)
			}
			return peak, out.String()
		case <-time.After(2 * time.Millisecond):
			peak = max(peak, residentPeak(cmd.Process.Pid))
		}
	}
}

// residentPeak returns the most memory that a process had until now, in bytes. (What
// the kernel says of it at its end counts the memory of its parent, too.)
func residentPeak(pid int) int64 {
	kib, _, _ := strings.Cut(procfs.StatusField(pid, "VmHWM"), " ")
	n, _ := strconv.ParseInt(kib, 10, 64)
	return n << 10
}

// of writes a bomb of a size.
func (b bomb) of(size int) func(io.Writer) {
	return func(w io.Writer) {
		buffered := bufio.NewWriterSize(w, 1<<16)
		b.write(buffered, size)
		buffered.Flush()
	}
}

// TestMemoryIsAMultipleOfTheInput: whatever an input is made of, memory grows
// with its length and no faster. Refused inputs are measured, too. Without full.Enabled, only one bomb of 1 MiB is
// measured.
func TestMemoryIsAMultipleOfTheInput(t *testing.T) {
	program := builtCommand(t)
	sizes := []int{1 << 20, 4 << 20}
	if os.Getenv("PROFARC_EXHAUSTIVE") != "" {
		sizes = append(sizes, 2<<20, 8<<20)
	}
	if testing.Short() || !full.Enabled() {
		sizes = sizes[:1]
	}
	for format, list := range bombs {
		for _, b := range list {
			t.Run(format+" "+b.name, func(t *testing.T) {
				if format+" "+b.name != "text entries" {
					full.Only(t, "takes many inputs")
				}
				t.Parallel()
				var peaks []string
				for _, size := range sizes {
					peak, said := importPeak(t, program, b.of(size))
					peaks = append(peaks, fmt.Sprint(peak>>20))
					perByte := cmp.Or(memoryPerByte[format+" "+b.name], memoryPerByte[format])
					if most := baseMemory + perByte*int64(size); peak > most {
						t.Errorf("%d MiB for %d MiB, at most %d: %.300s", peak>>20, size>>20, most>>20, said)
					}
					if strings.Contains(said, "panic") || strings.Contains(said, "goroutine") {
						t.Errorf("%.1000s", said)
					}
				}
				t.Logf("MiB %s", strings.Join(peaks, ", "))
			})
		}
	}
}

// TestLimitsEndAnImport: what goes beyond a limit is refused there, and not when all of it was read.
func TestLimitsEndAnImport(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	const without = 3 << 30 // would take gigabytes without a limit
	for want, of := range map[string]struct{ format, bomb string }{
		"line 4: a line of more than 67108864 bytes":                             {"text", "line"},
		"line 2, byte 4: a line of more than 67108864 bytes":                     {"llvm", "line"},
		"line 2, column 1048576: a line of more than 1048576 bytes":              {"jamaica", "name"},
		"an item of more than 16777216 bytes":                                    {"iprof", "string"},
		"values nested in more than 1000 others":                                 {"iprof", "brackets"},
		"more than 4096 keys that no profile has":                                {"iprof", "keys"},
		"more than 262144 items that are not what an iprof file has there":       {"iprof", "odd items"},
		"line 8, byte 19: a function of more than 65535 value sites of one kind": {"llvm", "sites"},
		"counters: functions claim them more than 16 times over":                 {"llvm", "shared counters"},
		"more names than bytes that they are packed into":                        {"llvm", "packed names"},
		"it ends within the names":                                               {"llvm", "names that are not there"},
	} {
		t.Run(want, func(t *testing.T) {
			for _, b := range bombs[of.format] {
				if b.name != of.bomb {
					continue
				}
				size := without
				if of.format == "llvm" && of.bomb != "line" {
					size = 4 << 20
				}
				peak, said := importPeak(t, "profarc", b.of(size))
				if !strings.Contains(said, want) || peak > 600<<20 {
					t.Errorf("%s %s: %d MiB, %q, want %q", of.format, of.bomb, peak>>20, said, want)
				}
			}
		})
	}
}

// TestExpansionIsLimited: a compressed file is read as far as it may expand, and
// the error says so once. The limit can be raised.
func TestExpansionIsLimited(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	blank := map[string]string{"pprof": "strings", "methoddata": "empty lines", "iprof": "blanks",
		"jamaica": "empty lines", "text": "empty lines", "llvm": "empty lines", "replay": "words"}
	for codec, pack := range map[string]func(io.Writer) io.WriteCloser{
		"gzip": func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"zstd": func(w io.Writer) io.WriteCloser { z, _ := zstd.NewWriter(w); return z },
	} {
		t.Run(codec, func(t *testing.T) {
			packed := func(format string, size int) func(io.Writer) {
				return func(w io.Writer) {
					z := pack(w)
					for _, b := range bombs[format] {
						if b.name == blank[format] {
							b.of(size)(z)
						}
					}
					z.Close()
				}
			}
			for format := range bombs {
				want := "profarc: standard input: " + codec + ": it expands to more than 64 times its size: " +
					"if it is meant to, say how many times with --max-expansion, or decompress it first\n"
				if _, said := importPeak(t, "profarc", packed(format, 40<<20)); said != want {
					t.Errorf("%s, %s: %q", format, codec, said)
				}
			}
			for _, args := range [][]string{{"--max-expansion", "0"}, {"--max-expansion", "100000"}} {
				if _, said := importPeak(t, "profarc", packed("jamaica", 20<<20), args...); !strings.Contains(said, "wrote ") {
					t.Errorf("%s %v: %q", codec, args, said)
				}
			}
			if _, said := importPeak(t, "profarc", packed("jamaica", 15<<20)); !strings.Contains(said, "wrote ") {
				t.Errorf("%s, of 15 MiB: %q", codec, said)
			}
		})
	}
}
