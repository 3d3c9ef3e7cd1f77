package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"

	example "github.com/profarc/profarc/example/vm"
	"github.com/profarc/profarc/internal/system/cputime"
)

// startTables returns tables with the processor time of a new process for its first and second round, with and without
// an
// archive. The processes call different numbers of functions. The first round includes opening the archive.
func startTables(path string) (tables []table) {
	for _, n := range []int{20, 200, 1000, 4960} {
		for round := range 2 {
			title := fmt.Sprintf("start of the VM: %d functions, round %d", n, round+1)
			tables = append(tables, table{title, "µs", []row{
				{"without an archive", func() (float64, error) { return timeStart(n, round, "") }},
				{"with an archive", func() (float64, error) { return timeStart(n, round, path) }},
			}})
		}
	}
	return tables
}

// timeStart runs this program in a new process, and returns the time of one of its rounds.
func timeStart(n, round int, with string) (float64, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	out, err := exec.Command(self, "-started", strconv.Itoa(n), "-with", with).Output()
	if err != nil {
		return 0, err
	}
	took := strings.Fields(string(out))
	if len(took) != 2 {
		return 0, fmt.Errorf("the VM said %q", out)
	}
	return strconv.ParseFloat(took[round], 64)
}

// runRounds runs two rounds, and prints their times.
func runRounds(functions, with string) error {
	n, err := strconv.Atoi(functions)
	if err != nil {
		return err
	}
	p := example.Generate()
	runtime.LockOSThread()
	begin := cputime.ThreadTime()
	vm, err := example.NewVM(p, with)
	if err != nil && with != "" {
		return err
	}
	p.Round(vm, n)
	first := cputime.ThreadTime()
	p.Round(vm, n)
	second := cputime.ThreadTime()
	fmt.Printf("%.1f %.1f\n", float64(first-begin)/1e3, float64(second-first)/1e3)
	return nil
}
