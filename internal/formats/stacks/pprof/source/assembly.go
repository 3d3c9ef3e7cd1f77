package source

import (
	"regexp"
	"strings"
)

var (
	// textLine matches the start of a function in assembly, and the use of a macro that defines one.
	textLine = regexp.MustCompile(`^(?:TEXT\s+([^\s(,]+)\(SB\)|[A-Z][A-Z0-9_]*\((·\w+),)`)
	// callLine matches a call or jump to a symbol, indirectCall one of a register or memory.
	callLine     = regexp.MustCompile(`\b(?:CALL|JMP|BL|B|JAL|BR)\s+([^\s(,;]+)\(SB\)`)
	indirectCall = regexp.MustCompile(`\b(?:CALL|JMP|BL|JAL|JALR|BR)\s+(?:\(?[A-Z][A-Z0-9]*\)?|-?[0-9]*\([A-Z0-9]+\))\s*(?:[;/]|$)`)
)

// addAssembly adds the functions of a file in Go's assembly.
func (t *Tree) addAssembly(text, pkg string) {
	var at *body
	start := 0
	for n, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "//")
		if m := textLine.FindStringSubmatch(line); m != nil {
			symbol := assemblySymbol(m[1]+m[2], pkg)
			at = &body{calls: map[string][]int32{}}
			at.anyCallee = symbol == "runtime.goexit" || m[2] != ""
			start = n
			t.assembly[symbol] = append(t.assembly[symbol], at)
		}
		if at == nil {
			continue
		}
		at.lines = int32(n - start)
		for _, m := range callLine.FindAllStringSubmatch(line, -1) {
			at.addCall(parseSymbol(assemblySymbol(m[1], pkg)).lastName(), at.lines)
		}
		if indirectCall.MatchString(line) {
			at.addCall("", at.lines)
		}
	}
}

// assemblySymbol returns the linker's name of a symbol as the assembler spells it.
func assemblySymbol(spelled, pkg string) string {
	name, _, _ := strings.Cut(spelled, "<")
	name = strings.NewReplacer("·", ".", "∕", "/").Replace(name)
	if strings.HasPrefix(name, ".") {
		name = pkg + name
	}
	return name
}
