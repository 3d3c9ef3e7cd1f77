package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/profarc/profarc/internal/cli/paired"
)

// printGrowth runs the program evals so often, each run with the archive of the one before and other code in its evals.
func (j *judge) printGrowth(runs int) error {
	archive := filepath.Join(j.dir, "evals.parc")
	v := variant{"evals", "profiled", []string{"-archive", archive, "-dump", archive}}
	fmt.Println("| run | archive, bytes | heap before the dump, kB | dump, ms |\n|---|---|---|---|")
	for number := 1; number <= runs; number++ {
		f, err := j.run(v, "evals", "-number", strconv.Itoa(number))
		if err != nil {
			return err
		}
		file, err := os.Stat(archive)
		if err != nil {
			return err
		}
		if number == 1 || number == runs || number%10 == 0 {
			fmt.Printf("| %d | %d | %.0f | %.1f |\n", number, file.Size(), f.numbers["heap"]/1e3, f.numbers["dumped"]/1e6)
		}
	}
	return nil
}

// ratio prints the median and the quartiles of the ratios of the rounds.
func ratio(of, to []float64) string {
	ratios := make([]float64, len(of))
	for i := range of {
		ratios[i] = of[i] / to[i]
	}
	slices.Sort(ratios)
	n := len(ratios)
	return fmt.Sprintf("%.3f (%.3f to %.3f)", paired.Median(ratios), ratios[n/4], ratios[(3*n-1)/4])
}
