package main

import (
	"path"
	"slices"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
)

// maxJVMName is how many characters of a command line fit a line of a report.
const maxJVMName = 60

// jvmName is a command line that fits a line of a report and still says which
// program it is: of a long one java's folder and then its flags are dropped
// first.
func jvmName(args []string) string {
	if line := commandLine(args...); len([]rune(line)) <= maxJVMName {
		return line
	}
	name, rest := path.Base(args[0]), args[1:]
	if line := commandLine(append([]string{name}, rest...)...); len([]rune(line)) <= maxJVMName {
		return line
	}
	if name == "java" {
		program, arguments := javaProgram(rest)
		if program == nil {
			return app.Shorten(commandLine(args...), maxJVMName)
		}
		name, rest = commandLine(append([]string{name, "..."}, program...)...), arguments
	}
	name = app.Shorten(name, maxJVMName)
	line := []rune(commandLine(append([]string{name}, rest...)...))
	if room := maxJVMName - len([]rune(name)); len(line) > maxJVMName && room > len(" ...") {
		return string(line[:maxJVMName-3]) + "..."
	} else if len(line) > maxJVMName {
		return name
	}
	return string(line)
}

// commandLine puts words into a line.
func commandLine(words ...string) string {
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

// valueFlags are java's flags that have a value as the next argument.
var valueFlags = []string{
	"-cp", "-classpath", "--class-path", "-p", "--module-path", "--upgrade-module-path", "--add-modules", "--limit-modules",
	"--add-exports", "--add-opens", "--add-reads", "--patch-module", "--enable-native-access", "--source",
}

// javaProgram finds what java runs among its arguments: a class, a jar, or a
// module, with the flag that says so.
func javaProgram(args []string) (program, arguments []string) {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case slices.Contains([]string{"-jar", "-m", "--module"}, a) && i+1 < len(args):
			return args[i : i+2], args[i+2:]
		case slices.Contains(valueFlags, a):
			i++
		case !strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "@"):
			return args[i : i+1], args[i+1:]
		}
	}
	return nil, nil
}
