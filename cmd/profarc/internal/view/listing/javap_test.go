package listing

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/java/classfile"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
)

// judged are classes of the JDK with every kind of bytecode and constant that javac makes.
var judged = strings.Fields(`java/lang/String java/lang/Double java/lang/Float java/lang/Math java/lang/Thread java/lang/CharacterData00
	java/lang/Class java/lang/invoke/MethodHandles java/lang/invoke/InvokerBytecodeGenerator java/lang/invoke/LambdaForm
	java/util/HashMap java/util/Arrays java/util/Formatter java/util/Scanner java/util/concurrent/ConcurrentHashMap
	java/util/stream/Collectors java/util/regex/Pattern java/math/BigDecimal java/time/format/DateTimeFormatterBuilder
	sun/security/util/KnownOIDs jdk/internal/org/objectweb/asm/ClassReader jdk/internal/util/xml/impl/Parser`)

// javap prints the same bytecodes, operands and constants.
func TestBytecodesAsByJavap(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	testjvm.Each(t, func(t *testing.T, home string) {
		path, err := classfile.Open([]string{home}, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer path.Close()
		var classes []*classfile.File
		var named []string
		for _, name := range judged {
			if c, err := path.Class(name); err != nil {
				t.Fatal(err)
			} else if c != nil {
				classes, named = append(classes, c), append(named, strings.ReplaceAll(name, "/", "."))
			}
		}
		out, err := exec.Command(filepath.Join(home, "bin", "javap"),
			append([]string{"-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-c", "-p"}, named...)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		want := javapMethods(string(out))
		compared, wrong := 0, 0
		for _, c := range classes {
			for _, m := range c.Methods {
				if m.Code == nil {
					continue
				}
				if len(want) == 0 {
					t.Fatal("javap prints fewer methods")
				}
				list, _ := instructions(c, m)
				if got := javapText(list); got != want[0] && wrong < 5 {
					t.Errorf("%s.%s%s:\n%s", c.Name, m.Name, m.Signature, firstDifference(got, want[0]))
					wrong++
				}
				want, compared = want[1:], compared+len(list)
			}
		}
		if len(want) > 0 || compared < 50_000 {
			t.Errorf("%d bytecodes were compared, %d methods are left", compared, len(want))
		}
	})
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("got  %+.100q\nwant %+.100q", g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}

var (
	poolIndex  = regexp.MustCompile(`^(\s*\d+: \S+\s+)#\d+(?:,\s+(\S+))?\s*(?://.*)?$`)
	spaces     = regexp.MustCompile(` +`)
	javapEntry = regexp.MustCompile(`^ +(-?\d+|default): -?\d+$`)
)

// javapMethods returns the code of the methods in javap's output, in the form of javapText.
func javapMethods(out string) (methods []string) {
	var code []string
	in := false
	flush := func() {
		if in {
			methods, code = append(methods, strings.Join(code, "\n")), nil
		}
		in = false
	}
	for line := range strings.SplitSeq(out, "\n") {
		switch {
		case line == "    Code:":
			flush()
			in = true
		case !in:
		case line == "" || line == "}" || strings.TrimSpace(line) == "Exception table:":
			flush()
		case strings.TrimSpace(line) == "}":
		default:
			code = append(code, javapLine(line))
		}
	}
	flush()
	return methods
}

// javapLine leaves out indices of constants and repeated spaces.
func javapLine(line string) string {
	comment := ""
	if poolIndex.MatchString(line) {
		if at := strings.Index(line, "// "); at >= 0 {
			comment = plainDecimal(" // " + line[at+3:])
		}
		line = poolIndex.ReplaceAllString(line, "$1$2")
	} else if at := strings.Index(line, "{ //"); at >= 0 {
		line = line[:at]
	} else if javapEntry.MatchString(line) {
		line = strings.TrimSpace(line)
	}
	return strings.TrimSpace(spaces.ReplaceAllString(line, " ")) + comment
}

// plainDecimal spells a float anew: up to JDK 18 some have more digits than they need.
func plainDecimal(comment string) string {
	text, ok := strings.CutPrefix(comment, " // float ")
	f, err := strconv.ParseFloat(strings.TrimSuffix(text, "f"), 32)
	if !ok || err != nil {
		return comment
	}
	return fmt.Sprint(" // float ", f)
}

// javapText prints instructions as javap does, without the indices of constants.
func javapText(list []Instruction) string {
	var lines []string
	for _, i := range list {
		line := strings.TrimSpace(fmt.Sprintf("%d: %s %s", i.Bci, i.Mnemonic, i.Operands))
		if i.Ref != nil {
			line += plainDecimal(strings.TrimRight(" // "+i.Ref.Kind+" "+i.Ref.Text, " "))
		}
		lines = append(lines, line)
		for k, label := range i.Labels {
			lines = append(lines, fmt.Sprintf("%d: %d", label, i.Targets[k+1]))
		}
		if i.Mnemonic == "tableswitch" || i.Mnemonic == "lookupswitch" {
			lines = append(lines, fmt.Sprintf("default: %d", i.Targets[0]))
		}
	}
	return strings.Join(lines, "\n")
}
