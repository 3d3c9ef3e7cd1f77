//go:build linux

// Merge measures a merge in parts, and compares the result with a single merge.
//
//	go run ./bench/merge -archives /tmp/runs -parts 1,4,16 -work /tmp/merge
//
// For each number of parts, it prints processor time and peak memory of the processes, the size of the plan, and the
// number of bytes that a task read. Tasks run one after the other.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	archives := flag.String("archives", "", "directory with archives")
	parts := flag.String("parts", "1,4,16", "numbers of parts")
	work := flag.String("work", "", "directory to work in, which is emptied")
	fleet := flag.String("fleet", "profarc-fleet", "the program")
	profarc := flag.String("profarc", "profarc", "the program that merges everything at once; empty for none")
	flag.Parse()
	b := bench{archives: *archives, work: *work, fleet: *fleet}
	if err := b.measureMerges(*profarc, strings.Split(*parts, ",")); err != nil {
		log.Fatal(err)
	}
}

type bench struct{ archives, work, fleet, whole string }

// A cost is the resource usage of a process.
type cost struct {
	cpu  time.Duration
	peak int64 // peak memory in bytes
	out  []byte
}

func (c cost) String() string {
	return fmt.Sprintf("%.1f s, %.0f MB", c.cpu.Seconds(), float64(c.peak)/1e6)
}

func measureProcess(name string, args ...string) (cost, error) {
	cmd := exec.Command(name, args...)
	var out bytes.Buffer
	cmd.Stdout = &out
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return cost{}, fmt.Errorf("%s %s: %w", name, args[0], err)
	}
	s := cmd.ProcessState
	c := cost{cpu: s.UserTime() + s.SystemTime(), out: out.Bytes()}
	if usage, ok := s.SysUsage().(*syscall.Rusage); ok {
		c.peak = usage.Maxrss * 1024
	}
	return c, nil
}

func (b *bench) measureMerges(profarc string, parts []string) error {
	if err := errors.Join(os.RemoveAll(b.work), os.MkdirAll(b.work, 0o777)); err != nil {
		return err
	}
	names, err := filepath.Glob(filepath.Join(b.archives, "*.parc"))
	if err != nil {
		return err
	}
	if profarc != "" {
		b.whole = filepath.Join(b.work, "whole.parc")
		c, err := measureProcess(profarc, append([]string{"merge", "-o", b.whole}, names...)...)
		if err != nil {
			return err
		}
		fmt.Printf("one merge of %d archives: %s\n\n", len(names), c)
	}
	fmt.Println("| parts | plan | plan file | a task: median | a task: worst | read by a task | all tasks | commit | " +
		"result |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	for _, n := range parts {
		if err := b.measureParts(n); err != nil {
			return err
		}
	}
	return nil
}

// measureParts merges in n parts and prints a table row.
func (b *bench) measureParts(n string) error {
	plan := filepath.Join(b.work, "plan-"+n+".json")
	out := filepath.Join(b.work, "out-"+n+".parc")
	planned, err := measureProcess(b.fleet, "plan", b.archives+"/", "--to", out, "--parts", n, "-o", plan, "--json")
	if err != nil {
		return err
	}
	var p struct {
		Parts int
		Bytes int64
	}
	if err := json.Unmarshal(planned.out, &p); err != nil {
		return err
	}
	file, err := os.Stat(plan)
	if err != nil {
		return err
	}
	var tasks []cost
	all := time.Duration(0)
	read := int64(0)
	for k := range p.Parts {
		c, err := measureProcess(b.fleet, "merge-shard", fmt.Sprintf("%d/%d", k, p.Parts), "--plan", plan, "--json")
		if err != nil {
			return err
		}
		var done []struct {
			Read int64 `json:"bytes_read"`
		}
		if err := json.Unmarshal(c.out, &done); err != nil {
			return err
		}
		tasks = append(tasks, c)
		all += c.cpu
		read += done[0].Read
	}
	committed, err := measureProcess(b.fleet, "commit", "--plan", plan)
	if err != nil {
		return err
	}
	mean := float64(read) / float64(p.Parts)
	fmt.Printf("| %d | %s | %.1f MB | %s | %s | %.0f MB, %.0f %% | %.1f s | %s | %s |\n", p.Parts, planned,
		float64(file.Size())/1e6, medianCost(tasks), maxCost(tasks),
		mean/1e6, 100*mean/float64(p.Bytes), all.Seconds(), committed, b.compareResult(out))
	return errors.Join(os.RemoveAll(filepath.Join(b.work, "profarc-work")), os.Remove(out))
}

// medianCost returns the medians of processor time and memory.
func medianCost(all []cost) (m cost) {
	slices.SortFunc(all, func(x, y cost) int { return cmp.Compare(x.peak, y.peak) })
	m.peak = all[len(all)/2].peak
	slices.SortFunc(all, func(x, y cost) int { return cmp.Compare(x.cpu, y.cpu) })
	m.cpu = all[len(all)/2].cpu
	return m
}

// maxCost returns the maximum of processor time and of memory.
func maxCost(all []cost) (w cost) {
	for _, c := range all {
		w.cpu = max(w.cpu, c.cpu)
		w.peak = max(w.peak, c.peak)
	}
	return w
}

// compareResult describes whether a result equals the single merge.
func (b *bench) compareResult(out string) string {
	if b.whole == "" {
		return "not compared"
	}
	if err := exec.Command("cmp", "-s", out, b.whole).Run(); err != nil {
		return "OTHER BYTES"
	}
	return "same bytes"
}
