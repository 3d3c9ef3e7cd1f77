package iprof

import "github.com/profarc/profarc/internal/parse"

// value reads any value.
func (s *scanner) value(depth int) bool {
	s.blanks()
	switch s.buf[s.pos] {
	case '{':
		return s.list('}', depth, func() bool {
			_, _, ok := s.text()
			return ok && s.token(':') && s.value(depth+1)
		})
	case '[':
		return s.list(']', depth, func() bool { return s.value(depth + 1) })
	case '"':
		_, _, ok := s.text()
		return ok
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	}
	return s.number()
}

// list reads an object or an array whose members are read by member.
func (s *scanner) list(end byte, depth int, member func() bool) bool {
	if depth >= parse.MaxNesting {
		s.exceeded = parse.Exceeded("values nested in more than %d others", parse.MaxNesting)
		return false
	}
	s.pos++
	if s.token(end) {
		return true
	}
	for {
		if !member() {
			return false
		}
		if s.token(end) {
			return true
		}
		if !s.token(',') {
			return false
		}
	}
}

func (s *scanner) word(w string) bool {
	for i := range len(w) {
		if s.buf[s.pos] != w[i] {
			return false
		}
		s.pos++
	}
	return true
}

// number reads any number.
func (s *scanner) number() bool {
	if s.buf[s.pos] == '-' {
		s.pos++
	}
	if s.buf[s.pos] == '0' {
		s.pos++
	} else if !s.digits() {
		return false
	}
	if s.buf[s.pos] == '.' {
		if s.pos++; !s.digits() {
			return false
		}
	}
	if s.buf[s.pos]|0x20 == 'e' {
		s.pos++
		if c := s.buf[s.pos]; c == '+' || c == '-' {
			s.pos++
		}
		if !s.digits() {
			return false
		}
	}
	return classes[s.buf[s.pos]]&endsNumber != 0
}

func (s *scanner) digits() bool {
	first := s.pos
	for s.buf[s.pos]-'0' <= 9 {
		s.pos++
	}
	return s.pos > first
}
