// Command merges compares merges and imports of profarc with llvm-profdata merge and pprof. It prints the processor
// time of each command and its ratio to the peer's. The commands take turns.
package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/profarc/profarc/bench/ratios"
	"github.com/profarc/profarc/internal/cli/paired"
)

var (
	profarc   = flag.String("profarc", "profarc", "the command to measure")
	llvm      = flag.String("llvm-profdata", "llvm-profdata-19", "peer of merges")
	functions = flag.Int("functions", 300_000, "LLVM functions in each of two profiles")
	files     = flag.Int("files", 100, "CPU profiles of Go to import")
	rounds    = flag.Int("rounds", 7, "rounds")
	dir       = flag.String("d", "", "directory for the files (default a temporary one)")
)

func main() {
	flag.Parse()
	if *dir == "" {
		temp, err := os.MkdirTemp("", "merges")
		exitOn(err)
		defer os.RemoveAll(temp)
		*dir = temp
	}
	measureMerges()
	measurePprof()
}

func exitOn(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// runCommand returns the processor time of a command in seconds.
func runCommand(name string, args ...string) float64 {
	c := exec.Command(name, args...)
	out, err := c.CombinedOutput()
	if err != nil {
		log.Fatalf("%s: %v\n%s", c, err, out)
	}
	return (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
}

func file(name string) string { return filepath.Join(*dir, name) }

// writeProfdata writes a profile with counters of *functions functions, as an instrumented program of LLVM does.
func writeProfdata(name string, seed uint64) {
	var b bytes.Buffer
	b.WriteString(":ir\n")
	names := rand.New(rand.NewPCG(7, 7))
	counts := rand.New(rand.NewPCG(seed, seed))
	for i := range *functions {
		n := 2 + names.IntN(8)
		fmt.Fprintf(&b, "_ZN3app5Class13method_%06dEi\n%d\n%d\n", i, names.Uint64()>>4, n)
		for range n {
			fmt.Fprintln(&b, uint64(1)<<counts.IntN(30)/2)
		}
		b.WriteString("\n")
	}
	exitOn(os.WriteFile(file("text"), b.Bytes(), 0o600))
	runCommand(*llvm, "merge", file("text"), "-o", name)
}

func measureMerges() {
	profiles := []string{file("1.profdata"), file("2.profdata")}
	archives := []string{file("1.parc"), file("2.parc")}
	for i, p := range profiles {
		writeProfdata(p, uint64(i+1))
		runCommand(*profarc, "import", p, "-o", archives[i])
	}
	out := []string{"-o", file("out.parc")}
	compare(fmt.Sprintf("merge of 2 profiles of %d functions", *functions), map[string]func() float64{
		"peer": func() float64 {
			return runCommand(*llvm, "merge", profiles[0], profiles[1], "-o", file("out.profdata"))
		},
		"merge": func() float64 { return runCommand(*profarc, append([]string{"merge"}, append(archives, out...)...)...) },
		"import": func() float64 {
			return runCommand(*profarc, append([]string{"import"}, append(profiles, out...)...)...)
		},
	})
}

// writeCPUProfile profiles some work of this process.
func writeCPUProfile(name string, seed int) {
	f, err := os.Create(name)
	exitOn(err)
	exitOn(pprof.StartCPUProfile(f))
	for start := time.Now(); time.Since(start) < 200*time.Millisecond; {
		words := map[string]int{}
		in := bufio.NewScanner(strings.NewReader(strings.Repeat(fmt.Sprintln("line", seed), 500)))
		for in.Scan() {
			words[fmt.Sprint(in.Text(), len(words)%seed)]++
		}
	}
	pprof.StopCPUProfile()
	exitOn(f.Close())
}

func measurePprof() {
	tool, err := exec.Command("go", "tool", "-n", "pprof").Output()
	exitOn(err)
	var profiles []string
	for i := range *files {
		profiles = append(profiles, file(fmt.Sprintf("%03d.pb.gz", i)))
		writeCPUProfile(profiles[i], i+1)
	}
	peer := append([]string{"-proto", "-output", file("out.pb.gz")}, profiles...)
	own := append([]string{"import", "-o", file("out.parc")}, profiles...)
	compare(fmt.Sprintf("import of %d CPU profiles of Go", *files), map[string]func() float64{
		"peer":   func() float64 { return runCommand(strings.TrimSpace(string(tool)), peer...) },
		"import": func() float64 { return runCommand(*profarc, own...) },
	})
}

// compare runs the commands in turn, and prints medians and the median ratio of each to "peer".
func compare(what string, run map[string]func() float64) {
	times := map[string][]float64{}
	for range *rounds {
		for _, name := range []string{"peer", "merge", "import"} {
			if f := run[name]; f != nil {
				_ = os.Remove(file("out.parc"))
				times[name] = append(times[name], f())
			}
		}
	}
	for _, name := range []string{"peer", "merge", "import"} {
		if t := times[name]; t != nil {
			fmt.Printf("%s: %s %.2f s, %.2f of the peer\n", what, name, paired.Median(t), ratios.MedianRatio(t, times["peer"]))
		}
	}
}
