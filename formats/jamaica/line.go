package jamaica

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxNumbers is the most numbers that a line has.
const maxNumbers = 8

// A record is what a line says.
type record struct {
	key         keyword
	interpreted bool
	fraction    bool // some percentage had a fraction, which is cut off
	oddMark     bool // a mark of another kind stood behind a signature
	passed      bool // words that mean nothing stood where none should
	line        int
	numbers     [maxNumbers]uint64
	names       [2]nameID
}

// A line is one line that begins with a keyword, being taken apart.
type line struct {
	text []byte
	at   int // how far it was read
	form *form
}

// cutKeyword finds the keyword at the front of a line: capital letters and
// underscores. rest is where its values begin. Of what else looks like a
// keyword, word is the text and known is false.
func cutKeyword(text []byte) (word []byte, k keyword, rest int, known bool) {
	start := 0
	for start < len(text) && isBlank(text[start]) {
		start++
	}
	end := start
	for end < len(text) && (text[end] >= 'A' && text[end] <= 'Z' || text[end] == '_') {
		end++
	}
	word, rest = text[start:end], end
	colon := end < len(text) && text[end] == ':'
	if colon {
		rest++
	}
	if len(word) == 0 || rest < len(text) && !isBlank(text[rest]) {
		return nil, 0, 0, false
	}
	k, known = keywords[string(word)]
	if known && !colon && forms[k].verified || !known && !colon {
		return nil, 0, 0, false
	}
	return word, k, rest, known
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// parse takes the values of a line. What is missing is told by expected and
// the column where it should begin, from 0.
func (l *line) parse(r *record, intern func(string) nameID) (expected string, column int) {
	for i, n := range l.form.numbers {
		if !l.number(n.kind, &r.numbers[i], &r.fraction) {
			return n.about, l.at
		}
	}
	if len(l.form.names) > 0 {
		return l.parseNames(r, intern)
	}
	rest := l.at
	if n := new(uint64); l.number(count, n, new(bool)) {
		return "no more numbers", rest
	}
	return "", 0
}

// number takes the next number. If it is none of that kind, at is where it
// stands.
func (l *line) number(kind numberKind, n *uint64, fraction *bool) bool {
	blank := l.at
	for blank < len(l.text) && isBlank(l.text[blank]) {
		blank++
	}
	start, end := nextNumber(l.text, l.at)
	if start < 0 {
		l.at = blank
		return false
	}
	whole, part, _ := strings.Cut(string(l.text[start:end]), ".")
	sign := l.text[end:]
	if kind == share { // a name behind another number may begin with one
		sign = bytes.TrimLeft(sign, " ")
	}
	percent := bytes.HasPrefix(sign, []byte("%"))
	if percent {
		end = len(l.text) - len(sign) + 1
	}
	v, err := strconv.ParseUint(whole, 10, 64)
	if err != nil || kind != share && (percent || part != "") || kind == point && v > math.MaxInt32 {
		l.at = start
		return false
	}
	*n, l.at = v, end
	*fraction = *fraction || strings.Trim(part, "0") != ""
	return true
}

// nextNumber finds digits that touch no letter; a fraction belongs to them, and
// so do groups of three behind commas, which make them no number that a VM writes.
func nextNumber(text []byte, from int) (start, end int) {
	for at := from; at < len(text); at++ {
		if text[at] < '0' || text[at] > '9' {
			continue
		}
		start, end = at, groupsEnd(text, digitsEnd(text, at))
		if end+1 < len(text) && text[end] == '.' && digitsEnd(text, end+1) > end+1 {
			end = digitsEnd(text, end+1)
		}
		if !(start > 0 && touches(text[start-1])) && !(end < len(text) && touches(text[end])) {
			return start, end
		}
		at = end - 1
	}
	return -1, -1
}

func digitsEnd(text []byte, at int) int {
	for at < len(text) && text[at] >= '0' && text[at] <= '9' {
		at++
	}
	return at
}

// groupsEnd is where groups of three digits end that stand behind commas.
func groupsEnd(text []byte, at int) int {
	for at < len(text) && text[at] == ',' && digitsEnd(text, at+1) == at+4 {
		at += 4
	}
	return at
}

// touches reports whether a byte beside digits makes them part of a word.
func touches(c byte) bool {
	return c >= utf8.RuneSelf || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte("0123456789_$./-+", c) >= 0
}

// maxName bounds a name, as disk.MaxName does.
const maxName = 1 << 20

// isName reports whether a text can be a name: valid UTF-8, no control
// characters.
func isName(text string) bool {
	return text != "" && len(text) <= maxName && utf8.ValidString(text) &&
		strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) < 0
}
