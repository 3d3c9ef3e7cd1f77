package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/profarc/profarc/bench/turns"
)

// childFlag precedes what a process of a turn does, and a job.
const childFlag = "-turn"

// A job is what a turn gets to know.
type job struct {
	Dir, Shape string
	Bytes      int64
}

// A result is what a turn reports.
type result struct {
	Bytes  int64         // of the file
	Wall   time.Duration // until the file is on the disk
	Memory int64         // the most anonymous and shared memory; 0 if not known
	cpu    time.Duration // of all threads, in user and system
}

type measurement struct {
	dir    string
	rounds int
	builds []string
}

// print measures one shape and size, and prints a line a build.
func (m *measurement) print(shape string, bytes int64) error {
	j := job{m.dir, shape, bytes}
	invent, write, builds := make([]result, m.rounds), make([]result, m.rounds), make([][]result, len(m.builds))
	for round := range m.rounds {
		for i, build := range m.builds {
			r, err := turn(build, "build", j)
			if err != nil {
				return err
			}
			builds[i] = append(builds[i], r)
		}
		var err error
		if invent[round], err = turn(m.builds[0], "invent", j); err != nil {
			return err
		}
		if write[round], err = turn(m.builds[0], "write", job{m.dir, shape, builds[0][0].Bytes}); err != nil {
			return err
		}
	}
	for i := range m.builds {
		printLine(shape, builds[i], invent, write)
	}
	return nil
}

// printLine prints the medians of a build, and of its ratios within the rounds.
func printLine(shape string, build, invent, write []result) {
	wall := func(i int) time.Duration { return build[i].Wall - invent[i].Wall }
	cpu := func(i int) time.Duration { return build[i].cpu - invent[i].cpu }
	of := func(part func(i int) float64) float64 {
		values := make([]float64, len(build))
		for i := range values {
			values[i] = part(i)
		}
		return turns.Median(values)
	}
	bytes := float64(build[0].Bytes)
	fmt.Printf("| %s | %.2f GB | %.2f s | %.2f s | %.2f s | %.1f | %.2f s | %.1f | %.0f MB | %.2f |\n", shape, bytes/1e9,
		of(func(i int) float64 { return write[i].Wall.Seconds() }), of(func(i int) float64 { return write[i].cpu.Seconds() }),
		of(func(i int) float64 { return wall(i).Seconds() }), of(func(i int) float64 { return float64(wall(i)) / float64(write[i].Wall) }),
		of(func(i int) float64 { return cpu(i).Seconds() }), of(func(i int) float64 { return float64(cpu(i)) / float64(write[i].cpu) }),
		of(func(i int) float64 { return float64(build[i].Memory) / 1e6 }), of(func(i int) float64 { return float64(build[i].Memory) / bytes }))
}

// turn runs a process.
func turn(program, what string, j job) (r result, err error) {
	text, err := json.Marshal(j)
	if err != nil {
		return r, err
	}
	cmd := exec.Command(program, childFlag, what, string(text))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return r, fmt.Errorf("%s %s: %w", program, what, err)
	}
	r.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return r, json.Unmarshal(out, &r)
}
