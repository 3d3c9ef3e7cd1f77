package c_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/reader"
)

// runProgram runs a program and returns its output and exit status.
func runProgram(t *testing.T, program string, args ...string) (stdout, stderr []byte, status int) {
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

// archiveOf returns the bytes of a specimen.
func archiveOf(t *testing.T, s specimen.Specimen) []byte {
	t.Helper()
	data, err := s.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// openBytes opens an archive in memory. All pages are verified.
func openBytes(t *testing.T, data []byte) *reader.Store {
	t.Helper()
	m, err := archive.FromBytes("specimen", data, archive.Options{CheckAll: true})
	if err != nil {
		t.Fatal(err)
	}
	return reader.New(m)
}

// writeArchive writes an archive to a temporary file, and returns its path.
func writeArchive(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.parc")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}
