package jamaica

import (
	"strings"
	"unicode"
)

// A word is a run of bytes without blanks.
type word struct {
	text string
	at   int
}

// words gives what stands behind the numbers: what touches the last of them is
// a sign, and words that end in a colon or an equals sign are labels.
func (l *line) words() (list []word) {
	at := l.at
	for len(l.form.numbers) > 0 && at < len(l.text) && !isBlank(l.text[at]) {
		at++
	}
	for at < len(l.text) {
		start := at
		for at < len(l.text) && !isBlank(l.text[at]) {
			at++
		}
		if text := strings.Trim(string(l.text[start:at]), signs); text != "" && !strings.HasSuffix(text, ":") && !strings.HasSuffix(text, "=") {
			list = append(list, word{text, start})
		}
		for at < len(l.text) && isBlank(l.text[at]) {
			at++
		}
	}
	return list
}

// signs may stand around a name.
const signs = "'`\","

// parseNames takes the names: the last words, but for those behind a signature.
func (l *line) parseNames(r *record, intern func(string) nameID) (expected string, column int) {
	list := l.words()
	if l.form.methods {
		list = l.cutBehind(r, list)
	}
	want := l.form.names
	for i := len(want) - 1; i >= 0; i-- {
		if i < len(want)-1 && l.form.methods { // words may stand between methods
			for len(list) > 0 && !strings.ContainsAny(list[len(list)-1].text, "./(") {
				list = list[:len(list)-1]
			}
		}
		if len(list) == 0 {
			if i < l.form.optional {
				break
			}
			return want[len(want)-1], len(l.text)
		}
		last := list[len(list)-1]
		list = list[:len(list)-1]
		if !isName(last.text) {
			return want[i], last.at
		}
		r.names[i] = intern(l.takeMark(r, last.text))
	}
	r.passed = r.passed || l.form.verified && sayAnything(list)
	return "", 0
}

// cutBehind takes off the words behind the last whole signature, if there are
// as many as the line should have: the mark of the interpreter, and what means
// nothing.
func (l *line) cutBehind(r *record, list []word) []word {
	whole, end := 0, 0
	for i, w := range list {
		if signature, _ := cutMark(w.text); isWhole(signature) {
			whole, end = whole+1, i+1
		}
	}
	behind := list[end:]
	all := whole >= len(l.form.names)
	marked := whole > 0 && len(behind) > 0 && isInterpreted(behind[0].text) && isWhole(list[end-1].text)
	if marked && (all || len(behind) == 1) {
		r.interpreted, behind = true, behind[1:]
	}
	if !all {
		return list[:end+len(behind)]
	}
	r.passed = sayAnything(behind)
	return list[:end]
}

// sayAnything reports whether there is a letter or a digit in words.
func sayAnything(list []word) bool {
	for _, w := range list {
		if strings.ContainsFunc(w.text, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }) {
			return true
		}
	}
	return false
}

// takeMark takes the mark off a method's signature, and notes it.
func (l *line) takeMark(r *record, text string) string {
	if !l.form.methods {
		return text
	}
	signature, mark := cutMark(text)
	if isInterpreted(mark) {
		r.interpreted = true
	} else if mark != "" {
		r.oddMark = true
	}
	return signature
}
