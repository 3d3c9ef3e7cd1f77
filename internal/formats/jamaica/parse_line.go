package jamaica

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/profarc/profarc/internal/names/javanames"
)

// A keyword is the kind of a line.
type keyword uint8

const (
	keyBytecodes keyword = iota
	keyCycles
	keyNative
	keyNewArray
	keyInvoke
	keyThread
	keyThreads
	keyReflected
	keyInstances
	keyHeapUse
	keyHeapRefs
	numKeywords
)

type numberKind uint8

const (
	kindCount numberKind = iota // 64 bits
	kindShare                   // percentage, which a % can follow
	kindPoint                   // bci
)

// A number describes a number in the lines of a keyword.
type numberForm struct {
	kind  numberKind
	about string // description for errors
}

// A part is a section of one run's output. Some keywords can occur in any part.
type part uint8

const (
	partProfile part = iota
	partInstances
	partHeap
	partAny
)

// A form describes the lines of a keyword. The numbers of a line precede its names.
type lineForm struct {
	name     string
	verified bool // the spelling is known, including the colon after the keyword
	part     part
	numbers  []numberForm
	names    []string // descriptions for errors
	optional int      // number of leading names that can be missing
	methods  bool     // the names are method signatures
}

const (
	aMethod = "the signature of a method"
	aClass  = "the name of a class"
)

var (
	aShare       = numberForm{kindShare, "a percentage"}
	aPoint       = numberForm{kindPoint, "the position of a bytecode"}
	theObjects   = numberForm{kindCount, "a number of objects"}
	theTree      = numberForm{kindCount, "a number of objects in trees"}
	aNumberBytes = numberForm{kindCount, "a number of bytes"}
)

var lineForms = [numKeywords]lineForm{
	keyBytecodes: {name: "PROFILE", verified: true, methods: true, names: []string{aMethod},
		numbers: []numberForm{{kindCount, "a number of bytecodes"}, aShare}},
	keyCycles: {name: "PROFILE_CYCLES", verified: true, methods: true, names: []string{aMethod},
		numbers: []numberForm{{kindCount, "a number of cycles"}}},
	keyNative: {name: "PROFILE_NATIVE", methods: true, names: []string{aMethod},
		numbers: []numberForm{{kindCount, "a number of calls"}, aShare}},
	keyNewArray: {name: "PROFILE_NEWARRAY", methods: true, names: []string{aMethod},
		numbers: []numberForm{{kindCount, "a number of arrays"}, aPoint}},
	keyInvoke: {name: "PROFILE_INVOKE", methods: true,
		names:   []string{"the signature of a caller", "the signature of a called method"},
		numbers: []numberForm{{kindCount, "a number of calls"}, aPoint}},
	keyThread: {name: "PROFILE_THREAD", part: partAny,
		numbers: []numberForm{{kindCount, "a priority"}, {kindCount, "a number of cycles"}, aShare, aShare, aShare, aShare,
			{kindCount, "the size of the C stack"}, {kindCount, "the size of the Java stack"}}},
	keyThreads:   {name: "PROFILE_THREADS", part: partAny, numbers: []numberForm{{kindCount, "a number of threads"}}},
	keyReflected: {name: "PROFILE_CLASS_USED_VIA_REFLECTION", part: partAny, names: []string{aClass}},
	keyInstances: {name: "INSTANTIATION_COUNT", part: partInstances, names: []string{"a class loader", aClass},
		optional: 1,
		numbers: []numberForm{
			theObjects,
			{kindCount, "the blocks of an object"},
			{kindCount, "a number of blocks"},
			aNumberBytes,
			theTree,
			aShare,
		}},
	keyHeapUse: {name: "HEAP_USE", part: partHeap, names: []string{aClass},
		numbers: []numberForm{
			theObjects,
			{kindCount, "the blocks of an object"},
			{kindCount, "the size of a block"},
			aNumberBytes,
			aShare,
			theTree,
			aShare,
		}},
	keyHeapRefs: {name: "HEAP_REFS", part: partHeap,
		numbers: []numberForm{{kindCount, "a number of references"}, {kindCount, "a number of words"}, aShare}},
}

var keywords = func() map[string]keyword {
	m := map[string]keyword{}
	for k := range numKeywords {
		m[lineForms[k].name] = k
	}
	return m
}()

const maxNumbers = 8

