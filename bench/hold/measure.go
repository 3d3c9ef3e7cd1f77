package main

import (
	"archive/zip"
	"bufio"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/profarc/profarc/bench/turns"
)

//go:embed Sources.java
var program []byte

// prepare writes the program and its sources, and builds profarc if none is given.
func (b *bench) prepare() error {
	if err := b.unpack(); err != nil {
		return err
	}
	source := filepath.Join(b.dir, "Sources.java")
	if err := os.WriteFile(source, program, 0o644); err != nil {
		return err
	}
	if out, err := exec.Command(filepath.Join(b.jdk, "bin", "javac"), "-d", b.dir, source).CombinedOutput(); err != nil {
		return fmt.Errorf("javac: %w: %s", err, out)
	}
	if b.commands != "" {
		b.profarc = strings.Split(b.commands, ",")
		return nil
	}
	b.profarc = []string{filepath.Join(b.dir, "profarc")}
	if out, err := exec.Command("go", "build", "-o", b.profarc[0], "./cmd/profarc").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, out)
	}
	return nil
}

// unpack unpacks java.util of the JDK's sources.
func (b *bench) unpack() error {
	z, err := zip.OpenReader(filepath.Join(b.jdk, "lib", "src.zip"))
	if err != nil {
		return err
	}
	defer z.Close()
	dir := filepath.Join(b.dir, "java", "util")
	if err := errors.Join(os.MkdirAll(dir, 0o755), os.MkdirAll(b.classes(), 0o755)); err != nil {
		return err
	}
	for _, f := range z.File {
		name, ok := strings.CutPrefix(f.Name, "java.base/java/util/")
		if !ok || !strings.HasSuffix(name, ".java") || strings.Contains(name, "/") {
			continue
		}
		if err := unpackFile(f, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

func unpackFile(f *zip.File, to string) error {
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}

func (b *bench) classes() string { return filepath.Join(b.dir, "classes") }

// java returns the command line of the program: how many rounds, and whether it waits.
func (b *bench) java(rounds int, more ...string) []string {
	return append([]string{filepath.Join(b.jdk, "bin", "java"), "-cp", b.dir, "Sources", b.dir, b.classes(), strconv.Itoa(rounds)}, more...)
}

// The lines that the program prints when it has compiled once, and when it has ended.
const (
	busy     = "busy"
	standing = "ready"
)

const (
	manyRounds = 1000
	fewRounds  = 2
)

// figures are the measurements of one command in one state of the JVM.
type figures struct {
	held    []time.Duration
	methods []int
	jhsdb   []time.Duration
}

// running dumps a JVM again and again once it has printed a line.
func (b *bench) running(state string) (all []*figures, err error) {
	rounds := fewRounds
	if state == busy {
		rounds = manyRounds
	}
	args := b.java(rounds)
	cmd := exec.Command(args[0], args[1:]...)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		return nil, err
	}
	defer func() {
		_ = in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	for lines := bufio.NewScanner(out); lines.Text() != state; {
		if !lines.Scan() {
			return nil, fmt.Errorf("the program ended before it was %s", state)
		}
	}
	return b.dumps(cmd.Process.Pid, state)
}

func (b *bench) dumps(pid int, state string) (all []*figures, err error) {
	for range b.profarc {
		all = append(all, &figures{})
	}
	for range b.runs {
		for i, profarc := range b.profarc {
			if err := all[i].dump(profarc, pid, filepath.Join(b.dir, "a.parc")); err != nil {
				return nil, err
			}
		}
		if b.jhsdb && state == standing {
			if err := all[0].debug(b.jdk, pid); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// dump measures `profarc dump`.
func (f *figures) dump(profarc string, pid int, archive string) error {
	text, err := exec.Command(profarc, "dump", "--pid", strconv.Itoa(pid), "-o", archive, "--json").Output()
	var report struct {
		Methods   int
		StoppedNS int64 `json:"stopped_ns"`
	}
	if err = errors.Join(err, json.Unmarshal(text, &report)); err != nil {
		return fmt.Errorf("dump: %w", err)
	}
	f.add(report.StoppedNS, report.Methods)
	return nil
}

// debug measures how long jhsdb takes to print all profiles. It holds the process all
// the time.
func (f *figures) debug(jdk string, pid int) error {
	cmd := exec.Command(filepath.Join(jdk, "bin", "jhsdb"), "clhsdb", "--pid", strconv.Itoa(pid))
	cmd.Stdin = strings.NewReader("printmdo -a\n")
	begun := time.Now()
	text, err := cmd.Output()
	f.jhsdb = append(f.jhsdb, time.Since(begun))
	if n := strings.Count(string(text), "MethodData 0x"); err != nil || n < f.methods[0]/2 {
		return fmt.Errorf("jhsdb printed %d methods: %w", n, err)
	}
	return nil
}

// exits measures `profarc train`.
func (b *bench) exits() (all []*figures, err error) {
	for range b.profarc {
		all = append(all, &figures{})
	}
	report, archive := filepath.Join(b.dir, "report.json"), filepath.Join(b.dir, "train.parc")
	for range b.runs {
		for i, profarc := range b.profarc {
			args := append([]string{"train", "-q", "-o", archive, "--report", report, "--"}, b.java(fewRounds, "ends")...)
			if out, err := exec.Command(profarc, args...).CombinedOutput(); err != nil {
				return nil, fmt.Errorf("train: %w: %s", err, out)
			}
			if err := all[i].train(report); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

func (f *figures) train(report string) error {
	text, err := os.ReadFile(report)
	var r struct {
		JVMs []struct {
			Methods int
			HeldNS  int64 `json:"held_ns"`
		}
	}
	if err = errors.Join(err, json.Unmarshal(text, &r)); err != nil || len(r.JVMs) != 1 {
		return fmt.Errorf("a report of %d JVMs: %w", len(r.JVMs), err)
	}
	f.add(r.JVMs[0].HeldNS, r.JVMs[0].Methods)
	return nil
}

func (f *figures) add(heldNS int64, methods int) {
	f.held, f.methods = append(f.held, time.Duration(heldNS)), append(f.methods, methods)
}

func (f *figures) heldText() string {
	return fmt.Sprintf("%.1f ms (%.1f to %.1f)", ms(turns.Median(f.held)), ms(slices.Min(f.held)), ms(slices.Max(f.held)))
}

// text returns the other figures.
func (f *figures) text() string {
	text := fmt.Sprintf("%d methods", turns.Median(f.methods))
	if len(f.jhsdb) > 0 {
		text += fmt.Sprintf(", jhsdb %.0f ms, %.0fx", ms(turns.Median(f.jhsdb)), ms(turns.Median(f.jhsdb))/ms(turns.Median(f.held)))
	}
	return text
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
