// Command costs searches for inputs on which profarc is expensive: it evolves structured inputs of every format, and
// runs the importers and the commands on them. The objective is processor time and memory for each byte of input.
//
// A finding is an operation whose cost grows faster than its input and output, or that takes more than a limit for
// each byte. The command prints the findings with the parameters that make the input again, and fails if there is any.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

type options struct {
	program  string
	duration time.Duration
	jobs     int
	seed     uint64
	size     int
	again    string
}

func main() {
	if len(os.Args) > 2 && os.Args[1] == measureArgument {
		measureChild(os.Args[2], os.Args[3:])
		return
	}
	var o options
	flag.StringVar(&o.program, "program", "", "the command profarc; built from this repository without it")
	flag.DurationVar(&o.duration, "d", 10*time.Minute, "time to search")
	flag.IntVar(&o.jobs, "j", runtime.NumCPU(), "inputs tried at the same time")
	flag.Uint64Var(&o.seed, "seed", uint64(time.Now().Unix()), "seed of the search")
	flag.IntVar(&o.size, "size", 96<<10, "bytes of an input; growth is measured from a quarter of it to four times it")
	flag.StringVar(&o.again, "again", "", "measure the growth of one input, by the parameters that a finding prints")
	flag.Parse()
	failed, err := o.searchAndReport()
	if err != nil {
		fmt.Fprintln(os.Stderr, "costs:", err)
	}
	if failed || err != nil {
		os.Exit(1)
	}
}

func (o *options) searchAndReport() (failed bool, err error) {
	dir, err := os.MkdirTemp("", "costs-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	if o.program == "" {
		o.program = filepath.Join(dir, "profarc")
		build := exec.Command("go", "build", "-o", o.program, "github.com/profarc/profarc/cmd/profarc")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return false, err
		}
	}
	judge := &commandJudge{program: o.program, dir: dir}
	if err := judge.measureStart(); err != nil {
		return false, err
	}
	if o.again != "" {
		return measureAgain(judge, o.again, o.size)
	}
	ctx, cancel := context.WithTimeout(context.Background(), o.duration)
	defer cancel()
	s := newSearch(judge, o.seed, o.size)
	s.log = os.Stderr
	s.searchUntil(ctx, o.jobs)
	s.report(os.Stdout)
	return len(s.findings) > 0, nil
}

// measureAgain prints the growth of all operations on one input.
func measureAgain(judge judge, text string, size int) (failed bool, err error) {
	g, err := parseGenome(text)
	if err != nil {
		return false, err
	}
	for _, operation := range judge.operations(g) {
		growth, ok := measureGrowth(judge, g, operation, size)
		if !ok {
			fmt.Printf("%-24s not possible\n", operation)
			continue
		}
		fmt.Printf("%-24s %s\n", operation, growth)
		failed = failed || growth.isFinding()
	}
	return failed, nil
}
