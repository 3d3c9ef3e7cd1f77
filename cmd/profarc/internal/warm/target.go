package warm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
)

// toolOptions is the variable whose flags every JVM reads at its start.
const toolOptions = "JAVA_TOOL_OPTIONS"

// A target is the command to measure, and how its JVM gets flags.
type target struct {
	path   string   // of the file
	args   []string // as typed, with the name in front
	prefix string   // of a flag: "-J" for the tools of a JDK
	java   string   // the java that runs, as far as is known
	shared bool     // flags are in the environment, for every JVM below the command
}

// findTarget looks for the command that args name.
func findTarget(args []string, inherit bool) (*target, error) {
	path, err := exec.LookPath(args[0])
	if err != nil && !errors.Is(err, exec.ErrDot) { // a shell runs it
		return nil, app.NotStarted(args[0], err)
	}
	t := &target{path: path, args: args, java: path, shared: inherit}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path
	}
	sibling := filepath.Join(filepath.Dir(real), "java"+filepath.Ext(path))
	switch {
	case inherit:
		t.java = inheritedJava()
	case isJava(path) || isJava(real):
	case exists(sibling) && exists(filepath.Join(filepath.Dir(real), "..", "lib", "modules")): // a tool of a JDK
		t.prefix, t.java = "-J", sibling
	default:
		return nil, app.Usagef("%s is not java: name java itself after --, or give flags to all JVMs that the command starts with --inherit, which sets %s", args[0], toolOptions)
	}
	return t, nil
}

func isJava(path string) bool {
	return strings.TrimSuffix(filepath.Base(path), ".exe") == "java"
}

func exists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// inheritedJava is the java that a script most likely starts, empty if there is none.
func inheritedJava() string {
	if java := filepath.Join(os.Getenv("JAVA_HOME"), "bin", "java"); exists(java) {
		return java
	}
	path, _ := exec.LookPath("java")
	return path
}

// with returns the arguments and the environment of the command with flags of the VM.
func (t *target) with(flags []string) (args, env []string, err error) {
	if !t.shared {
		prefixed := make([]string, len(flags))
		for i, f := range flags {
			prefixed[i] = t.prefix + f
		}
		return slices.Insert(slices.Clone(t.args), 1, prefixed...), nil, nil
	}
	value := os.Getenv(toolOptions)
	for _, f := range flags {
		quoted, err := quoteForVM(f)
		if err != nil {
			return nil, nil, err
		}
		value = strings.TrimSpace(value + " " + quoted)
	}
	env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, toolOptions+"=") })
	if value != "" {
		env = append(env, toolOptions+"="+value)
	}
	return t.args, env, nil
}

// quoteForVM quotes a flag for JAVA_TOOL_OPTIONS, in which the VM knows no escapes.
func quoteForVM(flag string) (string, error) {
	switch {
	case !strings.ContainsAny(flag, " \t\v\f\r\n\"'"):
		return flag, nil
	case !strings.Contains(flag, `'`):
		return "'" + flag + "'", nil
	case !strings.Contains(flag, `"`):
		return `"` + flag + `"`, nil
	}
	return "", fmt.Errorf("%s: %s cannot hold both quotes: name files without them", flag, toolOptions)
}

// A jvm is what a java says of itself.
type jvm struct {
	feature int // 17, 21, 25; 0: not known
	text    string
}

var (
	versionLine = regexp.MustCompile(`version "(?:1\.)?(\d+)[^"]*"`)
	buildText   = regexp.MustCompile(`\(build ([0-9][^),]*)`)
)

// findJVM asks java for its version.
func (t *target) findJVM(ctx context.Context) (jvm, error) {
	if t.java == "" {
		return jvm{text: "not known"}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	asked := exec.CommandContext(ctx, t.java, "-version")
	asked.WaitDelay = time.Second
	out, err := asked.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return jvm{}, app.NotStarted(t.java, err)
	}
	v := jvm{text: "not known"}
	if m := versionLine.FindSubmatch(out); m != nil {
		v.feature, _ = strconv.Atoi(string(m[1])) // digits
		v.text = "JDK " + string(m[1])
	}
	if m := buildText.FindSubmatch(out); m != nil {
		v.text = "JDK " + string(m[1])
	}
	return v, nil
}
