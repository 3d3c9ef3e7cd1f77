package hotspot

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/profarc/profarc/internal/names/javanames"
	"github.com/profarc/profarc/internal/system/lazyregexp"
)

// Texts of other sources than PrintMethodData have the same content in other words. A respeller brings their lines into
// the form of PrintMethodData:
//
//   - texts in comments, each line with // before it
//   - "method data for {method}", as a VM prints one MethodData
//   - printmdo of the serviceability agent (jhsdb)
type respeller struct {
	margin   int  // indentation of the text in comments, beyond the one of PrintMethodData
	debugger bool // the text is the output of printmdo
	bare     bool // methods have no counters, and entries no indentation
}

// respell returns a line in the form of PrintMethodData. bare is true for the header of a method without counters.
func (r *respeller) respell(line []byte) (text []byte, bare bool) {
	line = r.cutComment(line)
	if header := r.bareHeader(line); header != nil {
		r.bare = true
		return header, true
	}
	if r.debugger && (bytes.IndexByte(line, '\t') >= 0) {
		line = respellDebugger(line)
	}
	switch {
	case !r.bare || len(line) == 0:
	case line[0]-'0' <= 9 && bareEntry().Match(line):
		return append([]byte("  "), line...), false
	case bytes.HasPrefix(line, []byte(parameterTypes+" ")):
		return append([]byte(parametersLines[JDK17]), bytes.TrimLeft(line[len(parameterTypes):], " ")...), false
	case bareParameters().Match(line):
		return append([]byte(parametersLines[JDK25]), bareParameters().ReplaceAll(line, nil)...), false
	}
	return line, false
}

var bareParameters = lazyregexp.New(`^bci: 0 +ParametersTypeData +`)

// isEscapedHeader reports whether a line of an XML log, of which the tags may be missing, begins a MethodData.
func isEscapedHeader(line []byte) bool {
	return bytes.HasPrefix(line, []byte("method data for {method}")) && bytes.Contains(line, []byte("&apos;"))
}

var bareEntry = lazyregexp.New(`^[0-9]+ +bci: [0-9]+ +[A-Z]`)

// cutComment cuts // and the blanks before it.
func (r *respeller) cutComment(line []byte) []byte {
	text, commented := bytes.CutPrefix(bytes.TrimLeft(line, " \t"), []byte("//"))
	if !commented {
		return line
	}
	if unindented := bytes.TrimLeft(text, " "); bytes.HasPrefix(unindented, []byte(firstCounter[2:])) {
		r.margin = max(0, len(text)-len(unindented)-2)
	}
	return text[min(r.margin, len(text)-len(bytes.TrimLeft(text, " "))):]
}

var bareHeaders = []func() *regexp.Regexp{
	lazyregexp.New(`^(?:hsdb> )?MethodData 0x[0-9a-f]+ for method (?P<class>[^(]+)\.(?P<name>[^.(]+)(?P<sig>\(.*)@0x[0-9a-f]+$`),
	lazyregexp.New(`^method data for \{method\} \{0x[0-9a-f]+\} '(?P<name>[^']+)' '(?P<sig>[^']+)' in '(?P<class>[^']+)'$`),
}

// bareHeader returns the header of a method without counters, or nil for other lines.
func (r *respeller) bareHeader(line []byte) []byte {
	if len(line) == 0 || !bytes.Contains(line[:min(len(line), len("hsdb> method data"))], []byte("ethod")) {
		return nil
	}
	for i, form := range bareHeaders {
		if m := form().FindSubmatch(line); m != nil {
			r.debugger = r.debugger || i == 0
			of := func(part string) []byte { return m[form().SubexpIndex(part)] }
			class := javanames.AppendExternal(nil, string(of("class")))
			return fmt.Appendf(class, "%s%s%s", classEnd, of("name"), of("sig"))
		}
	}
	return nil
}

// respellDebugger respells a line of printmdo, whose parts begin with tabs.
func respellDebugger(line []byte) []byte {
	parts := strings.Split(string(line), "\t")
	last := parts[len(parts)-1]
	switch {
	case parts[0] != "" && parts[0] != parameterTypes: // an entry
		return []byte(strings.Join(parts, ""))
	case parts[0] == parameterTypes:
		return []byte(parametersLines[JDK17] + respellSlot(last))
	case len(parts) > 2 && parts[1] == argumentTypes:
		return []byte(argumentsLine + respellSlot(last))
	case len(parts) > 2 && parts[1] == returnType:
		return []byte(returnLine + respellKlass(last))
	case strings.Contains(last, "Klass for ") && !strings.Contains(last, ": stack("):
		at := strings.LastIndexByte(last, '(')
		if at < 0 {
			return line
		}
		return []byte(indent + respellKlass(last[:at]) + strings.TrimSuffix(last[at:], ")") + " 0.00)")
	}
	return []byte(indent + respellSlot(last))
}

// respellSlot respells "0: stack(1) InstanceKlass for java/lang/String".
func respellSlot(text string) string {
	slot, klass, ok := strings.Cut(text, ") ")
	if !ok {
		return text
	}
	return slot + ") " + respellKlass(klass)
}

// respellKlass respells a type, which other words can follow. It leaves texts without a type as they are.
func respellKlass(text string) string {
	kind, name, ok := strings.Cut(text, " for ")
	if !ok {
		return text
	}
	name, nullSeen := strings.CutSuffix(name, nullSeenSuffix)
	var b []byte
	switch kind {
	case "InstanceKlass", "TypeArrayKlass":
		b = javanames.AppendPrinted(nil, name)
	case "ObjArrayKlass":
		b = append([]byte(respellKlass(name)), "[]"...)
	default:
		return text
	}
	if nullSeen {
		b = append(b, nullSeenSuffix...)
	}
	return string(b)
}
