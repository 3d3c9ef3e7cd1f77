package program_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A statementForm is a kind of statement of a generated method.
type statementForm int

const (
	formText      statementForm = iota // text
	formIf                             // tests, then, otherwise
	formIndexed                        // for over the array by an index
	formEach                           // for over the array by its elements
	formList                           // for over the list by its elements
	formPositions                      // for over the list by an index
	formWhile                          // text is the test
	formCases                          // a switch over text; arms
	formArrows                         // the same, with arrows
	formTypes                          // a chain of instanceof over text; arms
	formTry                            // then, otherwise is the handler
	formLambda                         // then is in a lambda
)

// A statement of a generated method.
type statement struct {
	form            statementForm
	text            string   // of the statement, or of the test
	tests           []string // of formIf: all must hold
	name            string   // of a loop's variable
	then, otherwise []statement
	arms            []arm
}

// An arm is a case of a switch, or of a chain of instanceof.
type arm struct {
	label string
	body  []statement
}

func (s statement) clone() statement {
	s.tests = append([]string(nil), s.tests...)
	s.then, s.otherwise = cloned(s.then), cloned(s.otherwise)
	s.arms = append([]arm(nil), s.arms...)
	for i := range s.arms {
		s.arms[i].body = cloned(s.arms[i].body)
	}
	return s
}

func cloned(list []statement) (all []statement) {
	for _, s := range list {
		all = append(all, s.clone())
	}
	return all
}

// A method is a generated method.
type method struct {
	name   string
	wide   bool // its first parameter is a long
	any    bool // its last parameter is an Object
	body   []statement
	parts  []string // methods that it calls
	drawn  *rand.Rand
	number int // of names
}

func (m *method) fresh(prefix string) string {
	m.number++
	return fmt.Sprint(prefix, m.number)
}

func (m *method) pick(from ...string) string { return from[m.drawn.IntN(len(from))] }

// test draws a condition over the integers that are in sight.
func (m *method) test(ints []string) string {
	v := ints[m.drawn.IntN(len(ints))]
	n := m.drawn.IntN(60) + 10
	switch m.drawn.IntN(9) {
	case 0:
		return fmt.Sprintf("(%s & %d) == 0", v, 1+m.drawn.IntN(7))
	case 1:
		return fmt.Sprintf("%s > %d", v, n)
	case 2:
		return fmt.Sprintf("%s %% %d < %d", v, 3+m.drawn.IntN(9), 1+m.drawn.IntN(3))
	case 3:
		return fmt.Sprintf("s.sides() > %d", m.drawn.IntN(4))
	case 4:
		return fmt.Sprintf("Lib.is(%s)", v)
	case 5:
		return "o instanceof " + m.pick("Integer", "String", "Long")
	case 6:
		return fmt.Sprintf("list.size() > %d", m.drawn.IntN(5))
	case 7:
		return fmt.Sprintf("%s <= %d", v, n)
	}
	return fmt.Sprintf("xs.length != %d", m.drawn.IntN(5))
}

// call draws a statement that calls something.
func (m *method) call(ints []string) statement {
	v := ints[m.drawn.IntN(len(ints))]
	switch m.drawn.IntN(8) {
	case 0, 1, 2, 3:
		return statement{text: fmt.Sprintf("t += Lib.f%d(%s);", m.drawn.IntN(6), v)}
	case 4, 5:
		return statement{text: fmt.Sprintf("t += s.area(%s);", v)}
	case 6:
		return statement{text: "t += String.valueOf(o).length();"}
	}
	return statement{text: fmt.Sprintf("map.merge(%s & 15, 1, Integer::sum);", v)}
}

// block draws statements.
func (m *method) block(depth int, ints []string) (body []statement) {
	for range 1 + m.drawn.IntN(3) {
		body = append(body, m.statement(depth, ints))
	}
	return body
}

func (m *method) statement(depth int, ints []string) statement {
	if depth == 0 {
		return m.call(ints)
	}
	switch m.drawn.IntN(12) {
	case 0, 1:
		s := statement{form: formIf, tests: []string{m.test(ints)}, then: m.block(depth-1, ints)}
		if m.drawn.IntN(2) == 0 {
			s.otherwise = m.block(depth-1, ints)
		}
		return s
	case 2:
		return statement{form: formIf, tests: []string{m.test(ints), m.test(ints)}, then: m.block(depth-1, ints)}
	case 3, 4:
		v := m.fresh("v")
		return statement{form: formIndexed, name: v, then: m.block(depth-1, append([]string{v, v}, ints...))}
	case 5:
		v := m.fresh("e")
		return statement{form: formPositions, name: v, then: append(m.types(v, ints), m.block(depth-1, ints)...)}
	case 6:
		s := statement{form: formCases, text: fmt.Sprintf("%s %% %d", ints[m.drawn.IntN(len(ints))], 5+m.drawn.IntN(4))}
		for k := range 3 + m.drawn.IntN(2) {
			s.arms = append(s.arms, arm{fmt.Sprint(k), m.block(0, ints)})
		}
		s.otherwise = m.block(0, ints)
		return s
	case 7:
		return m.types("o", ints)[0]
	case 8:
		return statement{text: fmt.Sprintf("Integer %[1]s = map.get(x & 7); if (%[1]s == null) { %[1]s = 0; } map.put(x & "+
			"7, %[1]s + 1);", m.fresh("c"))}
	case 9:
		w := m.fresh("w")
		return statement{form: formWhile, name: w, text: fmt.Sprintf("%s > %d", w, 5+m.drawn.IntN(9)),
			then: append([]statement{{text: w + " -= " + fmt.Sprint(4+m.drawn.IntN(9)) + ";"}},
				m.block(depth-1, append([]string{w}, ints...))...)}
	case 10:
		if m.drawn.IntN(2) == 0 {
			return statement{form: formTry, then: []statement{{text: fmt.Sprintf("t += Lib.parse(%s);", ints[0])}, m.call(ints)},
				otherwise: m.block(0, ints)}
		}
	}
	return m.call(ints)
}

