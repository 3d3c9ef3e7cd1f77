package launch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
)

// A program is a command to start, and how a JVM in it is given a flag.
type program struct {
	path string   // of the file
	args []string // as typed, with the name in front
	real string   // path without symbolic links
	way  way
}

// A way is how a flag reaches a JVM.
type way int

const (
	wayNone    way = iota // not at all: it is not known what the command starts
	wayJava               // right behind java
	wayTool               // behind javac or another tool of a JDK, after -J
	wayInherit            // in JAVA_TOOL_OPTIONS, which every JVM below the command reads
)

// findProgram looks for the command that args name. It may be a path, or found on PATH.
func findProgram(args []string, inherit bool) (*program, error) {
	path, err := exec.LookPath(args[0])
	if err != nil {
		return nil, app.NotStarted(args[0], err)
	}
	p := &program{path: path, args: args, real: path}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		p.real = real
	}
	switch {
	case inherit:
		p.way = wayInherit
	case filepath.Base(p.path) == "java" || filepath.Base(p.real) == "java":
		p.way = wayJava
	case p.beside("java") && (p.beside("../release") || p.beside("../lib/modules")):
		p.way = wayTool
	}
	return p, nil
}

// beside reports whether there is such a file in the program's folder.
func (p *program) beside(name string) bool {
	_, err := os.Stat(filepath.Join(filepath.Dir(p.real), name))
	return err == nil
}

// toolOptions is the variable whose flags every JVM reads at its start.
const toolOptions = "JAVA_TOOL_OPTIONS"

// with returns the start of the program with a flag of java, or as it is without one.
func (p *program) with(flag string) (start, error) {
	switch {
	case flag == "":
		return start{p.path, p.args, ""}, nil
	case p.way == wayJava:
		return start{p.path, slices.Insert(slices.Clone(p.args), 1, flag), ""}, nil
	case p.way == wayTool:
		return start{p.path, slices.Insert(slices.Clone(p.args), 1, "-J"+flag), ""}, nil
	}
	value, err := inherited(flag, os.Getenv(toolOptions))
	return start{p.path, p.args, value}, err
}

// inherited returns the value of JAVA_TOOL_OPTIONS with one more flag.
func inherited(flag, before string) (string, error) {
	if before != "" {
		before += " "
	}
	// The VM splits at white space, unless it is quoted, and knows no escapes.
	switch {
	case !strings.ContainsAny(flag, " \t\v\f\r\n\"'"):
		return before + flag, nil
	case !strings.Contains(flag, `'`):
		return before + "'" + flag + "'", nil
	case !strings.Contains(flag, `"`):
		return before + `"` + flag + `"`, nil
	}
	return "", fmt.Errorf("%s cannot hold %s, which has both kinds of quotes: name files without", toolOptions, flag)
}

// errNoJava is the error of a command of which it is not known where java's flag belongs.
func (p *program) errNoJava() error {
	return app.Usagef("%s is not java: put profarc run in front of java itself, or let all JVMs that the command starts adopt with --inherit, "+
		"which sets %s", p.args[0], toolOptions)
}

// version returns the version of the JDK, as 17.0.14+7, empty if it is not known: the
// program may be a script that finds a JDK.
func (p *program) version() string {
	if p.way == wayInherit {
		return ""
	}
	release, _ := os.ReadFile(filepath.Join(filepath.Dir(p.real), "..", "release")) // empty if there is none
	if version := regexp.MustCompile(`(?m)^JAVA_RUNTIME_VERSION="([^"]+)"`).FindSubmatch(release); version != nil {
		return string(version[1])
	}
	return ""
}
