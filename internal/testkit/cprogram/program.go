// Package cprogram runs the reader of internal/testkit/creader and the client of libprofarc, which tests compare with
// the Go packages.
package cprogram

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/testkit/forgery"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/reader"
)

// Run runs a program and returns its output and exit status.
func Run(t *testing.T, program string, args ...string) (stdout, stderr []byte, status int) {
	t.Helper()
	cmd := exec.Command(program, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.Bytes(), errs.Bytes(), cmd.ProcessState.ExitCode()
}

// Archive returns the bytes of a specimen.
func Archive(t *testing.T, s specimen.Specimen) []byte {
	t.Helper()
	data, err := s.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Store opens an archive in memory. All pages are verified.
func Store(t *testing.T, data []byte) *reader.Store {
	t.Helper()
	m, err := archive.FromBytes("specimen", data, archive.Options{CheckAll: true})
	if err != nil {
		t.Fatal(err)
	}
	return reader.New(m)
}

// Write writes an archive to a temporary file, and returns its path.
func Write(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.parc")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// Forgeries is a process that reads many forgeries of an archive. It receives the archive, and then for each forgery
// the number of changed words with their offsets and new values. It answers with two numbers. All numbers are u64.
type Forgeries struct {
	to   *bufio.Writer
	from *bufio.Reader
}

// StartForgeries starts a program for an archive. The test fails if the program crashes.
func StartForgeries(t *testing.T, program string, data []byte) *Forgeries {
	t.Helper()
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), "ASAN_OPTIONS=detect_leaks=0")
	var reports bytes.Buffer // output of the sanitizers
	cmd.Stderr = &reports
	to, err1 := cmd.StdinPipe()
	from, err2 := cmd.StdoutPipe()
	if err1 != nil || err2 != nil || cmd.Start() != nil {
		t.Fatalf("%v, %v", err1, err2)
	}
	t.Cleanup(func() {
		to.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v\n%s", err, &reports)
		}
	})
	f := &Forgeries{bufio.NewWriter(to), bufio.NewReader(from)}
	f.sendNumbers(uint64(len(data)))
	f.to.Write(data)
	if err := f.to.Flush(); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *Forgeries) sendNumbers(numbers ...uint64) {
	for _, n := range numbers {
		f.to.Write(binary.LittleEndian.AppendUint64(nil, n))
	}
}

// Verdict returns the program's status for a forgery, and the hash of its output.
func (f *Forgeries) Verdict(t *testing.T, edits ...forgery.Edit) (status, printed uint64) {
	t.Helper()
	f.sendNumbers(uint64(len(edits)))
	for _, e := range edits {
		f.sendNumbers(uint64(e.At), e.New)
	}
	var b [16]byte
	if err := f.to.Flush(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(f.from, b[:]); err != nil {
		t.Fatal(err)
	}
	return binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])
}
