package lcov

import (
	"bufio"
	"fmt"
	"io"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/llvm/coverage"
	"github.com/profarc/profarc/reader"
)

// Losses of [WriteLines].
const (
	LossUnmapped codec.LossKind = "functions that the programs have no coverage mapping of, as of system headers"
	LossMismatch codec.LossKind = "functions whose code in the programs is not what was counted"
)

// WriteLines writes the counts of all source lines and functions of programs, like llvm-cov export -format=lcov without
// branches.
func WriteLines(w io.Writer, s *reader.Store, programs ...string) (lost codec.Losses, err error) {
	var mappings []*coverage.Mapping
	for _, name := range programs {
		m, err := coverage.Open(name)
		if err != nil {
			return nil, err
		}
		mappings = append(mappings, m)
	}
	c, err := coverage.New(s, mappings...)
	if err != nil {
		return nil, err
	}
	if err := writeCoverage(w, c); err != nil {
		return nil, err
	}
	mismatches, err := c.Mismatches()
	if err != nil {
		return nil, err
	}
	lost.Add(LossMismatch, len(mismatches))
	unmapped, err := countUnmapped(s, c)
	lost.Add(LossUnmapped, unmapped)
	return lost, err
}

func writeCoverage(w io.Writer, c *coverage.Coverage) error {
	functions, err := c.Functions()
	if err != nil {
		return err
	}
	byFile := map[string][]*coverage.Function{}
	for _, f := range functions {
		file, _ := f.Start()
		byFile[file] = append(byFile[file], f)
	}
	names, err := c.Files()
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	for _, name := range names {
		v, err := c.View(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "TN:\nSF:%s\n", lineBreakReplacer.Replace(name))
		writeFunctions(out, byFile[name])
		if err := writeSourceLines(out, v); err != nil {
			return err
		}
		fmt.Fprintln(out, "end_of_record")
	}
	return out.Flush()
}

// writeFunctions writes the records of functions that begin in the current file.
func writeFunctions(w io.Writer, list []*coverage.Function) {
	hit := 0
	for _, f := range list {
		_, line := f.Start()
		fmt.Fprintf(w, "FN:%d,%s\n", line, lineBreakReplacer.Replace(f.Name))
	}
	for _, f := range list {
		fmt.Fprintf(w, "FNDA:%d,%s\n", f.Count, lineBreakReplacer.Replace(f.Name))
		hit += int(min(f.Count, 1))
	}
	fmt.Fprintf(w, "FNF:%d\nFNH:%d\n", len(list), hit)
}

// writeSourceLines writes the lines of a file. It stops at the first write error, because a damaged program can claim
// any
// number of lines.
func writeSourceLines(w *bufio.Writer, v *coverage.View) error {
	found, hit := 0, 0
	for line := range v.Lines() {
		if !line.Mapped {
			continue
		}
		if _, err := fmt.Fprintf(w, "DA:%d,%d\n", line.Number, line.Count); err != nil {
			return err
		}
		found++
		hit += int(min(line.Count, 1))
	}
	fmt.Fprintf(w, "LF:%d\nLH:%d\n", found, hit)
	return nil
}

func countUnmapped(s *reader.Store, c *coverage.Coverage) (n int, err error) {
	for m, err := range s.Methods() {
		if err != nil {
			return n, err
		}
		if !c.Maps(m) {
			n++
		}
	}
	return n, nil
}
