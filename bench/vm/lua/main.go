// Lua judges package profarc by a real VM, GopherLua, which counts, continues an archive, and follows its advice.
//
//	cd bench
//	go run ./vm/lua
//	go run ./vm/lua -programs fib,shapes -rounds 31
//	go run ./vm/lua -growth 50
//
// The VM's source is that of the module cache. It is copied to a temporary folder, edited and built there. The builds
// are untouched, which is GopherLua as it is, and the edited VM: idle (without counting), cold (counting without an
// archive), warm (counting in the archive of three runs) and advised (quickened by that archive, where it is mature
// without counting). Variants take turns. Times are processor times of the whole process, from before the archive is
// opened to the end of the program. A ratio is the median of the ratios of the rounds, with its quartiles.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/profarc/profarc/internal/cli/paired"
)

// options are the values of the flags.
type options struct {
	rounds, growth int
	programs, keep string
}

func main() {
	var o options
	flag.IntVar(&o.rounds, "rounds", 15, "rounds of each program")
	flag.IntVar(&o.growth, "growth", 0, "instead, run a program of 1,000 evals so often, each with the archive before")
	flag.StringVar(&o.programs, "programs", "fib,loops,shapes,tables,bodies", "programs to measure")
	flag.StringVar(&o.keep, "keep", "", "directory for the builds and archives; a temporary one if empty")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "lua:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	if o.keep == "" {
		temporary, err := os.MkdirTemp("", "lua")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temporary)
		o.keep = temporary
	}
	j, err := newJudge(o.keep)
	if err != nil {
		return err
	}
	if o.growth > 0 {
		return j.printGrowth(o.growth)
	}
	return j.printTable(strings.Split(o.programs, ","), o.rounds)
}

// newJudge builds the VMs in dir.
func newJudge(dir string) (*judge, error) {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/profarc/profarc").Output()
	if err != nil {
		return nil, fmt.Errorf("find profarc, run this in the folder bench: %w", err)
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	j := &judge{dir: dir, root: strings.TrimSpace(string(root))}
	return j, j.build()
}

// comparisons are the columns of the table.
var comparisons = []struct{ name, of, to string }{
	{"idle / untouched", "idle", "untouched"},
	{"cold / untouched", "cold", "untouched"},
	{"warm / cold", "warm", "cold"},
	{"advised / untouched", "advised", "untouched"},
	{"advised / cold", "advised", "cold"},
}

// printTable measures the programs and prints a row for each.
func (j *judge) printTable(programs []string, rounds int) error {
	fmt.Print("| program | untouched, ms |")
	for _, c := range comparisons {
		fmt.Printf(" %s |", c.name)
	}
	fmt.Println("\n|---|---|" + strings.Repeat("---|", len(comparisons)))
	for _, program := range programs {
		times, err := j.measure(program, rounds)
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %.0f |", program, paired.Median(times["untouched"])/1e6)
		for _, c := range comparisons {
			fmt.Printf(" %s |", ratio(times[c.of], times[c.to]))
		}
		fmt.Println()
	}
	return nil
}
