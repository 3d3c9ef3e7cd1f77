package program_test

import (
	"fmt"
	"strings"
)

// A change edits a method; ok is false if it has no place for it.
type change struct {
	kind    string
	edit    func(m *method) (ok bool)
	prepare func(m *method) // makes a place for it; may be nil
}

// lambda is a statement with a lambda.
func lambda(number int) statement {
	return statement{text: fmt.Sprintf("t += ((java.util.function.IntUnaryOperator) (n -> n > %d && n %% 3 != 0 ? "+
		"Lib.f1(n) : Lib.f2(n) * %d)).applyAsInt(x);", number, number)}
}

// lists returns all lists of statements of a method that satisfy a condition at a place.
func (m *method) places(is func(s *statement) bool) (all []*statement) {
	var walk func(list []statement)
	walk = func(list []statement) {
		for i := range list {
			if s := &list[i]; is(s) {
				all = append(all, s)
			}
			walk(list[i].then)
			walk(list[i].otherwise)
			for _, a := range list[i].arms {
				walk(a.body)
			}
		}
	}
	walk(m.body)
	return all
}

// at draws one statement that satisfies a condition, nil if there is none.
func (m *method) at(is func(s *statement) bool) *statement {
	all := m.places(is)
	if len(all) == 0 {
		return nil
	}
	return all[m.drawn.IntN(len(all))]
}

// change edits one statement of some form.
func (m *method) change(is func(s *statement) bool, edit func(s *statement)) bool {
	s := m.at(is)
	if s != nil {
		edit(s)
	}
	return s != nil
}

func ofForm(f statementForm) func(*statement) bool {
	return func(s *statement) bool { return s.form == f }
}

// insert puts statements before a drawn one of the outermost list.
func (m *method) insert(list ...statement) bool {
	k := m.drawn.IntN(len(m.body) + 1)
	m.body = append(m.body[:k:k], append(list, m.body[k:]...)...)
	return true
}

// wrap replaces a statement by one with it inside.
func wrap(s *statement, in statement) {
	inner := *s
	*s = in
	s.then = append(s.then, inner)
}

var params = []string{"x", "y"}

