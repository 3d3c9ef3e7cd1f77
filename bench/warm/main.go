// Warm measures what archives give programs in Java, with profarc warm:
//
//	go run ./warm -jdk /usr/lib/jvm/java-17-openjdk-amd64 -o results
//	go run ./warm -jdk $JAVA25_HOME -only h2,javac -n 25 -o results
//	go run ./warm -jdk $JAVA_HOME -only javac -quota 1 -o results
//	go run ./warm -jdk $JAVA_HOME -only javac,h2 -traps -n 5 -o results
//
// The programs are javac, which compiles a part of itself; H2, a database in memory; ant;
// Clojure; a server of the JDK's HTTP server under load; and Hello World. They take their
// jars from -jars and sources from the JDK's src.zip, and each is left out where these are
// missing. Names with a dash measure something of their own: javac-other and h2-other are trained on
// another input; h2-wrong and hello have javac's archive.
//
// Each program is trained once, then all contenders take turns (docs/warm.md). The
// folder -o gets the report of each as text and JSON, and the table that is printed at the end.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	m := measurement{ctx: ctx}
	flag.StringVar(&m.home, "jdk", os.Getenv("JAVA_HOME"), "home of the JDK")
	flag.StringVar(&m.jars, "jars", "/usr/share/java", "folder of h2.jar, ant.jar and clojure.jar")
	flag.StringVar(&m.out, "o", "", "folder for reports")
	flag.StringVar(&m.only, "only", "", "names of programs, separated by commas")
	flag.StringVar(&m.contenders, "contenders", "", "contenders, as for profarc warm --only")
	flag.IntVar(&m.rounds, "n", 15, "rounds")
	flag.Float64Var(&m.quota, "quota", 0, "processors that the programs get, by a quota of the control group")
	flag.BoolVar(&m.traps, "traps", false, "count uncommon traps instead of measuring time")
	table := flag.Bool("table", false, "print the table of the reports in -o, and measure nothing")
	flag.Parse()
	err := error(nil)
	if !*table {
		err = m.run()
	}
	if !m.traps {
		err = errors.Join(err, printTable(os.Stdout, m.out))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "warm:", err)
		os.Exit(1)
	}
}

// A measurement is one run of this command.
type measurement struct {
	ctx                         context.Context
	home, jars, out             string
	only, contenders            string
	rounds                      int
	quota                       float64
	traps                       bool
	dir, profarc, group, suffix string
}

func (m *measurement) run() error {
	if m.home == "" || m.out == "" {
		return fmt.Errorf("-jdk and -o are required")
	}
	dir, err := os.MkdirTemp("", "warm")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	m.dir, m.profarc = dir, filepath.Join(dir, "profarc")
	if err := os.MkdirAll(m.out, 0o755); err != nil {
		return err
	}
	build := m.command("go", "build", "-o", m.profarc, "./cmd/profarc")
	build.Dir = ".." // a program of this module would need the command's dependencies
	if err := build.Run(); err != nil {
		return fmt.Errorf("run it in the folder bench of the repository: %w", err)
	}
	if err := m.limit(); err != nil {
		return err
	}
	defer m.unlimit()
	failures := error(nil)
	for _, p := range m.programs() {
		if m.only != "" && !strings.Contains(","+m.only+",", ","+p.name+",") {
			continue
		}
		if err := m.measure(p); err != nil {
			failures = errors.Join(failures, fmt.Errorf("%s: %w", p.name, err))
		}
	}
	return failures
}

// command returns a command whose output is shown.
func (m *measurement) command(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(m.ctx, name, args...)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	return cmd
}

// measure trains a program and lets its contenders take turns.
func (m *measurement) measure(p program) error {
	if why := p.missing(); why != "" {
		fmt.Fprintf(os.Stderr, "%s is left out: %s\n", p.name, why)
		return nil
	}
	fmt.Fprintf(os.Stderr, "\n== %s\n", p.name)
	archive := filepath.Join(m.dir, p.name+".parc")
	if err := m.train(p, archive); err != nil {
		return err
	}
	if m.traps {
		return m.countTraps(p, archive)
	}
	base := filepath.Join(m.out, p.name+"-"+m.release()+m.suffix)
	args := []string{"warm", "--quiet", "--archive", archive, "-n", strconv.Itoa(m.rounds), "--json", base + ".json",
		"--width", "100"}
	if m.contenders != "" {
		args = append(args, "--only", m.contenders)
	}
	args = append(append(append(args, p.flags...), "--"), p.command...)
	text, err := os.Create(base + ".txt")
	if err != nil {
		return err
	}
	defer text.Close()
	cmd := m.command(m.profarc, args...)
	cmd.Stdout = text
	return cmd.Run()
}

// release returns the release of the JDK, such as "17".
func (m *measurement) release() string {
	text, _ := os.ReadFile(filepath.Join(m.home, "release"))
	_, rest, _ := strings.Cut(string(text), `JAVA_VERSION="`)
	return strings.FieldsFunc(rest+"?", func(r rune) bool { return r == '.' || r == '"' || r == '\n' })[0]
}

// limit puts this process into a control group with the quota, which its children inherit.
func (m *measurement) limit() error {
	if m.quota == 0 {
		return nil
	}
	m.suffix = fmt.Sprintf("-quota%g", m.quota)
	group, err := os.MkdirTemp("/sys/fs/cgroup/cpu", "warm")
	if err != nil {
		return fmt.Errorf("a quota takes root and the cpu controller of cgroup v1: %w", err)
	}
	m.group = group
	if err := os.WriteFile(filepath.Join(group, "cpu.cfs_quota_us"), fmt.Appendf(nil, "%d", int(m.quota*100000)),
		0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(group, "cgroup.procs"), fmt.Append(nil, os.Getpid()), 0o644)
}

// unlimit leaves the control group and removes it.
func (m *measurement) unlimit() {
	if m.group != "" {
		os.WriteFile("/sys/fs/cgroup/cpu/cgroup.procs", fmt.Append(nil, os.Getpid()), 0o644)
		os.Remove(m.group)
	}
}
