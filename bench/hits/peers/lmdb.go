package peers

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed lmdb/lmdb.c
var lmdbSource []byte

// errMissing means that a peer cannot be built on this machine.
var errMissing = errors.New("not measured")

// An lmdb is a C program that stores the records in LMDB and measures lookups. A call from Go to C would take as long
// as a lookup.
type lmdb struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  io.Reader
	said bytes.Buffer // standard error
}

func fillLMDB(path string, records []record) (peer, error) {
	program := path + ".program"
	if err := buildLMDB(program); err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	file := path + ".records"
	defer os.Remove(file)
	if err := writeRecords(file, records); err != nil {
		return nil, err
	}
	p := &lmdb{cmd: exec.Command(program, path, file)}
	p.cmd.Stderr = &p.said
	var err1, err2 error
	p.in, err1 = p.cmd.StdinPipe()
	p.out, err2 = p.cmd.StdoutPipe()
	if err := errors.Join(err1, err2, p.cmd.Start()); err != nil {
		return nil, err
	}
	if _, _, err := p.turn(nil); err != nil { // waits until it has read the records
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

// buildLMDB compiles the program. The error matches errMissing without a compiler or LMDB.
func buildLMDB(program string) error {
	compiler, err := exec.LookPath("cc")
	if err != nil {
		return fmt.Errorf("%w: there is no C compiler cc", errMissing)
	}
	source := filepath.Join(filepath.Dir(program), "lmdb.c")
	if err := os.WriteFile(source, lmdbSource, 0o666); err != nil {
		return err
	}
	defer os.Remove(source)
	out, err := exec.Command(compiler, "-O2", "-o", program, source, "-llmdb").CombinedOutput()
	if err != nil && (strings.Contains(string(out), "lmdb.h:") || strings.Contains(string(out), "-llmdb")) {
		return fmt.Errorf("%w: the headers of LMDB are not installed (liblmdb-dev)", errMissing)
	}
	if err != nil {
		return fmt.Errorf("cc: %w: %s", err, out)
	}
	return nil
}

// writeRecords writes records in the input format of the program.
func writeRecords(path string, records []record) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	for _, r := range records {
		head := binary.NativeEndian.AppendUint32(nil, uint32(len(r.key)))
		w.Write(binary.NativeEndian.AppendUint32(head, uint32(len(r.value))))
		w.Write(r.key)
		w.Write(r.value)
	}
	return errors.Join(w.Flush(), f.Close())
}

func (p *lmdb) turn(keys [][]byte) (sum uint64, took int64, err error) {
	body := []byte{}
	for _, k := range keys {
		body = append(binary.NativeEndian.AppendUint32(body, uint32(len(k))), k...)
	}
	question := binary.NativeEndian.AppendUint32(nil, uint32(len(keys)))
	question = append(binary.NativeEndian.AppendUint32(question, uint32(len(body))), body...)
	answer := make([]byte, 16)
	_, err = p.in.Write(question)
	if err == nil {
		_, err = io.ReadFull(p.out, answer)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("lmdb: %w", err)
	}
	return binary.NativeEndian.Uint64(answer[8:]), int64(binary.NativeEndian.Uint64(answer)), nil
}

func (p *lmdb) close() error {
	if err := errors.Join(p.in.Close(), p.cmd.Wait()); err != nil {
		return fmt.Errorf("lmdb: %w: %s", err, p.said.Bytes())
	}
	return nil
}
