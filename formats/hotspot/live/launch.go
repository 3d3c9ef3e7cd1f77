package live

import (
	"path"
	"strings"
)

// A launch is what the system says of how a process was started.
type launch struct {
	argv []string
	env  map[string]string // of launchVariables
	dir  string            // where it runs
	// read returns what a file of the process holds, as far as it is of use.
	read func(name string) (string, bool)
	// list returns the names in a directory of the process, in its own order.
	list func(dir string) []string
}

// launchVariables are the variables that the java launcher takes arguments from.
var launchVariables = []string{"CLASSPATH", "JDK_JAVA_OPTIONS"}

// valueOptions are options of the java launcher whose values are the next
// argument.
var valueOptions = map[string]bool{
	"-p": true, "--module-path": true, "--upgrade-module-path": true, "--add-modules": true, "--limit-modules": true, "--add-exports": true,
	"--add-opens": true, "--add-reads": true, "--patch-module": true, "--enable-native-access": true, "--describe-module": true, "-d": true, "--source": true,
}

// classPath is the class path that the java launcher takes from its arguments and
// variables, with wildcards expanded; ok is false for another program.
func (l *launch) classPath() (classPath string, ok bool) {
	if len(l.argv) == 0 || path.Base(l.argv[0]) != "java" {
		return "", false
	}
	classPath = "."
	if v := l.env["CLASSPATH"]; v != "" {
		classPath = v
	}
	for args := l.arguments(); len(args) > 0; args = args[1:] {
		name, value, given := strings.Cut(args[0], "=")
		switch {
		case name == "-cp" || name == "-classpath" || name == "--class-path" && !given:
			if len(args) > 1 {
				classPath, args = args[1], args[1:]
			}
		case name == "--class-path" || name == "-Djava.class.path" && given:
			classPath = value
		case name == "-jar" && len(args) > 1:
			return args[1], true
		case name == "-m" || name == "--module":
			if classPath == "." {
				classPath = ""
			}
			return l.expandWildcards(classPath), true
		case !given && valueOptions[name] && len(args) > 1:
			args = args[1:]
		case !strings.HasPrefix(name, "-"): // the main class
			return l.expandWildcards(classPath), true
		}
	}
	return l.expandWildcards(classPath), true
}

// maxArguments bounds the arguments of a process with those of its files.
const maxArguments = 1 << 16

// arguments are the launcher's arguments, with what argument files hold in their
// place up to the main class, and before them those of JDK_JAVA_OPTIONS.
func (l *launch) arguments() (args []string) {
	before := l.expandFiles(argumentWords(l.env["JDK_JAVA_OPTIONS"]))
	return append(before, l.expandFiles(l.argv[1:])...)
}

func (l *launch) expandFiles(args []string) (all []string) {
	for i, arg := range args {
		name, isFile := strings.CutPrefix(arg, "@")
		switch {
		case len(all) > maxArguments:
			return all
		case isFile && strings.HasPrefix(name, "@"):
			all = append(all, name)
		case isFile:
			if text, ok := l.read(name); ok {
				all = append(all, argumentWords(text)...)
			}
		case arg == "--disable-@files" || !strings.HasPrefix(arg, "-") && (i == 0 || !strings.HasPrefix(args[i-1], "-")):
			return append(all, args[i:]...)
		default:
			all = append(all, arg)
		}
	}
	return all
}

// argumentWords parts a text as the launcher does with argument files: at white
// space, but for what stands in quotes; a backslash in quotes takes the next
// character as it is, and a # begins a comment.
func argumentWords(text string) (words []string) {
	var word strings.Builder
	quote, inWord := byte(0), false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0 && c == '\\' && i+1 < len(text):
			i++
			word.WriteByte(text[i])
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteByte(c)
		case c == '"' || c == '\'':
			quote, inWord = c, true
		case c == '#' && !inWord:
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case strings.IndexByte(" \t\r\n\f", c) < 0:
			word.WriteByte(c)
			inWord = true
		case inWord:
			words = append(words, word.String())
			word.Reset()
			inWord = false
		}
		if len(words) > maxArguments {
			return words
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words
}

// expandWildcards puts the jars of a directory in place of an entry "dir/*", in
// the order in which the directory has them, as the launcher does. An entry that
// matches nothing stays.
func (l *launch) expandWildcards(classPath string) string {
	entries := strings.Split(classPath, ":")
	var all []string
	for _, entry := range entries {
		dir, wild := strings.CutSuffix(entry, "*")
		if !wild || dir != "" && !strings.HasSuffix(dir, "/") {
			all = append(all, entry)
			continue
		}
		found := false
		for _, name := range l.list(dir) {
			if strings.EqualFold(path.Ext(name), ".jar") && len(all) < maxArguments {
				all, found = append(all, dir+name), true
			}
		}
		if !found {
			all = append(all, entry)
		}
	}
	return strings.Join(all, ":")
}