// A record is a parsed line.
type record struct {
	key             keyword
	interpreted     bool
	mark            int  // length of the "(interpreted)" mark, which can be truncated
	length          int  // length of the line in bytes
	standardSpacing bool // up to the mark, the line is spaced as Write does it
	fraction        bool // the fraction of a percentage was dropped
	unknownMark     bool // an unknown mark followed a signature
	ignoredWords    bool // words were ignored
	line            int  // line number
	numbers         [maxNumbers]uint64
	names           [2]nameID
}

type lineParser struct {
	text   []byte
	offset int // offset of the next byte
	form   *lineForm
}

// cutKeyword finds the keyword at the start of a line, a word of capital letters and underscores. rest is the
// offset of the values. word is nil if there is no keyword. An unknown keyword needs a colon.
func cutKeyword(text []byte) (word []byte, k keyword, rest int, known bool) {
	start := bytes.TrimLeft(text, " \t")
	end := bytes.TrimLeft(start, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_")
	word = start[:len(start)-len(end)]
	values, colon := bytes.CutPrefix(end, []byte(":"))
	if len(word) == 0 || len(values) > 0 && !isBlank(values[0]) {
		return nil, 0, 0, false
	}
	k, known = keywords[string(word)]
	if !colon && (!known || lineForms[k].verified) {
		return nil, 0, 0, false
	}
	return word, k, len(text) - len(values), known
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// parseValues parses the values of a line into r. If a value is missing, it returns a description of the value and
// its offset in the line. Otherwise expected is "".
func (l *lineParser) parseValues(r *record, intern func(string) nameID) (expected string, column int) {
	for i, n := range l.form.numbers {
		if !l.takeNumber(n.kind, &r.numbers[i], &r.fraction) {
			return n.about, l.offset
		}
	}
	if len(l.form.names) > 0 {
		return l.parseNames(r, intern)
	}
	rest := l.offset
	if n := new(uint64); l.takeNumber(kindCount, n, new(bool)) {
		return "no more numbers", rest
	}
	return "", 0
}

// takeNumber parses the next number into n. If the number is missing or of another kind, l.at is its offset.
func (l *lineParser) takeNumber(kind numberKind, n *uint64, fraction *bool) bool {
	start, end := nextNumber(l.text, l.offset)
	if start < 0 {
		l.offset = len(l.text) - len(bytes.TrimLeft(l.text[l.offset:], " \t"))
		return false
	}
	whole, part, _ := strings.Cut(string(l.text[start:end]), ".")
	sign := l.text[end:]
	if kind == kindShare { // after other numbers, a name can start with %
		sign = bytes.TrimLeft(sign, " ")
	}
	percent := bytes.HasPrefix(sign, []byte("%"))
	if percent {
		end = len(l.text) - len(sign) + 1
	}
	v, err := strconv.ParseUint(whole, 10, 64)
	if err != nil || kind != kindShare && (percent || part != "") || kind == kindPoint && v > math.MaxInt32 {
		l.offset = start
		return false
	}
	*n, l.offset = v, end
	*fraction = *fraction || strings.Trim(part, "0") != ""
	return true
}

// nextNumber finds digits that are not part of a word. They include a fraction and groups of three digits after
// commas, so that these are errors and not two numbers. start is -1 if there is no number.
func nextNumber(text []byte, from int) (start, end int) {
	for at := from; at < len(text); at++ {
		if text[at] < '0' || text[at] > '9' {
			continue
		}
		start = at
		end = groupsEnd(text, digitsEnd(text, at))
		if end+1 < len(text) && text[end] == '.' && digitsEnd(text, end+1) > end+1 {
			end = digitsEnd(text, end+1)
		}
		if !(start > 0 && isPartOfWord(text[start-1])) && !(end < len(text) && isPartOfWord(text[end])) {
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

// groupsEnd returns the end of groups of a comma and three digits that begin at at.
func groupsEnd(text []byte, at int) int {
	for at < len(text) && text[at] == ',' && digitsEnd(text, at+1) == at+4 {
		at += 4
	}
	return at
}

func isPartOfWord(c byte) bool {
	return c >= utf8.RuneSelf || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' ||
		strings.IndexByte("0123456789_$./-+", c) >= 0
}

// maxName is the maximum length of a name in bytes, equal to disk.MaxName.
const maxName = 1 << 20

// isValidName reports whether a string is nonempty valid UTF-8 without control characters.
func isValidName(text string) bool {
	return text != "" && len(text) <= maxName && utf8.ValidString(text) &&
		strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) < 0
}

// A word is a sequence of bytes without blanks.
type lineWord struct {
	text   string
	offset int
}

// splitWords returns the words after the numbers. It skips characters that touch the last number, and labels,
// which end with a colon or an equals sign.
func (l *lineParser) splitWords() (list []lineWord) {
	at := l.offset
	for len(l.form.numbers) > 0 && at < len(l.text) && !isBlank(l.text[at]) {
		at++
	}
	for at < len(l.text) {
		start := at
		for at < len(l.text) && !isBlank(l.text[at]) {
			at++
		}
		if text := strings.Trim(string(l.text[start:at]), quoteCharacters); text != "" && !strings.HasSuffix(text, ":") &&
			!strings.HasSuffix(text, "=") {
			list = append(list, lineWord{text, start})
		}
		for at < len(l.text) && isBlank(l.text[at]) {
			at++
		}
	}
	return list
}

// signs are the characters that can enclose a name.
const quoteCharacters = "'`\","

// parseNames parses the last words or the last signatures of a line as its names.
func (l *lineParser) parseNames(r *record, intern func(string) nameID) (expected string, column int) {
	list := l.splitWords()
	if l.form.methods {
		list = l.cutAfterSignatures(r, list)
	}
	want := l.form.names
	for i := len(want) - 1; i >= 0; i-- {
		if i < len(want)-1 && l.form.methods { // skip words between two methods
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
		if !isValidName(last.text) {
			return want[i], last.offset
		}
		r.names[i] = intern(l.takeMark(r, last.text))
	}
	r.ignoredWords = r.ignoredWords || l.form.verified && hasLetterOrDigit(list)
	return "", 0
}

// cutAfterSignatures removes the mark of the interpreter after the last complete signature. If the line has all its
// signatures, it also removes the words after the last one.
func (l *lineParser) cutAfterSignatures(r *record, list []lineWord) []lineWord {
	whole, end := 0, 0
	for i, w := range list {
		if signature, _ := splitMark(w.text); isCompleteSignature(signature) {
			whole++
			end = i + 1
		}
	}
	rest := list[end:]
	all := whole >= len(l.form.names)
	marked := whole > 0 && len(rest) > 0 && isInterpreted(rest[0].text) && isCompleteSignature(list[end-1].text)
	if marked && (all || len(rest) == 1) {
		r.interpreted = true
		r.mark = len(rest[0].text)
		rest = rest[1:]
	}
	if !all {
		return list[:end+len(rest)]
	}
	r.ignoredWords = hasLetterOrDigit(rest)
	return list[:end]
}

func hasLetterOrDigit(list []lineWord) bool {
	named := func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }
	return slices.ContainsFunc(list, func(w lineWord) bool { return strings.ContainsFunc(w.text, named) })
}

// takeMark returns a method's signature without its mark and records the mark in r.
func (l *lineParser) takeMark(r *record, text string) string {
	if !l.form.methods {
		return text
	}
	signature, mark := splitMark(text)
	if isInterpreted(mark) {
		r.interpreted = true
		r.mark = len(mark)
	} else if mark != "" {
		r.unknownMark = true
	}
	return signature
}

// interpretedMark follows the signature in a line that counts cycles in the interpreter. There is no space between.
const interpretedMark = "(interpreted)"

// splitMark splits off the mark after a complete signature. The mark can be truncated.
func splitMark(text string) (signature, mark string) {
	end := descriptorEnd(text)
	if end < 0 || end == len(text) || text[end] != '(' {
		return text, ""
	}
	return text[:end], text[end:]
}

// Unmarked removes the mark of the interpreter, complete or truncated, from a method's signature.
func Unmarked(text string) string {
	if signature, mark := splitMark(text); isInterpreted(mark) {
		return signature
	}
	return text
}

func isInterpreted(text string) bool { return text != "" && strings.HasPrefix(interpretedMark, text) }

func isCompleteSignature(signature string) bool { return descriptorEnd(signature) == len(signature) }

// descriptorEnd returns the end of the method descriptor in text, or -1 if it is incomplete.
func descriptorEnd(text string) int {
	at := strings.IndexByte(text, '(')
	if at <= 0 {
		return -1
	}
	for at++; at < len(text) && text[at] != ')'; {
		at = typeEnd(text, at)
		if at < 0 {
			return -1
		}
	}
	if at++; at < len(text) && text[at] == 'V' {
		return at + 1
	}
	return typeEnd(text, at)
}

// typeEnd returns the end of the type at offset at of a descriptor, or -1 if there is no type.
func typeEnd(text string, at int) int {
	first, _ := javanames.CutType(text[min(at, len(text)):])
	if !javanames.IsType(first) || first == "V" {
		return -1
	}
	return at + len(first)
}
