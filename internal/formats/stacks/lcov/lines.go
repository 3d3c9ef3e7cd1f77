package lcov

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/formats/llvm/coverage"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/reader"
)

// Losses of [WriteLines].
const (
	LossUnmapped codec.LossKind = "functions that the programs have no coverage mapping of, as of system headers"
	LossMismatch codec.LossKind = "functions whose code in the programs is not what was counted"
	LossVersions codec.LossKind = "profiles of other versions of a function than the programs have"
)

// WriteLines writes the counts of all source lines and functions of programs, like llvm-cov export -format=lcov without
// branches.
func WriteLines(w io.Writer, s *reader.Store, programs ...string) (*codec.Report, error) {
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
	return accountFunctions(s, c)
}

func writeCoverage(w io.Writer, c *coverage.Coverage) error {
	functions, err := c.Functions()
	if err != nil {
		return err
	}
	byFile := map[string][]function{}
	for _, f := range functions {
		file, line := f.Start()
		byFile[file] = append(byFile[file], function{lineBreakReplacer.Replace(f.Name), line, f.Count})
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
		writeFile(out, lineBreakReplacer.Replace(name), byFile[name])
		if err := writeSourceLines(out, v); err != nil {
			return err
		}
		fmt.Fprintln(out, "end_of_record")
	}
	return out.Flush()
}

// writeSourceLines writes the lines of a file. It stops at the first write error, because a damaged program can claim
// any number of lines.
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

// accountFunctions adds up the counters of the functions whose lines were written. The others are losses.
func accountFunctions(s *reader.Store, c *coverage.Coverage) (_ *codec.Report, err error) {
	report := &codec.Report{Totals: ledger.Totals{}}
	for m := range poll.Values(s.Methods(), &err) {
		f, err := c.Function(m)
		lost := codec.Loss{What: LossVersions, Unit: ledger.BlockCounts}
		switch {
		case err == nil:
		case errors.Is(err, coverage.ErrNotMapped):
			lost.What = LossUnmapped
			lost.Count = 1
			name, _ := m.Name() // Function has read it
			lost.First = []string{name.String()}
		case errors.Is(err, coverage.ErrMismatch):
			lost.What = LossMismatch
			lost.Count = 1
			lost.First = []string{err.Error()}
		default:
			return nil, err
		}
		for p, err := range m.Profiles() {
			if err != nil {
				return nil, err
			}
			n := blockCounts(s, p)
			if f != nil && p.Code() == f.Hash {
				report.Totals[ledger.BlockCounts] += n
			} else {
				lost.Amount += n
			}
		}
		report.Lost.AddLoss(lost)
	}
	return report, err
}

func blockCounts(s *reader.Store, p reader.Profile) uint64 {
	c := ledger.Counter{Domain: s.Header().Domain, Shape: (*mapped.Mapping)(s.Mapping()).Shape(), Totals: ledger.Totals{}}
	c.AddBlock(disk.Block(p.Bytes()))
	return c.Totals[ledger.BlockCounts]
}