// changes are the kinds of edits.
var changes = []change{
	{"call inserted", func(m *method) bool { return m.insert(m.call(params)) }, nil},
	{"if inserted", func(m *method) bool {
		return m.insert(statement{form: formIf, tests: []string{m.test(params)}, then: m.block(0, params)})
	}, nil},
	{"loop inserted", func(m *method) bool {
		return m.insert(statement{form: formIndexed, name: m.fresh("q"), then: m.block(0, params)})
	}, nil},
	{"early return", func(m *method) bool {
		return m.insert(statement{form: formIf, tests: []string{m.test(params)}, then: []statement{{text: "return t;"}}})
	}, nil},
	{"throwing guard", func(m *method) bool {
		return m.insert(statement{form: formIf, tests: []string{"x > 1000"},
			then: []statement{{text: "throw new IllegalStateException(\"x \" + x);"}}})
	}, nil},
	{"null guard", func(m *method) bool {
		return m.insert(statement{form: formIf, tests: []string{m.pick("list", "xs", "s", "map") + " == null"},
			then: []statement{{text: "return -1;"}}})
	}, nil},
	{"logging", func(m *method) bool {
		return m.insert(statement{form: formIf, tests: []string{"t == 123456789"},
			then: []statement{{text: "System.out.println(\"seen \" + x);"}}})
	}, nil},
	{"statement deleted", func(m *method) bool {
		if len(m.body) < 2 {
			return false
		}
		k := m.drawn.IntN(len(m.body))
		m.body = append(m.body[:k:k], m.body[k+1:]...)
		return true
	}, nil},
	{"statements swapped", func(m *method) bool {
		if len(m.body) < 2 {
			return false
		}
		k := m.drawn.IntN(len(m.body) - 1)
		m.body[k], m.body[k+1] = m.body[k+1], m.body[k]
		return true
	}, nil},
	{"wrapped in an if", func(m *method) bool {
		return m.change(ofForm(formText), func(s *statement) {
			if !strings.HasPrefix(s.text, "w") {
				wrap(s, statement{form: formIf, tests: []string{m.test(params)}})
			}
		})
	}, nil},
	{"hoisted out of an if", func(m *method) bool {
		s := m.at(func(s *statement) bool { return s.form == formIf && len(s.then) > 1 && s.then[0].form == formText })
		if s == nil {
			return false
		}
		first := s.then[0]
		s.then = s.then[1:]
		wrap(s, statement{form: formIf, tests: []string{"true"}})
		s.then = append([]statement{first}, s.then...)
		return true
	}, nil},
	{"moved out of else", func(m *method) bool {
		return m.change(func(s *statement) bool { return s.form == formIf && len(s.otherwise) > 1 }, func(s *statement) {
			last := s.otherwise[len(s.otherwise)-1]
			s.otherwise = s.otherwise[:len(s.otherwise)-1]
			wrap(s, statement{form: formIf, tests: []string{"true"}})
			s.then = append(s.then, last)
		})
	}, nil},
	{"moved out of a loop", func(m *method) bool {
		return m.change(func(s *statement) bool {
			last := len(s.then) - 1
			return (s.form == formIndexed || s.form == formPositions) && last > 0 && s.then[last].form == formText &&
				!strings.Contains(s.then[last].text, s.name)
		}, func(s *statement) {
			last := s.then[len(s.then)-1]
			s.then = s.then[:len(s.then)-1]
			wrap(s, statement{form: formIf, tests: []string{"true"}})
			s.then = append(s.then, last)
		})
	}, nil},
	{"condition inverted", func(m *method) bool {
		return m.change(func(s *statement) bool { return s.form == formIf && len(s.tests) == 1 && len(s.otherwise) > 0 },
			func(s *statement) {
				s.tests[0] = "!(" + s.tests[0] + ")"
				s.then, s.otherwise = s.otherwise, s.then
			})
	}, nil},
	{"&& swapped", func(m *method) bool {
		return m.change(func(s *statement) bool { return s.form == formIf && len(s.tests) == 2 && s.tests[0] != s.tests[1] },
			func(s *statement) { s.tests[0], s.tests[1] = s.tests[1], s.tests[0] })
	}, nil},
	{"&& nested", func(m *method) bool {
		return m.change(func(s *statement) bool { return s.form == formIf && len(s.tests) == 2 }, func(s *statement) {
			s.then = []statement{{form: formIf, tests: s.tests[1:], then: s.then}}
			s.tests = s.tests[:1]
		})
	}, nil},
	{"test added", func(m *method) bool {
		return m.change(func(s *statement) bool { return s.form == formIf && len(s.tests) == 1 }, func(s *statement) {
			s.tests = append(s.tests, m.test(params))
		})
	}, nil},
	{"test put first", func(m *method) bool {
		return m.change(func(s *statement) bool { return s.form == formIf && len(s.tests) == 1 }, func(s *statement) {
			s.tests = append([]string{m.test(params)}, s.tests...)
		})
	}, nil},
	{"other threshold", func(m *method) bool {
		return m.change(func(s *statement) bool { return s.form == formIf && strings.Contains(s.tests[0], "> ") },
			func(s *statement) { s.tests[0] = strings.Replace(s.tests[0], "> ", "> 2", 1) })
	}, nil},
	{"instanceof reordered", func(m *method) bool {
		return m.change(ofForm(formTypes), func(s *statement) {
			last := len(s.arms) - 1
			s.arms[0], s.arms[last] = s.arms[last], s.arms[0]
		})
	}, nil},
	{"instanceof added", func(m *method) bool {
		return m.change(ofForm(formTypes), func(s *statement) {
			s.arms = append([]arm{{"Character", m.block(0, params)}}, s.arms...)
		})
	}, nil},
	{"cases swapped", func(m *method) bool {
		return m.change(ofForm(formCases), func(s *statement) {
			s.arms[0].body, s.arms[1].body = s.arms[1].body, s.arms[0].body
		})
	}, nil},
	{"case added", func(m *method) bool {
		return m.change(ofForm(formCases), func(s *statement) {
			s.arms = append(s.arms, arm{fmt.Sprint(len(s.arms)), m.block(0, params)})
		})
	}, nil},
	{"arrow switch", func(m *method) bool {
		return m.change(ofForm(formCases), func(s *statement) { s.form = formArrows })
	}, nil},
	{"for each element", func(m *method) bool {
		return m.change(ofForm(formIndexed), func(s *statement) { s.form = formEach })
	}, nil},
	{"for each of a list", func(m *method) bool {
		return m.change(ofForm(formPositions), func(s *statement) { s.form = formList })
	}, nil},
	{"break added", func(m *method) bool {
		return m.change(ofForm(formIndexed), func(s *statement) {
			s.then = append([]statement{{form: formIf, tests: []string{m.test(append(params, s.name))},
				then: []statement{{text: "break;"}}}}, s.then...)
		})
	}, nil},
	{"continue added", func(m *method) bool {
		return m.change(func(s *statement) bool { return s.form == formIndexed || s.form == formPositions },
			func(s *statement) {
				s.then = append([]statement{{form: formIf, tests: []string{m.test(params)},
					then: []statement{{text: "continue;"}}}}, s.then...)
			})
	}, nil},
	{"other step", func(m *method) bool {
		return m.change(ofForm(formWhile), func(s *statement) { s.then[0].text = s.name + " -= 17;" })
	}, nil},
	{"getOrDefault", func(m *method) bool {
		return m.change(func(s *statement) bool { return strings.HasPrefix(s.text, "Integer c") }, func(s *statement) {
			s.text = "map.put(x & 7, map.getOrDefault(x & 7, 0) + 1);"
		})
	}, nil},
	{"variable assigned before", func(m *method) bool {
		m.body = append([]statement{{text: "x = x * 2 + 1;"}}, m.body...)
		return true
	}, nil},
	{"in try", func(m *method) bool {
		return m.change(func(s *statement) bool { return s.form == formText && strings.HasPrefix(s.text, "t +=") },
			func(s *statement) { wrap(s, statement{form: formTry, otherwise: []statement{{text: "t--;"}}}) })
	}, nil},
	{"method extracted", func(m *method) bool {
		return m.change(func(s *statement) bool { return strings.HasPrefix(s.text, "t += Lib.f") }, func(s *statement) {
			name := m.fresh("part")
			call := strings.TrimSuffix(strings.TrimPrefix(s.text, "t += "), ";")
			at := strings.IndexByte(call, '(')
			m.parts = append(m.parts, fmt.Sprintf("    static int %s(int n) {\n        return %s(n) + 1;\n    }\n\n", name,
				call[:at]))
			s.text = "t += " + name + call[at:] + ";"
		})
	}, nil},
	{"argument changed", func(m *method) bool {
		return m.change(func(s *statement) bool { return strings.HasPrefix(s.text, "t += s.area(") }, func(s *statement) {
			s.text = strings.Replace(s.text, ");", " + 1);", 1)
		})
	}, nil},
	{"variable extracted", func(m *method) bool {
		m.body = append([]statement{{text: "int size = list.size();"}, {text: "t += size;"}}, m.body...)
		return true
	}, nil},
	{"signature widened", func(m *method) bool {
		m.wide = true
		return true
	}, nil},
	{"parameter generalised", func(m *method) bool {
		m.any = true
		return true
	}, nil},
	{"lambda inserted", func(m *method) bool {
		m.body = append([]statement{lambda(50)}, m.body...)
		return true
	}, func(m *method) { m.body = append(m.body, lambda(30), lambda(70)) }},
	{"receiver replaced", func(m *method) bool {
		return m.change(func(s *statement) bool { return strings.HasPrefix(s.text, "t += s.area(") }, func(s *statement) {
			s.text = strings.Replace(s.text, "s.area", "((Lib.Shape) new Lib.Square(2)).area", 1)
		})
	}, nil},
}
