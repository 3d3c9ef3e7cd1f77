package live

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"strconv"
	"strings"
)

// Limits of a VM's arguments, which may be forged.
const (
	maxCommandText = 1 << 16
	maxVMArguments = 1 << 12
	maxVMText      = 1 << 20 // total
)

type vmArguments struct {
	command string   // main class, module or jar, and its arguments, separated by spaces
	options []string // VM options from all sources, without the class path
}

func (vm *VM) readArguments(mem source) (a vmArguments) {
	if at, ok := vm.staticWord(mem, "Arguments::_java_command"); ok && at != 0 {
		a.command, _, _ = textAt(mem, at, maxCommandText)
	}
	array, ok := vm.staticWord(mem, "Arguments::_jvm_args_array")
	count, err := int32At(mem, vm.tables.fields["Arguments::_num_jvm_args"].addr)
	if !ok || err != nil || count < 0 {
		return a
	}
	left := maxVMText
	for i := range min(uint64(count), maxVMArguments) {
		at, err := wordAt(mem, array+8*i)
		if err != nil || left <= 0 {
			break
		}
		option, _, _ := textAt(mem, at, min(left, maxCommandText))
		left -= len(option) + 1
		a.options = append(a.options, option)
	}
	return a
}

func textUntilNUL(b []byte) string {
	text, _, _ := bytes.Cut(b, []byte{0})
	return string(text)
}

// mainArgument returns the main class, module or jar. It is the first word of the command line with which the VM's
// record begins, else the first word of the record.
func mainArgument(command string, argv []string) string {
	rest := strings.Join(argv, " ")
	for _, arg := range argv {
		if rest == command {
			return arg
		}
		rest = strings.TrimPrefix(strings.TrimPrefix(rest, arg), " ")
	}
	first, _, _ := strings.Cut(command, " ")
	return first
}

type launch struct {
	argv []string
	env  map[string]string // values of launchVariables
	dir  string            // working directory
	// read returns the beginning of a file of the process.
	read func(name string) (string, bool)
	// list returns the names in a directory of the process, in directory order.
	list func(dir string) []string
}

var launchVariables = []string{"CLASSPATH", "JDK_JAVA_OPTIONS"}

var valueOptions = map[string]bool{
	"-p": true, "--module-path": true, "--upgrade-module-path": true, "--add-modules": true, "--limit-modules": true,
	"--add-exports": true,
	"--add-opens":   true, "--add-reads": true, "--patch-module": true, "--enable-native-access": true,
	"--describe-module": true, "-d": true, "--source": true,
}

