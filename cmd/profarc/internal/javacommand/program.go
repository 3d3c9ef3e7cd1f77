// Package javacommand finds a command that starts a JVM, and passes more flags to the JVM.
package javacommand

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/java/jdk"
)

// A Program is a command to start, and the way to pass flags to its JVM.
type Program struct {
	Path string   // path of the executable
	Args []string // argv, as typed
	Real string   // Path without symbolic links
	Way  Way
}

type Way int

const (
	WayNone    Way = iota // none, since the command is unknown
	WayJava               // directly after java
	WayTool               // directly after javac or another tool of a JDK, with the prefix -J
	WayInherit            // through JAVA_TOOL_OPTIONS, which every JVM below the command reads
)

// FindCommand finds the command of args, which is a path or on PATH. With inherit, the flags go to every JVM below it.
// The error comes from cli.NotStarted.
func FindCommand(args []string, inherit bool) (*Program, error) {
	path, err := exec.LookPath(args[0])
	if err != nil && !errors.Is(err, exec.ErrDot) { // a shell runs it
		return nil, cli.NotStarted(args[0], err)
	}
	p := &Program{Path: path, Args: args, Real: path}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		p.Real = real
	}
	switch {
	case inherit:
		p.Way = WayInherit
	case isJavaPath(p.Path) || isJavaPath(p.Real):
		p.Way = WayJava
	case isFile(p.inProgramFolder("java")) && (isFile(p.inProgramFolder("../release")) ||
		isFile(p.inProgramFolder("../lib/modules"))):
		p.Way = WayTool
	}
	return p, nil
}

func isJavaPath(path string) bool { return strings.TrimSuffix(filepath.Base(path), ".exe") == "java" }

func (p *Program) inProgramFolder(name string) string {
	return filepath.Join(filepath.Dir(p.Real), name)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// JavaPath returns the java that the command runs, or "" if none is found. For a script it guesses JAVA_HOME and then
// PATH.
func (p *Program) JavaPath() string {
	switch p.Way {
	case WayJava:
		return p.Path
	case WayTool:
		return p.inProgramFolder("java")
	}
	if java := filepath.Join(os.Getenv("JAVA_HOME"), "bin", "java"); isFile(java) {
		return java
	}
	path, _ := exec.LookPath("java")
	return path
}

// Options is the variable whose flags every JVM reads at its start.
const Options = "JAVA_TOOL_OPTIONS"

type Start struct {
	Path    string
	Args    []string
	Options string // value of JAVA_TOOL_OPTIONS; "" leaves the variable unchanged
}

func (s Start) Environment() []string {
	env := os.Environ()
	if s.Options == "" {
		return env
	}
	env = slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(v, Options+"=") })
	return append(env, Options+"="+s.Options)
}

func (p *Program) WithFlags(flags ...string) (Start, error) {
	s := Start{Path: p.Path, Args: p.Args}
	if len(flags) == 0 {
		return s, nil
	}
	switch p.Way {
	case WayJava:
		s.Args = slices.Insert(slices.Clone(p.Args), 1, flags...)
	case WayTool:
		behind := make([]string, len(flags))
		for i, flag := range flags {
			behind[i] = "-J" + flag
		}
		s.Args = slices.Insert(slices.Clone(p.Args), 1, behind...)
	default:
		words := []string{}
		if before := os.Getenv(Options); before != "" {
			words = append(words, before)
		}
		for _, flag := range flags {
			quoted, err := quoteOption(flag)
			if err != nil {
				return s, err
			}
			words = append(words, quoted)
		}
		s.Options = strings.Join(words, " ")
	}
	return s, nil
}

// quoteOption quotes a flag for JAVA_TOOL_OPTIONS. The VM splits the value at white space outside quotes, and has no
// escapes.
func quoteOption(flag string) (string, error) {
	switch {
	case !strings.ContainsAny(flag, " \t\v\f\r\n\"'"):
		return flag, nil
	case !strings.Contains(flag, `'`):
		return "'" + flag + "'", nil
	case !strings.Contains(flag, `"`):
		return `"` + flag + `"`, nil
	}
	return "", fmt.Errorf("%s cannot hold %s, which has both kinds of quotes: name files without", Options, flag)
}

// Version returns the version of the JDK, such as 17.0.14+7, or "" if it is unknown, as for a script.
func (p *Program) Version() string {
	if p.Way == WayInherit {
		return ""
	}
	return jdk.VersionOfProgram(p.Real)
}
