package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
)

// profile gives the .profdata of one run of a program of n functions, as
// llvm-profdata writes it.
func (b *bench) profile(n int, run uint64) (string, error) {
	stem := filepath.Join(b.dir, fmt.Sprintf("llvm%d-%d-run%d", b.release, n, run))
	text, indexed := stem+".proftext", stem+".profdata"
	if _, err := os.Stat(indexed); err == nil {
		return indexed, nil
	}
	if err := writeFile(text, func(w io.Writer) error { return writeText(w, n, run) }); err != nil {
		return "", err
	}
	if err := execute(b.profdata, "merge", text, "-o", indexed); err != nil {
		return "", err
	}
	return indexed, os.Remove(text)
}

// writeText writes a profile in LLVM's text form.
func writeText(w io.Writer, n int, run uint64) error {
	line := []byte(":ir\n")
	var f function
	for i := range n {
		f.read(i, run)
		line = append(append(line, f.name...), '\n')
		line = append(strconv.AppendUint(line, f.hash, 10), '\n')
		line = append(strconv.AppendInt(line, int64(len(f.counts)), 10), '\n')
		for _, c := range f.counts {
			line = append(strconv.AppendUint(line, c, 10), '\n')
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
		line = line[:0]
	}
	return nil
}

// writeFile makes a file of what write writes.
func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}
