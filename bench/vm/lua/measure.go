package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// A variant is a build with its flags.
type variant struct {
	name, build string
	flags       []string
}

// A finished run has the runner's numbers, such as "time", and its result.
type finished struct {
	numbers map[string]float64
	result  string
}

// run runs a Lua program.
func (j *judge) run(v variant, program string, more ...string) (finished, error) {
	f := finished{numbers: map[string]float64{}}
	args := append(append([]string{}, v.flags...), more...)
	command := exec.Command(j.runner(v.build), append(args, j.program(program))...)
	command.Env = append(os.Environ(), "GOMAXPROCS=1") // no marking of garbage by idle threads
	command.Stderr = os.Stderr
	text, err := command.Output()
	if err != nil {
		return f, fmt.Errorf("%s, %s: %w", v.name, program, err)
	}
	lines := bufio.NewScanner(strings.NewReader(string(text)))
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), " ")
		if name == "result" {
			f.result = value
		} else if f.numbers[name], err = strconv.ParseFloat(value, 64); err != nil {
			return f, err
		}
	}
	return f, nil
}

// trainingRuns is the number of runs before the advised one. Advice is mature after 3.
const trainingRuns = 3

// train writes an archive of trainingRuns runs and returns its path.
func (j *judge) train(program string) (archive string, err error) {
	archive = filepath.Join(j.dir, program+".parc")
	if err := os.Remove(archive); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for range trainingRuns {
		v := variant{"training", "profiled", []string{"-archive", archive, "-dump", archive}}
		if _, err := j.run(v, program); err != nil {
			return "", err
		}
	}
	return archive, nil
}

// variants returns the contenders.
func (j *judge) variants(archive string) []variant {
	return []variant{
		{"untouched", "untouched", nil},
		{"idle", "profiled", []string{"-idle"}},
		{"cold", "profiled", []string{"-archive", filepath.Join(j.dir, "none.parc")}},
		{"warm", "profiled", []string{"-archive", archive}},
		{"advised", "profiled", []string{"-archive", archive, "-advised"}},
	}
}

// measure returns the processor times of a program by the variant's name, in the order of the rounds.
func (j *judge) measure(program string, rounds int) (times map[string][]float64, err error) {
	archive, err := j.train(program)
	if err != nil {
		return nil, err
	}
	times = map[string][]float64{}
	variants := j.variants(archive)
	result := ""
	for round := range rounds {
		for i := range variants {
			v := variants[(i+round)%len(variants)]
			f, err := j.run(v, program)
			if err != nil {
				return nil, err
			}
			if result == "" {
				result = f.result
			}
			if f.result != result {
				return nil, fmt.Errorf("%s of %s has the result %q instead of %q", program, v.name, f.result, result)
			}
			times[v.name] = append(times[v.name], f.numbers["time"])
		}
	}
	return times, nil
}
