// Command hold measures how long `profarc dump` and `profarc train` hold a JVM: a Java
// compiler that compiles the JDK's java.util, and has some 6,000 methods with profiles.
//
//	go run ./bench/hold -jdk /usr/lib/jvm/java-17-openjdk-amd64
//
// It prints a table of bench/README.md: while the JVM works, while it stands still, at
// its exit, and how long the JDK's own debugger, jhsdb, takes for the same.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// A bench holds the flags.
type bench struct {
	jdk, commands string
	runs          int
	jhsdb         bool
	only          string
	dir           string
	profarc       []string // commands that take turns
}

func main() {
	var b bench
	flag.StringVar(&b.jdk, "jdk", defaultJDK(), "home of a JDK, 17 or later, with lib/src.zip")
	flag.StringVar(&b.commands, "profarc", "", "profarc commands that take turns, with commas between; empty: the one of this tree")
	flag.IntVar(&b.runs, "runs", 9, "runs of each row, whose medians are printed")
	flag.BoolVar(&b.jhsdb, "jhsdb", true, "measure jhsdb, too")
	flag.StringVar(&b.only, "only", "", "only rows whose name has this text")
	flag.Parse()
	if err := b.run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// defaultJDK returns the JDK whose java is on the path.
func defaultJDK() string {
	java, err := exec.LookPath("java")
	if err != nil {
		return ""
	}
	if java, err = filepath.EvalSymlinks(java); err != nil {
		return ""
	}
	return filepath.Dir(filepath.Dir(java))
}

func (b *bench) run() (err error) {
	if b.dir, err = os.MkdirTemp("", "profarc-bench-hold"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	if err := b.prepare(); err != nil {
		return err
	}
	fmt.Printf("%s, %d processors, medians of %d\n\n", runtime.Version(), runtime.NumCPU(), b.runs)
	fmt.Println("| | " + strings.Join(b.profarc, " | | ") + " | |")
	fmt.Println("|---|" + strings.Repeat("---|---|", len(b.profarc)))
	for _, row := range []struct {
		name    string
		measure func() ([]*figures, error)
	}{
		{"while it works", func() ([]*figures, error) { return b.running(busy) }},
		{"while it stands still", func() ([]*figures, error) { return b.running(standing) }},
		{"at its exit", b.exits},
	} {
		if !strings.Contains(row.name, b.only) {
			continue
		}
		all, err := row.measure()
		if err != nil {
			return fmt.Errorf("%s: %w", row.name, err)
		}
		fmt.Print("| " + row.name)
		for _, f := range all {
			fmt.Print(" | ", f.heldText(), " | ", f.text())
		}
		fmt.Println(" |")
	}
	return nil
}
