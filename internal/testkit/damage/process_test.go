package damage

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"testing"
)

// A readerProcess reads many forgeries of an archive. It receives the archive, and then for each forgery
// the number of changed words with their offsets and new values. It answers with two numbers. All numbers are u64.
type readerProcess struct {
	to   *bufio.Writer
	from *bufio.Reader
}

// startProcess starts a program for an archive. The test fails if the program crashes.
func startProcess(t *testing.T, program string, data []byte) *readerProcess {
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
	f := &readerProcess{bufio.NewWriter(to), bufio.NewReader(from)}
	f.sendNumbers(uint64(len(data)))
	f.to.Write(data)
	if err := f.to.Flush(); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *readerProcess) sendNumbers(numbers ...uint64) {
	for _, n := range numbers {
		f.to.Write(binary.LittleEndian.AppendUint64(nil, n))
	}
}

// Verdict returns the program's status for a forgery, and the hash of its output.
func (f *readerProcess) Verdict(t *testing.T, edits ...edit) (status, printed uint64) {
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
