package iprof

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// How names of a file become parts of keys.
//
// A name is its own key, but for the few that an archive cannot hold or that
// would look like something else: those are quoted, which is a backslash and
// the name with \\ for a backslash, \u0000 for a NUL and \ud800 for half of a
// surrogate pair. An id that the file says nothing of is a question mark and
// the id. Of several types of one name, or methods of one key, all but the
// first get a number: "#2".
const (
	quoteMark  = '\\'
	idMark     = '?'
	numberMark = '#'
)

// quoteName is the key's spelling of a name, which may hold halves of surrogate
// pairs.
func quoteName(name string) string {
	if name == "" || name[0] != quoteMark && name[0] != idMark && strings.IndexByte(name, 0) < 0 && utf8.ValidString(name) {
		return name
	}
	b := []byte{quoteMark}
	for i := 0; i < len(name); {
		r, n := utf8.DecodeRuneInString(name[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			half := rune(name[i]&0x0f)<<12 | rune(name[i+1]&0x3f)<<6 | rune(name[i+2]&0x3f)
			b = fmt.Appendf(b, `\u%04x`, half)
			n = 3
		case r == 0:
			b = append(b, `\u0000`...)
		case r == quoteMark:
			b = append(b, `\\`...)
		default:
			b = append(b, name[i:i+n]...)
		}
		i += n
	}
	return string(b)
}

// unquoteName appends the name of a key's spelling.
func unquoteName(b []byte, spelled []byte) []byte {
	if len(spelled) == 0 || spelled[0] != quoteMark {
		return append(b, spelled...)
	}
	for i := 1; i < len(spelled); i++ {
		rest := spelled[i:]
		switch {
		case rest[0] != quoteMark || len(rest) < 2:
			b = append(b, rest[0])
		case rest[1] == 'u' && len(rest) >= 6:
			r := unit(rest[2:])
			if utf16.IsSurrogate(r) || r == 0 {
				b = appendUnit(b, r)
			}
			i += 5
		default:
			b = append(b, rest[1])
			i++
		}
	}
	return b
}

// idName is the name of an id that the file says nothing of.
func idName(id int64) string { return string(idMark) + strconv.FormatInt(id, 10) }

// nameID is the id that a name stands for.
func nameID(name string) (id int64, ok bool) {
	if len(name) < 2 || name[0] != idMark {
		return 0, false
	}
	id, err := strconv.ParseInt(name[1:], 10, 64)
	return id, err == nil && idName(id) == name
}

// numbered is the mark of the n-th of one key.
func numbered(n int) string { return string(numberMark) + strconv.Itoa(n) }

// A signature is spelled "void(int,java.lang.String)": the return type, then
// the parameters. In the name of a type the characters \ , ( ) # have a
// backslash in front of them, and a type without a name is "\-". A method
// without a return type has the signature "", and one that is declared by the
// type without a name begins with "\-.", or "\-#2." by the second of these.

const (
	noName    = `\-`
	noNameEnd = "." // behind the declaring type, if it has no name
	reserved  = `\,()#`
)

// signatureName is how a signature spells the name of a type.
func signatureName(name, number string) string {
	if name == "" {
		return noName + number
	}
	if !strings.ContainsAny(name, reserved) {
		return name + number
	}
	var b strings.Builder
	for i := range len(name) {
		if strings.IndexByte(reserved, name[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(name[i])
	}
	return b.String() + number
}

// splitSignature appends the type names of a signature, as it spells them: the
// return type, then the parameters. ok is false if it is not spelled like one.
func splitSignature(names []string, signature string) (all []string, ok bool) {
	start, inside := 0, false
	for i := 0; i < len(signature); i++ {
		switch c := signature[i]; c {
		case '\\':
			i++
		case '(':
			if inside {
				return names, false
			}
			names = append(names, signature[:i])
			start, inside = i+1, true
		case ',', ')':
			if !inside {
				return names, false
			}
			if c == ',' || i > start {
				names = append(names, signature[start:i])
			}
			start = i + 1
			if c == ')' {
				return names, i == len(signature)-1
			}
		}
	}
	return names, signature == ""
}

// cutNoName cuts the declaring type that has no name off a signature.
func cutNoName(signature string) (class, rest string, ok bool) {
	class, rest, ok = strings.Cut(signature, noNameEnd)
	number, begins := strings.CutPrefix(class, noName)
	if !ok || !begins || strings.Trim(number, "#0123456789") != "" {
		return "", signature, false
	}
	return class, rest, true
}

// cutNumber cuts the number of a method behind its signature off.
func cutNumber(signature string) string {
	end := strings.LastIndexByte(signature, ')') + 1
	if end < len(signature) && signature[end] == numberMark {
		return signature[:end]
	}
	return signature
}