func (l *launch) classPath() (classPath string, ok bool) {
	if len(l.argv) == 0 || path.Base(l.argv[0]) != "java" {
		return "", false
	}
	classPath = cmp.Or(l.env["CLASSPATH"], ".")
	args := append(l.expandFiles(argumentWords(l.env["JDK_JAVA_OPTIONS"])), l.expandFiles(l.argv[1:])...)
	for ; len(args) > 0; args = args[1:] {
		name, value, given := strings.Cut(args[0], "=")
		switch {
		case name == "-cp" || name == "-classpath" || name == "--class-path" && !given:
			if len(args) > 1 {
				classPath = args[1]
				args = args[1:]
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

// maxArguments limits the arguments of a process, including those from argument files.
const maxArguments = 1 << 16

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

func argumentWords(text string) (words []string) {
	var word strings.Builder
	quote := byte(0)
	inWord := false
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

// expandWildcards replaces an entry "dir/*" by the jars of the directory in directory order, as the launcher does. An
// entry that matches nothing stays.
func (l *launch) expandWildcards(classPath string) string {
	var all []string
	for entry := range strings.SplitSeq(classPath, ":") {
		dir, wild := strings.CutSuffix(entry, "*")
		if !wild || dir != "" && !strings.HasSuffix(dir, "/") {
			all = append(all, entry)
			continue
		}
		found := false
		for _, name := range l.list(dir) {
			if strings.EqualFold(path.Ext(name), ".jar") && len(all) < maxArguments {
				all = append(all, dir+name)
				found = true
			}
		}
		if !found {
			all = append(all, entry)
		}
	}
	return strings.Join(all, ":")
}

type flag struct {
	typ  int32
	addr uint64
}

var flagTypes = [...]struct {
	size   int
	signed bool
}{0: {1, false}, 1: {4, true}, 2: {4, false}, 3: {8, true}, 4: {8, false}, 5: {8, false}, 6: {8, false}}

const maxFlags = 1 << 13

func readFlags(mem source, t *tables) (map[string]flag, error) {
	table := t.staticAddress("JVMFlag::flags")
	count := t.staticAddress("JVMFlag::numFlags")
	size := t.structureSize("JVMFlag")
	name := t.fieldOffset("JVMFlag::_name", pointerWidth)
	addr := t.fieldOffset("JVMFlag::_addr", pointerWidth)
	typ := t.fieldOffset("JVMFlag::_type", intWidth)
	if err := t.lookupError(); err != nil {
		return nil, err
	}
	at, err := wordAt(mem, table)
	if err != nil {
		return nil, err
	}
	n, err := wordAt(mem, count)
	if err != nil || n > maxFlags {
		return nil, fmt.Errorf("%w: %d flags", ErrStructure, n)
	}
	flags := make(map[string]flag, n)
	for range n {
		r := &row{mem: mem, at: at, columns: []uint64{name, addr, typ}}
		if r.wordColumn(0) != 0 { // the last row is empty
			flags[r.textColumn(0)] = flag{r.int32Column(2), r.wordColumn(1)}
		}
		if r.err != nil {
			return nil, r.err
		}
		at += uint64(size)
	}
	return flags, nil
}

func (f flag) readValue(mem source) (v int64, ok bool) {
	if f.addr == 0 || f.typ < 0 || int(f.typ) >= len(flagTypes) {
		return 0, false
	}
	b, err := mem.readBytes(f.addr, flagTypes[f.typ].size)
	if err != nil {
		return 0, false
	}
	switch {
	case len(b) == 1:
		return int64(b[0]), true
	case len(b) == 4 && flagTypes[f.typ].signed:
		return int64(int32(le.Uint32(b))), true
	case len(b) == 4:
		return int64(le.Uint32(b)), true
	}
	return int64(le.Uint64(b)), true
}

func (f flag) valueText(mem source) (string, bool) {
	v, ok := f.readValue(mem)
	switch {
	case !ok:
		return "", false
	case flagTypes[f.typ].size == 1:
		return strconv.FormatBool(v != 0), true
	case !flagTypes[f.typ].signed:
		return strconv.FormatUint(uint64(v), 10), true
	}
	return strconv.FormatInt(v, 10), true
}

// shapingFlags are the flags that affect the content and layout of a MethodData. No VM has all of them.
var shapingFlags = []string{
	"TypeProfileWidth", "BciProfileWidth", "TypeProfileLevel", "TypeProfileArgsLimit", "TypeProfileParmsLimit",
	"TypeProfileCasts", "TypeProfileSubTypes", "TypeProfileMajorReceiverPercent", "UseTypeProfile", "UseTypeSpeculation",
	"SpecTrapLimitExtraEntries", "ProfileTraps", "PerMethodTrapLimit", "PerBytecodeTrapLimit", "PerMethodSpecTrapLimit",
	"ProfileInterpreter", "ProfileExceptionHandlers", "ProfileMaturityPercentage",
	"C1ProfileBranches", "C1ProfileCalls", "C1ProfileVirtualCalls", "C1ProfileInlinedCalls", "C1ProfileCheckcasts",
	"C1UpdateMethodData",
	"OmitStackTraceInFastThrow", "TieredCompilation", "TieredStopAtLevel", "UseJVMCICompiler", "EnableJVMCI",
	"UseBiasedLocking",
	"UseCompressedOops", "UseCompressedClassPointers", "UseCompactObjectHeaders", "ObjectAlignmentInBytes",
	"UseSerialGC", "UseParallelGC", "UseG1GC", "UseZGC", "ZGenerational", "UseShenandoahGC", "UseEpsilonGC",
}
