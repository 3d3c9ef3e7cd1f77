// Package secrets masks command lines for archives. It keeps values that are known to be harmless, and only the names
// of other options. It does not search for secrets, since their spelling is unknown.
package secrets

import (
	"path"
	"strings"

	"github.com/profarc/profarc/internal/system/lazyregexp"
	"github.com/profarc/profarc/internal/system/lists"
)

const Masked = "***"

// harmless matches JVM options whose values are numbers or words of a fixed list, and some that affect counts and
// times.
var harmless = lazyregexp.New(`^-(?:` + strings.Join([]string{
	`X(?:mx|ms|mn|ss)\d+[kKmMgGtT]?`, `X(?:int|comp|mixed|batch|noclassgc|rs|debug|diag)`, `Xshare:(?:auto|on|off|dump)`,
	`Xcheck:jni`,
	`Xverify(?::(?:all|none|remote))?`, `XX:[+-]\w+`, `XX:\w+=\d+(?:\.\d+)?[kKmMgGtT]?`,
	`XX:Compile(?:Command|Only)=[\w.$:/,*<>();\[]+`,
	`XX:(?:SharedArchiveFile|ArchiveClassesAtExit|AOTMode|AOTConfiguration|AOTCache|AOTCacheOutput)=[\w./+-]+`,
	`agentpath:[\w./+-]+/libprofarc-agent\.so=[\w./+,=-]+`, // this project's agent
	`(?:ea|da|enableassertions|disableassertions)(?::[\w.$]+)?`, `esa`, `dsa`, `server`, `client`, `d64`,
	`verbose(?::(?:gc|class|jni|module))?`,
	`version`, `showversion`, `-version`, `-show-version`, `-enable-preview`,
	`D(?:(?:file|sun\.jnu|sun\.stdout|sun\.stderr|stdout|stderr|native)\.encoding|user\.(?:timezone|language|country)|java\.awt\.headless|` +
		`java\.net\.prefer\w+|java\.util\.concurrent\.ForkJoinPool\.common\.parallelism|jdk\.virtualThreadScheduler\.\w+)=[\w./+-]*`,
}, "|") + `)$`)

var (
	// optionName matches names of long options. They must not contain digits, since most secrets do.
	optionName   = lazyregexp.New(`^--[A-Za-z][A-Za-z._-]{0,39}$`)
	propertyName = lazyregexp.New(`^[A-Za-z][\w.-]{0,99}$`)
	vmOptionName = lazyregexp.New(`^-X[a-z]+$`)
)

// className matches a main class, module or source file.
var className = lazyregexp.New(`^[\pL_$][\pL\w.$/+-]*$`)

// pathOptions are options of the java launcher that take a path or module names. The value is the next argument, or
// follows a = if the option begins with two dashes.
var pathOptions = map[string]bool{
	"-cp": true, "-classpath": true, "--class-path": true, "-p": true, "--module-path": true,
	"--upgrade-module-path": true,
	"--add-modules":         true, "--limit-modules": true, "--add-exports": true, "--add-opens": true,
	"--add-reads":    true,
	"--patch-module": true, "--enable-native-access": true, "--source": true, "--illegal-access": true,
}

// Mask returns a command line in which Masked replaces words or values that may be secret. It keeps the program,
// harmless options with their values, paths and the main class of a java command, and the names of other options.
func Mask(args []string) []string {
	out := lists.Map(args, maskWord)
	if len(args) == 0 {
		return out
	}
	out[0] = args[0]
	if strings.ContainsAny(args[0], "= \t\n'\"") {
		out[0] = Masked
	}
	if name := path.Base(strings.ReplaceAll(out[0], `\`, "/")); strings.TrimSuffix(name, ".exe") == "java" {
		keepLaunch(out[1:], args[1:])
	}
	return out
}

func keepLaunch(out, args []string) {
	for i := 0; i < len(args); i++ {
		next := i+1 < len(args)
		switch arg := args[i]; {
		case (arg == "-jar" || arg == "-m" || arg == "--module") && next:
			out[i], out[i+1] = arg, args[i+1]
			return
		case pathOptions[arg] && next:
			out[i], out[i+1] = arg, args[i+1]
			i++
		case strings.HasPrefix(arg, "@"):
			out[i] = arg
		case !strings.HasPrefix(arg, "-"):
			if className().MatchString(arg) {
				out[i] = arg
			}
			return
		}
	}
}

func MaskOptions(options []string) []string {
	return lists.Map(options, maskWord)
}

// MaskUnknown masks the names of the -XX: options that a VM does not know, in place. Such a name can be a secret,
// because a VM can ignore unknown options.
func MaskUnknown(args []string, isKnown func(name string) bool) []string {
	for i, arg := range args {
		option, isVM := strings.CutPrefix(arg, "-XX:")
		name, _, _ := strings.Cut(strings.TrimLeft(option, "+-"), "=")
		if isVM && !isKnown(name) {
			args[i] = "-XX:" + Masked
		}
	}
	return args
}

func maskWord(word string) string {
	name, _, valued := strings.Cut(word, "=")
	switch {
	case harmless().MatchString(word), len(word) == 2 && word[0] == '-', word == "--",
		strings.HasPrefix(word, "--") && valued && pathOptions[name]:
		return word
	case strings.HasPrefix(word, "-D"):
		return maskValue("-D", name, valued)
	case strings.HasPrefix(word, "-XX:"):
		return maskValue("-XX:", name, valued)
	case strings.HasPrefix(word, "-javaagent:"), strings.HasPrefix(word, "-agentlib:"),
		strings.HasPrefix(word, "-agentpath:"):
		if !valued {
			return word
		}
		return name + "=" + Masked
	case strings.HasPrefix(word, "-X"):
		name, _, valued = strings.Cut(word, ":")
		if valued && vmOptionName().MatchString(name) {
			return name + ":" + Masked
		}
	case !optionName().MatchString(name):
	case valued:
		return name + "=" + Masked
	default:
		return word
	}
	if strings.HasPrefix(word, "-") {
		return "-" + Masked
	}
	return Masked
}

func maskValue(prefix, option string, valued bool) string {
	if !propertyName().MatchString(strings.TrimPrefix(option, prefix)) {
		return prefix + Masked
	}
	if valued {
		return option + "=" + Masked
	}
	return option
}

// MaskLine masks a command line that Join or another program wrote. It is idempotent.
func MaskLine(line string) string { return JoinWords(Mask(splitWords(line))) }

func MaskOptionsLine(line string) string { return JoinWords(MaskOptions(splitWords(line))) }

// JoinWords joins words into a line. It quotes words with spaces.
func JoinWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = w
		if w == "" || strings.ContainsAny(w, " \t\n'\"") {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

func splitWords(line string) (words []string) {
	var word strings.Builder
	inWord, quoted := false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'':
			inWord, quoted = true, !quoted
		case c == '\\' && !quoted && i+1 < len(line) && line[i+1] == '\'':
			i++
			word.WriteByte('\'')
			inWord = true
		case c == ' ' && !quoted:
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words
}