// types draws a chain of instanceof.
func (m *method) types(of string, ints []string) []statement {
	s := statement{form: formTypes, text: of}
	for _, k := range m.drawn.Perm(4)[:2+m.drawn.IntN(2)] {
		s.arms = append(s.arms, arm{[]string{"Integer", "String", "Long", "Double"}[k], m.block(0, ints)})
	}
	s.otherwise = m.block(0, ints)
	return []statement{s}
}

// newMethod draws a method.
func newMethod(name string, seed uint64) *method {
	m := &method{name: name, drawn: rand.New(rand.NewPCG(seed, 25))}
	for range 2 + m.drawn.IntN(3) {
		m.body = append(m.body, m.statement(2, []string{"x", "y"}))
	}
	return m
}

// source returns a class with the method.
func (m *method) source() string {
	var b strings.Builder
	x := "int"
	if m.wide {
		x = "long"
	}
	fmt.Fprintf(&b, "package flow;\n\nimport java.util.*;\n\npublic class %s {\n", m.name)
	for _, part := range m.parts {
		b.WriteString(part)
	}
	last := "Map<Integer, Integer> map"
	if m.any {
		last = "Object any"
	}
	fmt.Fprintf(&b,
		"    @SuppressWarnings(\"unchecked\")\n    public static long run(%s x%s, int y, Object o, Lib.Shape s, int[] xs, "+
			"List<Object> list, %s) {\n",
		x, map[bool]string{true: "0"}[m.wide], last)
	if m.wide {
		b.WriteString("        int x = (int) x0;\n")
	}
	if m.any {
		b.WriteString("        Map<Integer, Integer> map = (Map<Integer, Integer>) any;\n")
	}
	b.WriteString("        long t = 0;\n")
	write(&b, m.body, 2)
	b.WriteString("        return t;\n    }\n}\n")
	return b.String()
}

// write writes statements.
func write(b *strings.Builder, body []statement, depth int) {
	for i := range body {
		body[i].write(b, depth)
	}
}

func (s *statement) write(b *strings.Builder, depth int) {
	pad := strings.Repeat("    ", depth)
	block := func(head string, body []statement) {
		fmt.Fprintf(b, "%s%s {\n", pad, head)
		write(b, body, depth+1)
		fmt.Fprintf(b, "%s}\n", pad)
	}
	switch s.form {
	case formText:
		fmt.Fprintf(b, "%s%s\n", pad, s.text)
	case formIf:
		block("if ("+strings.Join(s.tests, " && ")+")", s.then)
		if len(s.otherwise) > 0 {
			block("else", s.otherwise)
		}
	case formIndexed:
		i := "i" + s.name
		block(fmt.Sprintf("for (int %[1]s = 0; %[1]s < xs.length; %[1]s++)", i),
			append([]statement{{text: fmt.Sprintf("int %s = xs[%s];", s.name, i)}}, s.then...))
	case formEach:
		block(fmt.Sprintf("for (int %s : xs)", s.name), s.then)
	case formPositions:
		i := "i" + s.name
		block(fmt.Sprintf("for (int %[1]s = 0; %[1]s < list.size(); %[1]s++)", i),
			append([]statement{{text: fmt.Sprintf("Object %s = list.get(%s);", s.name, i)}}, s.then...))
	case formList:
		block(fmt.Sprintf("for (Object %s : list)", s.name), s.then)
	case formWhile:
		fmt.Fprintf(b, "%sint %s = y;\n", pad, s.name)
		block("while ("+s.text+")", s.then)
	case formCases, formArrows:
		s.writeCases(b, pad, depth)
	case formTypes:
		head := "if"
		for _, a := range s.arms {
			block(fmt.Sprintf("%s (%s instanceof %s)", head, s.text, a.label), a.body)
			head = "else if"
		}
		block("else", s.otherwise)
	case formTry:
		block("try", s.then)
		block(fmt.Sprintf("catch (IllegalArgumentException thrown%d)", depth), s.otherwise)
	case formLambda:
		block("t += ((java.util.function.IntUnaryOperator) (n ->",
			append(append([]statement{{text: "int u = n;"}}, s.then...), statement{text: "return u;"}))
		b.WriteString(pad + ")).applyAsInt(x);\n")
	}
}

func (s *statement) writeCases(b *strings.Builder, pad string, depth int) {
	fmt.Fprintf(b, "%sswitch (%s) {\n", pad, s.text)
	labels := append(append([]arm(nil), s.arms...), arm{"", s.otherwise})
	for _, a := range labels {
		label := "case " + a.label
		if a.label == "" {
			label = "default"
		}
		if s.form == formArrows {
			fmt.Fprintf(b, "%s    %s -> {\n", pad, label)
			write(b, a.body, depth+2)
			fmt.Fprintf(b, "%s    }\n", pad)
			continue
		}
		fmt.Fprintf(b, "%s    %s:\n", pad, label)
		write(b, a.body, depth+2)
		fmt.Fprintf(b, "%s        break;\n", pad)
	}
	fmt.Fprintf(b, "%s}\n", pad)
}
