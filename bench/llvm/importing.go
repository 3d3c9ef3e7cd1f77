package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/profarc/profarc/bench/turns"
)

// copies is how often each of the two runs is given when several files are
// summed.
const copies = 4

// importing prints what it costs to make an archive of one profile and of
// several, beside llvm-profdata merge of the same files, and how large both are.
func (b *bench) importing() error {
	var runs []string
	for run := range uint64(2) {
		path, err := b.profile(b.functions, run)
		if err != nil {
			return err
		}
		runs = append(runs, path)
	}
	fmt.Println("| | profarc import | llvm-profdata merge | ratio |")
	fmt.Println("|---|---|---|---|")
	if err := b.importTurns("1 file", runs[:1]); err != nil {
		return err
	}
	if err := b.sizes(); err != nil {
		return err
	}
	return b.importTurns(fmt.Sprintf("%d files", 2*copies), slices.Repeat(runs, copies))
}

// importTurns measures the import of files that are summed.
func (b *bench) importTurns(what string, files []string) error {
	ours, theirs := b.outputs()
	costs, err := turns.Take(b.rounds,
		func() (turns.Cost, error) {
			return turns.Child(b.profarc, append([]string{"import", "-o", ours}, files...)...)
		},
		func() (turns.Cost, error) {
			return turns.Child(b.profdata, append([]string{"merge", "-o", theirs}, files...)...)
		})
	if err != nil {
		return err
	}
	a, l := costs[0], costs[1]
	row(what+", user time", "%.2f s", a.User.Seconds(), l.User.Seconds())
	row(what+", time", "%.2f s", a.Wall.Seconds(), l.Wall.Seconds())
	row(what+", peak memory", "%.0f MB", megabytes(a.Peak), megabytes(l.Peak))
	return nil
}

// outputs are where the two programs write what they make of the same files.
func (b *bench) outputs() (archive, profdata string) {
	return filepath.Join(b.dir, "out.parc"), filepath.Join(b.dir, "out.profdata")
}

// sizes compares what the two programs made.
func (b *bench) sizes() error {
	archive, profdata := b.outputs()
	var bytes [2]float64
	for i, path := range []string{archive, profdata} {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		bytes[i] = megabytes(info.Size())
	}
	row("size of the result", "%.1f MB", bytes[0], bytes[1])
	return nil
}

// row prints ours, theirs, and their ratio.
func row(what, format string, ours, theirs float64) {
	fmt.Printf("| %s | "+format+" | "+format+" | %.2f |\n", what, ours, theirs, ours/theirs)
}

func megabytes(bytes int64) float64 { return float64(bytes) / 1e6 }
