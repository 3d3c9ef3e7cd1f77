// Warm measures programs of Debian on HotSpot by `profarc warm`, with AppCDS, the best flag, only C1, an AOT cache, an
// archive of a training run, and both.
//
//	cd bench
//	go run ./warm -o /tmp/warm
//	go run ./warm -o /tmp/warm -only h2,javac -rounds 25
//
// With several JDKs, all but the first also adopt the archive that the first one recorded (earlier).
//
// The directory -o keeps archives and results, so that measured programs are not run again. Warm skips programs whose
// Debian package is missing.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

// options are the values of the flags.
type options struct {
	rounds int
	only   string
	jdks   string
	dir    string
	lock   string
	print  bool
}

func main() {
	var o options
	flag.IntVar(&o.rounds, "rounds", 15, "rounds; each contender runs once a round")
	flag.StringVar(&o.only, "only", "", "programs to measure, with commas; all if empty")
	flag.StringVar(&o.jdks, "jdks", defaultJDKs(), "homes of JDKs, with commas")
	flag.StringVar(&o.dir, "o", "", "directory for archives and figures (required)")
	flag.StringVar(&o.lock, "lock", "", "file to hold a lock of (flock) while a program is measured, for a shared machine")
	flag.BoolVar(&o.print, "print", false, "only print the tables of what was measured")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "warm:", err)
		os.Exit(1)
	}
}

// defaultJDKs returns the JDKs of JAVA_HOME and JAVA25_HOME.
func defaultJDKs() string {
	homes := []string{os.Getenv("JAVA_HOME"), os.Getenv("JAVA25_HOME")}
	return strings.Join(slices.DeleteFunc(homes, func(home string) bool { return home == "" }), ",")
}

func run(ctx context.Context, o options) error {
	if o.dir == "" || o.jdks == "" {
		return fmt.Errorf("-o and -jdks (or JAVA_HOME and JAVA25_HOME) are needed; see -h")
	}
	dir, err := filepath.Abs(o.dir)
	if err != nil {
		return err
	}
	b := &bench{options: o, dir: dir}
	if !o.print {
		if err := b.buildProfarc(ctx); err != nil {
			return err
		}
		if err := b.measurePrograms(ctx); err != nil {
			return err
		}
	}
	return b.printTables(os.Stdout)
}

// A bench measures programs in a directory.
type bench struct {
	options
	dir string
}

// buildProfarc builds profarc and writes the programs' inputs.
func (b *bench) buildProfarc(ctx context.Context) error {
	if err := writeInputs(b.dir); err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "build", "-C", "..", "-o", b.profarc(), "./cmd/profarc")
	build.Stderr = os.Stderr
	return build.Run()
}

func (b *bench) profarc() string { return filepath.Join(b.dir, "profarc") }

// measurePrograms trains and measures all programs with all JDKs.
func (b *bench) measurePrograms(ctx context.Context) error {
	for _, p := range b.chosen() {
		if missing := p.missingPackage(); missing != "" {
			fmt.Fprintf(os.Stderr, "warm: %s is left out: %s\n", p.name, missing)
			continue
		}
		for _, home := range strings.Split(b.jdks, ",") {
			j := job{b, p, home, b.earlierJDK(home)}
			if _, err := os.Stat(j.filePath(".json")); err == nil {
				continue
			}
			if err := j.measureProgram(ctx); err != nil {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				fmt.Fprintf(os.Stderr, "warm: %s with %s: %v\n", p.name, home, err)
			}
		}
	}
	return nil
}

// earlierJDK returns the first JDK, or "" if home is the first.
func (b *bench) earlierJDK(home string) string {
	first, _, _ := strings.Cut(b.jdks, ",")
	if first == home {
		return ""
	}
	return first
}

func (b *bench) chosen() (chosen []program) {
	for _, p := range programs {
		if b.only == "" || slices.Contains(strings.Split(b.only, ","), p.name) {
			chosen = append(chosen, p)
		}
	}
	return chosen
}
