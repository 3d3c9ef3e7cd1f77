//go:build linux

// Pages measures how long profarc web takes to show an archive:
//
//	go run ./bench/pages                              1,000 to 1,000,000 methods of javac's size
//	go run ./bench/pages -methods 1000 -block 900
//
// For each archive, in a process of its own: from the start of the command to its first page,
// whatever that has; until the overview has all counts; the overview again; a page of the
// table of methods, sorted and searched; and a report, with its size. Times are wall time
// in milliseconds, the least of the rounds; memory is the most that the process had, without and
// with the pages of the file.
package main

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/profarc/profarc/bench"
)

func main() {
	methods := flag.String("methods", "1000,10000,100000,1000000", "numbers of methods")
	block := flag.Int("block", 0, "bytes of each profile, about; 0 for those of javac")
	rounds := flag.Int("rounds", 3, "rounds of each archive")
	dir := flag.String("dir", "", "directory for archives; a temporary one if empty")
	flag.Parse()
	if err := run(*dir, *methods, *block, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "pages:", err)
		os.Exit(1)
	}
}

func run(dir, methods string, block, rounds int) error {
	if dir == "" {
		temporary, err := os.MkdirTemp("", "pages")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temporary)
		dir = temporary
	}
	command := filepath.Join(dir, "profarc")
	if out, err := exec.Command("go", "build", "-o", command, "./cmd/profarc").CombinedOutput(); err != nil {
		return fmt.Errorf("build profarc in the root of the repository: %w\n%s", err, out)
	}
	fmt.Println("| methods | archive | first page | all counts | again | sorted | searched | report | its size | memory | with the file |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|")
	for _, text := range strings.Split(methods, ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			return err
		}
		if err := measure(command, dir, bench.Scale{Methods: n, Block: block, Javac: block == 0}, rounds); err != nil {
			return err
		}
	}
	return nil
}

// A result is what one process took.
type result struct {
	first, all, again, sorted, searched, report time.Duration
	reportSize                                  int64
	anonymous, peak                             int64 // bytes
}

// measure prints the row of an archive.
func measure(command, dir string, s bench.Scale, rounds int) error {
	path := filepath.Join(dir, "made.parc")
	b, err := bench.Build(s)
	if err != nil {
		return err
	}
	made, err := b.Commit(context.Background(), path)
	if err != nil {
		return err
	}
	defer os.Remove(path)
	var best result
	for round := range rounds {
		r, err := open(command, path)
		if err != nil {
			return err
		}
		if round == 0 {
			best = r
		}
		best = best.least(r)
	}
	fmt.Printf("| %d | %.1f MB | %s | %s | %s | %s | %s | %s | %.1f MB | %.0f MB | %.0f MB |\n", s.Methods, mega(made.Bytes), ms(best.first), ms(best.all), ms(best.again),
		ms(best.sorted), ms(best.searched), ms(best.report), mega(best.reportSize), mega(best.anonymous), mega(best.peak))
	return nil
}

func mega(n int64) float64 { return float64(n) / 1e6 }

func ms(d time.Duration) string { return fmt.Sprintf("%.0f ms", float64(d)/1e6) }

// least returns the least times of two results, and the highest memory.
func (r result) least(o result) result {
	for _, t := range []struct{ to, from *time.Duration }{{&r.first, &o.first}, {&r.all, &o.all}, {&r.again, &o.again}, {&r.sorted, &o.sorted},
		{&r.searched, &o.searched}, {&r.report, &o.report}} {
		*t.to = min(*t.to, *t.from)
	}
	r.anonymous, r.peak = max(r.anonymous, o.anonymous), max(r.peak, o.peak)
	return r
}

// open starts web on an archive and asks for pages as a reader would.
func open(command, path string) (r result, err error) {
	begun := time.Now()
	web := exec.Command(command, "web", path)
	out, err := web.StdoutPipe()
	if err != nil {
		return r, err
	}
	if err := web.Start(); err != nil {
		return r, err
	}
	defer func() {
		_ = web.Process.Signal(os.Interrupt)
		_ = web.Wait()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return r, err
	}
	folder := strings.TrimSpace(line)
	complete, err := get(folder + "overview")
	if r.first = time.Since(begun); err != nil {
		return r, err
	}
	for !complete {
		time.Sleep(20 * time.Millisecond)
		if complete, err = get(folder + "overview"); err != nil {
			return r, err
		}
	}
	r.all = time.Since(begun)
	for _, page := range []struct {
		took *time.Duration
		path string
	}{{&r.again, "overview"}, {&r.sorted, "methods?methods.sort=-size"}, {&r.searched, "methods?methods.find=Type99"}} {
		at := time.Now()
		if _, err := get(folder + page.path); err != nil {
			return r, err
		}
		*page.took = time.Since(at)
	}
	if r.anonymous, r.peak, err = memoryOf(web.Process.Pid); err != nil {
		return r, err
	}
	return r, r.write(command, path)
}

// write writes a report.
func (r *result) write(command, path string) error {
	begun, to := time.Now(), path+".html"
	defer os.Remove(to)
	if out, err := exec.Command(command, "web", path, "-o", to).CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	r.report = time.Since(begun)
	info, err := os.Stat(to)
	if err == nil {
		r.reportSize = info.Size()
	}
	return err
}

// get fetches a page, and reports whether it has all that it will have.
func get(url string) (complete bool, err error) {
	answer, err := http.Get(url)
	if err != nil {
		return false, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if answer.StatusCode != http.StatusOK && answer.StatusCode != http.StatusAccepted {
		return false, fmt.Errorf("%s: %s", url, answer.Status)
	}
	return !bytes.Contains(body, []byte(`data-again="`)), err
}

// memoryOf returns the anonymous memory of a process, and the most that it had with files.
func memoryOf(pid int) (anonymous, peak int64, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		kB, _, _ := strings.Cut(strings.TrimSpace(value), " ")
		n, _ := strconv.ParseInt(kB, 10, 64)
		switch name {
		case "RssAnon":
			anonymous = n << 10
		case "VmHWM":
			peak = n << 10
		}
	}
	return anonymous, peak, err
}
