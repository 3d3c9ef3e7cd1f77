// Package program finds a command that starts a JVM, and says how it is started with more flags for the JVM.
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

// A Program is a command to start, and how a JVM in it is given flags.
type Program struct {
	Path string   // of the file
	Args []string // as typed, with the name in front
	Real string   // Path without symbolic links
	Way  Way
}

// A Way is how a flag reaches a JVM.
type Way int

const (
	WayNone    Way = iota // not at all: it is not known what the command starts
	WayJava               // right behind java
	WayTool               // behind javac or another tool of a JDK, after -J
	WayInherit            // in JAVA_TOOL_OPTIONS, which every JVM below the command reads
)

// Find looks for the command that args name. It may be a path, or found on PATH. With
// inherit every JVM below it gets the flags. The error comes from cli.NotStarted.
func Find(args []string, inherit bool) (*Program, error) {
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
	case isFile(p.inProgramFolder("java")) && (isFile(p.inProgramFolder("../release")) || isFile(p.inProgramFolder("../lib/modules"))):
		p.Way = WayTool
	}
	return p, nil
}

func isJavaPath(path string) bool { return strings.TrimSuffix(filepath.Base(path), ".exe") == "java" }

// inProgramFolder returns the path of a file by the program's folder.
func (p *Program) inProgramFolder(name string) string {
	return filepath.Join(filepath.Dir(p.Real), name)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// Java returns the java that the command runs, as far as is known: a script may find another one than
// the one of JAVA_HOME or PATH. It is empty if there is none.
func (p *Program) Java() string {
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

// A Start is what the system is told to start a program.
type Start struct {
	Path    string
	Args    []string
	Options string // value of JAVA_TOOL_OPTIONS; empty: as it is
}

// Environment returns the environment of the program.
func (s Start) Environment() []string {
	env := os.Environ()
	if s.Options == "" {
		return env
	}
	env = slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(v, Options+"=") })
	return append(env, Options+"="+s.Options)
}

// With returns the start of the program with flags of java, or as it is without any.
func (p *Program) With(flags ...string) (Start, error) {
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

// quoteOption returns a flag as it stands in JAVA_TOOL_OPTIONS. The VM splits at white space,
// unless it is quoted, and knows no escapes.
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

// Version returns the version of the JDK, as 17.0.14+7, empty if it is not known: the
// program may be a script that finds a JDK.
func (p *Program) Version() string {
	if p.Way == WayInherit {
		return ""
	}
	return jdk.OfProgram(p.Real)
}
